"""The code location that `dg dev`, `dagster dev -w workspace.yaml` and the `querymust` command all load."""

import dagster as dg

from evals import assets as eval_assets
from evals import checks as eval_checks
from pipeline import defs as own
from pipeline.defs import jobs, resources, schedules, sensors


def load() -> dg.Definitions:
    """Everything under `defs/`, and the assets and checks that `evals` keeps.

    Each check on a candidate is a rule of `evals/gate.py`; `pipeline/building/gate.py` asks before a promotion whether
    they held.

    Not `load_from_defs_folder`: it looks for a pyproject.toml above the package, and an installed wheel has none.
    """
    home = resources.default_home()
    return dg.Definitions(
        assets=[*dg.load_assets_from_package_module(own), *dg.load_assets_from_modules([eval_assets])],
        asset_checks=[
            *dg.load_asset_checks_from_package_module(own),
            *dg.load_asset_checks_from_modules([eval_checks]),
        ],
        jobs=[jobs.index_book, jobs.index_library, jobs.evaluate, jobs.go_live, jobs.promote, jobs.build_library],
        sensors=[sensors.new_or_changed_books, sensors.live_follows_books],
        schedules=[schedules.nightly_embedding(home)],
        resources={"home": resources.HomeResource(path=str(home)), "models": resources.ModelsResource()},
        # One process writes: two writers on one Chroma collection lose vectors without an error. This holds the steps
        # of a run together; that runs wait for each other is said in dagster.yaml.
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster's own tools look for."""
    return load()
