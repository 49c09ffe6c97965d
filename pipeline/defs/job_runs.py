"""Runs of a job in this process, attributed to the code location."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

import dagster as dg
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteRepositoryOrigin

from pipeline.building.hosted_models import HostedModels
from retrieval.files.locks import alive, killed_runs
from retrieval.home import Home

LOCATION, REPOSITORY = "querymust", "__repository__"
"""Names of the code location and its repository in workspace.yaml and Dagster."""


@contextmanager
def known_as(instance: dg.DagsterInstance, job: str) -> Iterator[None]:
    """Attribute the runs that `instance` creates inside the context to one job of the code location."""
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


UNFINISHED = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)


def cancel_killed(home: Home, instance: dg.DagsterInstance) -> int:
    """Mark the runs whose processes were killed as canceled, and return how many.

    Dagster notices this only while the process lives that started the run; otherwise, the queue would wait for ever.
    """
    runs = {run.run_id: run for run in instance.get_runs(dg.RunsFilter(statuses=list(UNFINISHED)))}
    killed = killed_runs(home.root, runs)
    for run_id in killed:
        instance.report_run_canceled(runs[run_id], "Its process is gone.")
    return len(killed)


QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def run_job(
    job: dg.JobDefinition,
    instance: dg.DagsterInstance,
    home: Home,
    models: HostedModels,
    tags: Mapping[str, str],
    *,
    partition_key: str | None = None,
    config: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
    run_id: str | None = None,
) -> dg.ExecuteInProcessResult:
    """Run a job in this process; a failure is in the result and is not raised.

    Args:
        home: home of its assets. The home itself and not its path: read again, the environment would take precedence
            over the request. Besides, the caller has the lock, for which the path's resource would wait.
    """
    run_id = run_id or str(uuid.uuid4())
    with known_as(instance, job.name), alive(home.root, run_id):
        return job.execute_in_process(
            run_config=QUIET | {"ops": {name: {"config": dict(given)} for name, given in config.items()}},
            instance=instance,
            partition_key=partition_key,
            raise_on_error=False,
            run_id=run_id,
            tags=dict(tags),
            resources={"home": home, "models": models},
        )
