"""The code location that `dg dev`, `dagster dev` and `querymust` load. DAGSTER_HOME is `dagster` in the home."""

import dagster as dg

from evals import assets as eval_assets
from evals import checks as eval_checks
from pipeline import defs as own
from pipeline.building.code_versions import with_code_versions
from pipeline.defs import automation, lanes, resources
from retrieval.settings import Settings


def load() -> dg.Definitions:
    """Everything under `defs/`, and the assets and checks that `evals` keeps.

    Each check on a candidate is a rule of `evals/gate.py`; `pipeline/defs/live.py` asks them before a promotion.
    Not `load_from_defs_folder`: it looks for a pyproject.toml above the package, and an installed wheel has none.
    """
    settings = Settings.read(home := resources.default_home())
    assets = [*dg.load_assets_from_package_module(own), *dg.load_assets_from_modules([eval_assets])]
    return dg.Definitions(
        assets=with_code_versions(assets),
        asset_checks=[
            *dg.load_asset_checks_from_package_module(own),
            *dg.load_asset_checks_from_modules([eval_checks]),
        ],
        jobs=[*resources.OF_ASSETS, lanes.index_books_job(settings.executor, settings.lanes, load)],
        sensors=[automation.new_or_changed_books, automation.live_follows_books],
        schedules=[automation.nightly_embedding(home)],
        resources={"home": resources.HomeResource(path=str(home)), "models": resources.ModelsResource()},
        # Two writers on one Chroma collection lose vectors without an error. Only `index_books` has other executors.
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster's own tools look for."""
    return load()
