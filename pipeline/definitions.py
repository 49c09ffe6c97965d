"""The code location that `dg dev`, `dagster dev -w workspace.yaml` and the `querymust` command all load."""

from pathlib import Path

import dagster as dg

from evals import assets as eval_assets
from evals import checks as eval_checks


def load() -> dg.Definitions:
    """Everything under `defs/`, and the assets and checks that `evals` keeps."""
    return dg.Definitions.merge(
        dg.load_from_defs_folder(path_within_project=Path(__file__).parent),
        dg.Definitions(
            assets=dg.load_assets_from_modules([eval_assets]),
            asset_checks=dg.load_asset_checks_from_modules([eval_checks]),
            # One process writes: two writers on one Chroma collection lose vectors without an error.
            executor=dg.in_process_executor,
        ),
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster's own tools look for."""
    return load()
