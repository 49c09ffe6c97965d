"""Whose job a run of this process is: the UI shows in its timeline only runs that say so.

Dagster's own ways to run a job have no place for it. Only this file and `dask_executor.py` know Dagster's insides.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteRepositoryOrigin

LOCATION, REPOSITORY = "querymust", "__repository__"
"""As workspace.yaml and Dagster call them."""


@contextmanager
def known_as(instance: dg.DagsterInstance, job: str) -> Iterator[None]:
    """Let the runs that `instance` creates in here be those of one job of the code location."""
    origin = RemoteRepositoryOrigin(RegisteredCodeLocationOrigin(LOCATION), REPOSITORY).get_job_origin(job)
    domain = instance.run_domain
    create = domain.create_run

    def create_with_origin(**given: object) -> dg.DagsterRun:
        return create(**{**given, "remote_job_origin": origin})  # type: ignore[arg-type]

    domain.create_run = create_with_origin  # type: ignore[method-assign]
    try:
        yield
    finally:
        domain.create_run = create  # type: ignore[method-assign]
