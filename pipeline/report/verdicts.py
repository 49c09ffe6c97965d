"""The gate's rules, judged again from what lies in the home; what Dagster recorded of them is not asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evals.aggregates import ALL
from evals.evaluation import SHIPPED, Evaluation
from evals.experiment import Experiment
from evals.gate import SCORE_RULES, SNAPSHOT_RULES, Reason, Rule, Scores, SnapshotContents, best_of, kept_rivals
from evals.scored_questions import ScoredQuestion
from pipeline.report.differences import question_key
from pipeline.report.history import History, kept_rows
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.types import Chunk

State = Literal["held", "warned", "failed", "not judged"]


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """One rule. Key: rule."""

    rule: str
    says: str
    """What holds when it holds."""
    blocks: bool
    state: State
    against: tuple[str, ...]
    """What stands against it, a sentence each."""
    note: str = ""
    """What it was judged by, or why it was not, where that is not plain."""


def verdicts_of(home: Home, snapshot: Snapshot, evaluation: Evaluation, history: History) -> tuple[RuleVerdict, ...]:
    """Judge a snapshot by every rule of the gate, in the order of the gate."""
    contents = SnapshotContents(snapshot, lambda: _library_ids(home))
    verdicts = [_verdict(rule, rule.reasons(contents)) for rule in SNAPSHOT_RULES]
    if evaluation.experiment is None:
        return (*verdicts, *(_unjudged(rule, "no questions were given") for rule in SCORE_RULES))
    candidate = _of_shipped(evaluation.experiment)
    stale = tuple(map(str, evaluation.stale))
    for rule in SCORE_RULES:
        before, note = _other(rule, home, snapshot.id, candidate, history)
        if rule.against is not None and before is None:
            verdicts.append(_unjudged(rule, note))
        else:
            verdicts.append(_verdict(rule, rule.reasons(Scores(candidate, before, before, stale)), note))
    return tuple(verdicts)


def _other(
    rule: Rule[Scores], home: Home, snapshot: str, candidate: Experiment, history: History
) -> tuple[Experiment | None, str]:
    """What the rule compares the candidate with, and a note on it."""
    if rule.against is None:
        return None, ""
    return _before(home, snapshot, candidate, history) if rule.against == "live" else _best(home, snapshot, candidate)


def _library_ids(home: Home) -> frozenset[str]:
    paths = sorted((home.root / "books").glob("*/chunks.jsonl"))
    return frozenset(chunk.id for path in paths for chunk in read_jsonl(path, Chunk))


def _verdict(rule: Rule[SnapshotContents] | Rule[Scores], reasons: Sequence[Reason], note: str = "") -> RuleVerdict:
    state: State = "held"
    if reasons:
        state = "failed" if any(reason.blocks for reason in reasons) else "warned"
    return RuleVerdict(
        rule.name, rule.says, rule.blocks, state, tuple(str(reason.objection) for reason in reasons), note
    )


def _unjudged(rule: Rule[Scores], why: str) -> RuleVerdict:
    return RuleVerdict(rule.name, rule.says, rule.blocks, "not judged", (), why)


def _of_shipped(experiment: Experiment) -> Experiment:
    return replace(
        experiment,
        rows=tuple(row for row in experiment.rows if row.strategy == SHIPPED),
        aggregates=tuple(aggregate for aggregate in experiment.aggregates if aggregate.strategy in {SHIPPED, ALL}),
    )


def _before(home: Home, snapshot: str, candidate: Experiment, history: History) -> tuple[Experiment | None, str]:
    """What the candidate is compared with, and a note on it; once it is live itself, what was scored before it."""
    live = live_id(home.root)
    if live is not None and live != snapshot:
        rows: Sequence[ScoredQuestion] = kept_rows(home, live, {(row.set, row.split) for row in candidate.rows})
        other, note = live, f"compared with {live}, which is live"
    elif history.change is not None:
        rows, other = history.rows_before, history.change.before
        note = f"compared with {other}, which was scored before it"
    else:
        return None, "nothing was scored before it"
    query = {question_key(row) for row in candidate.rows if row.gold}
    if not any(question_key(row) in query for row in rows if row.gold):
        return None, f"{other} was asked none of these questions"
    return Experiment(other, tuple(rows), (), (), ()), note


def _best(home: Home, snapshot: str, candidate: Experiment) -> tuple[Experiment | None, str]:
    sets = {(row.set, row.split) for row in candidate.rows}
    kept = {name: kept_rows(home, name, sets) for name in kept_rivals(home, snapshot)}
    best = best_of(candidate.rows, kept)
    if best is None:
        return None, "no snapshot besides what is live is kept that was asked the same"
    return Experiment(best, tuple(kept[best]), (), (), ()), f"compared with {best}, the best of those that are kept"
