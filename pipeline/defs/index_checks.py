"""The gate's rules about a snapshot as Dagster's checks. Chroma can lose vectors without saying so."""

import dagster as dg

from evals.assets import with_reason
from evals.checks import JUDGED, kept
from evals.gate import SNAPSHOT_RULES, Contents
from evals.rules import Rule
from pipeline.building.materialization import held
from pipeline.defs.index import library_records
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot

ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN


def snapshot_check(rule: Rule[Contents]) -> dg.AssetChecksDefinition:
    """The check of a rule about a snapshot; it judges the candidate."""

    @dg.asset_check(
        asset=rule.asset,
        name=rule.name,
        description=rule.says,
        blocking=rule.blocks,
        automation_condition=JUDGED,
    )
    @with_reason
    @kept(rule.name)
    def check(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
        with open_snapshot(home.root, home.candidate, hashes=False) as snapshot:
            contents = Contents(
                snapshot, lambda: frozenset(chunk.id for chunk in library_records(context.instance, home).chunks)
            )
            objections = [reason.objection for reason in rule.reasons(contents)]
            return held(
                objections, {**rule.measures(contents), "snapshot": home.candidate}, ERROR if rule.blocks else WARN
            )

    return check


snapshot_checks = [snapshot_check(rule) for rule in SNAPSHOT_RULES]
"""Dagster loads the members of a module's lists."""
