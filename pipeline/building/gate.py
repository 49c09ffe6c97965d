"""What stands between a snapshot and its readers, asked of Dagster's own record of checks.

Dagster stops a run at a failed blocking check. It does not stop somebody who materializes `live_index` alone, or after
the check ran for another snapshot, other records or other questions; this does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import dagster as dg
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus

from evals.checks import findings_in
from evals.gate import RULES, SCORE_RULES
from evals.questions.question_sets import questions_version
from evals.verdicts import HOW, unaccepted
from pipeline.building.materialization import records_behind
from retrieval.home import Home

GATE = tuple(dg.AssetCheckKey(dg.AssetKey(rule.asset), rule.name) for rule in RULES if rule.blocks)
"""The checks of the rules that block: on the snapshot and on its scores. Those on books are `live_index`'s to name."""

COMPLETED = {AssetCheckExecutionRecordStatus.SUCCEEDED, AssetCheckExecutionRecordStatus.FAILED}
RECENT = 25
"""How many runs may overtake a queued one before its evaluation is not seen any more."""

_SCORES = {rule.name for rule in SCORE_RULES}
_CANDIDATE = dg.AssetKey("candidate_index")


@dataclass(frozen=True, slots=True)
class CheckSubject:
    """What a check must have looked at to count: a key of its metadata and the value there."""

    key: str
    value: str
    otherwise: str
    """What it looked at where the value is another."""


@dataclass(frozen=True, slots=True)
class OpenObjection:
    """A check that failed for a snapshot's content, or never ran on it; `str(objection)` says all of it."""

    sentence: str
    check: str = ""
    overruled_by: Literal["force", "accept"] | None = None
    """Whose reason leads past it. `force`: a check on scores, which ran on this snapshot and these questions.
    `accept`: a check that found damaged or empty text. None: nothing does."""
    findings: tuple[str, ...] = ()
    """What there is to accept."""

    def __str__(self) -> str:
        return self.sentence


def open_objections(
    instance: dg.DagsterInstance, home: Home, snapshot: str, book_checks: Iterable[dg.AssetCheckKey]
) -> list[OpenObjection]:
    """What keeps a snapshot from going live; empty: every check that has a say holds for it.

    Args:
        instance: whose record of checks is asked.
        home: whose questions the scores must rest on.
        snapshot: the candidate.
        book_checks: the checks on the assets of the books that block, or hold until somebody accepts what they found.
    """
    event = instance.get_latest_materialization_event(_CANDIDATE)
    metadata = event.asset_materialization.metadata if event and event.asset_materialization else {}
    output, table = metadata.get("snapshot"), metadata.get("made_of")
    if output is None or output.value != snapshot or not isinstance(table, dg.TableMetadataValue):
        return [OpenObjection("nothing says which records it was made of; materialize candidate_index")]
    questions = CheckSubject("questions", questions_version(home.settings.questions), "other questions")
    wanted: dict[dg.AssetCheckKey, tuple[CheckSubject, ...]] = {}
    for key in book_checks:
        records = records_behind(table, key.asset_key.to_user_string())
        wanted[key] = (CheckSubject("records", str(records), "other records of the books"),)
    for key in GATE:
        judged = CheckSubject("snapshot", snapshot, "another snapshot")
        wanted[key] = (judged, questions) if key.name in _SCORES else (judged,)
    objections = (_objection(instance, home, key, *judged) for key, judged in wanted.items())
    return [objection for objection in objections if objection]


def _objection(
    instance: dg.DagsterInstance, home: Home, key: dg.AssetCheckKey, *wanted: CheckSubject
) -> OpenObjection | None:
    evaluation = _last_evaluation(instance, key)
    if evaluation is None:
        return OpenObjection(f"{key.name} {'is planned, not run yet' if _is_planned(instance, key) else 'never ran'}")
    for expected in wanted:
        judged = evaluation.metadata.get(expected.key)
        if judged is None or judged.value != expected.value:
            return OpenObjection(f"{key.name} last ran on {expected.otherwise}")
    if evaluation.passed:
        return None
    reason = evaluation.description or "no reason given"
    if evaluation.severity is dg.AssetCheckSeverity.ERROR:
        return OpenObjection(f"{key.name} failed: {reason}", key.name, "force" if key.name in _SCORES else None)
    findings = unaccepted(home.root, key.name, findings_in(evaluation.metadata))
    return OpenObjection(f"{key.name}: {reason}; {HOW}", key.name, "accept", findings) if findings else None


def _last_evaluation(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> dg.AssetCheckEvaluation | None:
    """The evaluation that was completed last.

    Dagster records a check when its run is queued and orders the records by that. A run that waited longer than a later
    one is evaluated after it, so the time of the evaluation decides.
    """
    records = instance.event_log_storage.get_asset_check_execution_history(key, RECENT, status=COMPLETED)
    last = max(records, key=lambda record: (record.event.timestamp if record.event else 0.0, record.id), default=None)
    return last.evaluation if last else None


def _is_planned(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> bool:
    """Whether a run that is not over is going to run the check."""
    record = instance.get_latest_asset_check_evaluation_record(key)
    run = instance.get_run_by_id(record.run_id) if record else None
    return run is not None and not run.is_finished
