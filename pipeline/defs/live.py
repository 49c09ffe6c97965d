"""The assets `live_index`, moved past the gate, `chroma_collections` and `metrics_dashboard`.

The gate asks the record that Dagster keeps of checks. Dagster stops a run at a failed blocking check. It does not stop
somebody who materializes `live_index` alone, or after the check ran for another snapshot, other records or other
questions; the gate does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

import dagster as dg
import numpy as np
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus
from pydantic import Field

from evals.asset_options import AFTER_CHANGE, SETTLED, with_reason
from evals.assets import METRICS, numbers_of
from evals.checks import findings_in
from evals.evaluation import SHIPPED, evaluation_of
from evals.gate import RULES, SCORE_RULES
from evals.questions.question_sets import questions_version
from evals.verdicts import HOW, CheckVerdict, accept, keep_verdict, unaccepted
from pipeline.building.library_records import records_behind
from pipeline.building.materialization import content_version, materialized
from pipeline.defs.automation import CANDIDATE, NIGHT
from pipeline.defs.ingest_checks import BOOK_GATE
from pipeline.report.glance import glance
from pipeline.report.page import default_path, write_page
from pipeline.report.report import report_of
from retrieval.home import Home
from retrieval.index.chroma import mirror
from retrieval.index.snapshot.live import live_id, promote, snapshot_folder
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.strategies import STRATEGIES

GATE = tuple(dg.AssetCheckKey(dg.AssetKey(rule.asset), rule.name) for rule in RULES if rule.blocks)
"""The checks of the rules that block: on the snapshot and on its scores. `live_index` adds those on books."""

COMPLETED = {AssetCheckExecutionRecordStatus.SUCCEEDED, AssetCheckExecutionRecordStatus.FAILED}
RECENT = 25
"""Most runs that may overtake a queued one before its evaluation is no longer found."""

_SCORES = {rule.name for rule in SCORE_RULES}


@dataclass(frozen=True, slots=True)
class CheckSubject:
    """The subject that a check must have judged to count: a key of its metadata and the value there."""

    key: str
    value: str
    otherwise: str
    """The subject if the value differs, in words."""


@dataclass(frozen=True, slots=True)
class OpenObjection:
    """A check that failed for a snapshot's content, or never ran on it; `str(objection)` is its sentence."""

    sentence: str
    check: str = ""
    overruled_by: Literal["force", "accept"] | None = None
    """The option whose reason overrules it. `force`: a check on scores, which ran on this snapshot and these questions.
    `accept`: a check that found damaged or empty text. None: it cannot be overruled."""
    findings: tuple[str, ...] = ()
    """The findings to accept."""

    def __str__(self) -> str:
        return self.sentence


def open_objections(
    instance: dg.DagsterInstance, home: Home, snapshot: str, book_checks: Iterable[dg.AssetCheckKey]
) -> list[OpenObjection]:
    """Return the objections to a snapshot's going live; empty if every relevant check holds for it."""
    event = instance.get_latest_materialization_event(CANDIDATE)
    metadata = event.asset_materialization.metadata if event and event.asset_materialization else {}
    built, table = metadata.get("snapshot"), metadata.get("made_of")
    if built is None or built.value != snapshot or not isinstance(table, dg.TableMetadataValue):
        return [OpenObjection("nothing records what it was made of; materialize candidate_index")]
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
    """Return the evaluation that was completed last.

    Dagster records a check when its run is queued and orders the records by that. A run that waited longer than a later
    one is evaluated after it, so the time of the evaluation decides.
    """
    records = instance.event_log_storage.get_asset_check_execution_history(key, RECENT, status=COMPLETED)
    last = max(records, key=lambda record: (record.event.timestamp if record.event else 0.0, record.id), default=None)
    return last.evaluation if last else None


