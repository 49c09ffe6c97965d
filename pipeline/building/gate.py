"""What stands between a snapshot and its readers, asked of Dagster's own record of checks.

Dagster stops a run at a failed blocking check. It does not stop somebody who materializes `live_index` alone, or after
the check ran for another snapshot; this does.
"""

import dagster as dg

from evals.gate import RULES

GATE = tuple(dg.AssetCheckKey(dg.AssetKey(rule.asset), rule.name) for rule in RULES if rule.blocks)
"""The checks of the rules that block: on the snapshot and on its scores. A book's own checks stop that book's run."""


def open_objections(instance: dg.DagsterInstance, snapshot: str) -> list[str]:
    """A sentence for each gate check that failed for this snapshot or never ran on it; empty when all hold."""
    sentences = [_objection(instance, key, snapshot) for key in GATE]
    return [sentence for sentence in sentences if sentence]


def _objection(instance: dg.DagsterInstance, key: dg.AssetCheckKey, snapshot: str) -> str | None:
    record = instance.get_latest_asset_check_evaluation_record(key)
    evaluation = record.evaluation if record else None
    if evaluation is None:
        return f"{key.name} never ran"
    judged = evaluation.metadata.get("snapshot")
    if judged is None or judged.value != snapshot:
        return f"{key.name} last ran on another snapshot"
    if not evaluation.passed and evaluation.severity is dg.AssetCheckSeverity.ERROR:
        return f"{key.name} failed: {evaluation.description or 'no reason given'}"
    return None
