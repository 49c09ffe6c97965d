"""One job of the code location, run to its end in this process."""

import uuid
from collections.abc import Mapping
from types import MappingProxyType

import dagster as dg

from pipeline.building.hosted_models import HostedModels
from pipeline.spread.job_origin import known_as
from retrieval.home import Home

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
    """Run it; a failure is in the result and is not raised.

    Args:
        job: the job.
        instance: whose history it is in.
        home: what its assets work in. The home itself and not its path: read again, the environment would win over what
            was asked for. And whoever runs a job so has the lock, which the path's resource would wait for.
        models: what they ask of hosted models.
        tags: of the run.
        partition_key: of the book or the strategy.
        config: of its assets, by their names.
        run_id: of the run; else a new one.
    """
    with known_as(instance, job.name):
        return job.execute_in_process(
            run_config=QUIET | {"ops": {name: {"config": dict(given)} for name, given in config.items()}},
            instance=instance,
            partition_key=partition_key,
            raise_on_error=False,
            run_id=run_id or str(uuid.uuid4()),
            tags=dict(tags),
            resources={"home": home, "models": models},
        )