def _is_planned(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> bool:
    """Whether an unfinished run will run the check."""
    record = instance.get_latest_asset_check_evaluation_record(key)
    run = instance.get_run_by_id(record.run_id) if record else None
    return run is not None and not run.is_finished


STALE = dg.FreshnessPolicy.time_window(warn_window=timedelta(days=2), fail_window=timedelta(days=8))
"""Warns of a missed night, fails after a missed week. An unchanged library is judged again each night all the same."""


_REASON = r"\S"
"""A reason has at least one character that is not blank."""


class Promotion(dg.Config):
    """How the candidate goes live. Without a reason scores that refuse it stop it, as everything else does."""

    force: str | None = Field(
        default=None,
        pattern=_REASON,
        description=(
            "Why it goes live past its scores; stored in the home's live.jsonl. Failed checks of books and of the "
            "snapshot cannot be overruled."
        ),
    )
    accept: str | None = Field(
        default=None,
        pattern=_REASON,
        description=(
            "Why damaged or empty text goes live as it was read; stored in the home's accepted.jsonl, and not asked "
            "for again."
        ),
    )

    def leads_past(self, objection: OpenObjection) -> str | None:
        """The reason that a person gave for this objection, if one did."""
        reasons = {"force": self.force, "accept": self.accept}
        return (reasons.get(objection.overruled_by or "") or "").strip() or None


@dg.asset(
    deps=["leaderboard"],
    group_name="live",
    kinds={"numpy"},
    owners=["team:search"],
    tags={"domain": "live"},
    automation_condition=SETTLED,
    freshness_policy=STALE,
    metadata=METRICS,
)
@with_reason
def live_index(
    context: dg.AssetExecutionContext, config: Promotion, home: dg.ResourceParam[Home]
) -> dg.MaterializeResult[None]:
    """The candidate, once every blocking check passed; until then what was live stays live.

    The checks on books must have held for the very records that the candidate is made of, those on the snapshot for it,
    those on its scores for it and the questions of today. The numbers are those of `default`, so that their plots are
    the history of what readers got.
    """
    before, candidate = live_id(home.root), home.candidate
    objections = open_objections(context.instance, home, candidate, BOOK_GATE)
    stopping = [objection for objection in objections if config.leads_past(objection) is None]
    if stopping:
        raise dg.Failure(f"{candidate} does not go live: " + "; ".join(map(str, stopping)), allow_retries=False)
    scores = evaluation_of(home, candidate, STRATEGIES[SHIPPED])
    overruled = [(objection, str(config.leads_past(objection))) for objection in objections]
    forced = next((reason for objection, reason in overruled if objection.overruled_by == "force"), None)
    accepted = _accept(home, overruled)
    promote(home.root, candidate, "nightly" if NIGHT in context.run.tags else "build", forced)
    context.log.info(
        f"{candidate} was live and stays live" if before == candidate else f"{candidate} is live now, after {before}"
    )
    for objection, reason in overruled:
        context.log.warning(f"live by {objection.overruled_by} ({reason}), although {objection}")
    return materialized(
        candidate,
        {
            "snapshot": candidate,
            "previous": before or "none",
            "forced": forced or "no",
            "accepted": accepted or "no",
            **numbers_of(scores.headline().get(SHIPPED, {})),
            "n_questions": scores.n_questions,
            "n_promoted": int(before != candidate),
            "n_forced": sum(objection.overruled_by == "force" for objection in objections),
            "dagster/uri": snapshot_folder(home.root, candidate).as_uri(),
        },
    )


def _accept(home: Home, overruled: list[tuple[OpenObjection, str]]) -> str | None:
    """Record accepted findings, so that no later build asks again; return the reason, or None if there are none."""
    given = None
    for objection, reason in overruled:
        if objection.overruled_by == "accept":
            given = reason
            accept(home.root, objection.check, objection.findings, reason)
            says = f"accepted ({reason})"
            keep_verdict(home.root, CheckVerdict.now(objection.check, says, None, passed=False, blocks=False))
    return given


EMBEDDED_UP_TO: int = 200_000
"""Most chunks of a library that is put into Chroma on this machine: a million takes more than twenty minutes."""


@dg.asset(
    deps=[live_index],
    group_name="live",
    kinds={"chroma"},
    owners=["team:search"],
    tags={"domain": "live"},
    automation_condition=AFTER_CHANGE,
)
@with_reason
def chroma_collections(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """What is live, for programs that read Chroma: the collections `open` and `guarded`, the rows with a query_must.

    They are brought up to date, record by record. querymust itself searches without them.
    """
    address = home.settings.chroma or home.chroma
    # On a server there may be collections of other homes; a home of one's own may be moved.
    owner = str(home.root) if home.settings.chroma else "querymust"
    with open_snapshot(home.root, hashes=False) as snapshot:
        n_chunks, n_changed = len(snapshot), 0
        if n_chunks > EMBEDDED_UP_TO and not home.settings.chroma:
            context.log.warning(
                f"{n_chunks:,} chunks are more than the {EMBEDDED_UP_TO:,} that are put into Chroma here; to have "
                "them, start a Chroma server and name it as `chroma` in rag.yaml"
            )
        else:
            guarded = np.asarray(snapshot.predicates.guarded)
            for name, members in (("open", np.flatnonzero(~guarded)), ("guarded", np.flatnonzero(guarded))):
                chunks = [snapshot.chunks[position] for position in members.tolist()]
                n_changed += mirror(address, name, chunks, snapshot.vectors[members], owner)
        return materialized(
            snapshot.id, {"snapshot": snapshot.id, "n_chunks": n_chunks, "n_changed": n_changed, "place": str(address)}
        )


NUMBERS = ("mrr", "hit@1", "noise@15", "false_exclusions")
"""Metrics of `default` that are reported with the page."""


@dg.asset(
    deps=["leaderboard"],
    group_name="evals",
    kinds={"html"},
    owners=["team:search"],
    tags={"domain": "scores"},
    automation_condition=AFTER_CHANGE,
)
@with_reason
def metrics_dashboard(home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """One HTML page on the candidate: scores, failures, filter, trend and gate. It opens without a server."""
    made, path = report_of(home), default_path(home)
    size = write_page(made, path)
    headline = made.evaluation.headline().get(SHIPPED, {})
    shipped = made.standings.shipped if made.standings else None
    answers = "\n\n".join(f"**{answer.asks}** {answer.says}" for answer in glance(made)) or "No questions were given."
    return materialized(
        content_version([path.read_bytes()]),
        {
            "path": dg.MetadataValue.path(path),
            "dagster/uri": path.as_uri(),
            "n_bytes": size,
            "n_questions": made.evaluation.n_questions,
            "n_failed": shipped.n_failed if shipped else None,
            **{name: headline.get(name) for name in NUMBERS},
            "answers": dg.MetadataValue.md(answers),
            "snapshot": made.evaluation.snapshot,
        },
    )
