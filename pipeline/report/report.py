"""The contents of the report, gathered from a home."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import fmean
from typing import Literal

import numpy as np

from evals.aggregates import ALL
from evals.evaluation import SHIPPED, Evaluation, evaluate
from evals.experiment import Experiment
from evals.failures import failures
from evals.gate import SCORE_RULES, SNAPSHOT_RULES, Reason, Rule, Scores, SnapshotContents, best_of, kept_rivals
from evals.noise import Relatives
from evals.relaxation import Relaxation, relaxation
from evals.scored_questions import ScoredQuestion
from pipeline.building.book_records import BookEntry, book_entries
from pipeline.report.history import History, built_at, history_of, kept_rows
from pipeline.report.questions import Exclusion, Outcome, Progress, exclusions_of, outcomes_of
from pipeline.report.standings import Standings, standings_of
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.json_record import ShortId
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES
from retrieval.types import Chunk

State = Literal["held", "warned", "failed", "not judged"]


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The verdict on one rule. Key: rule."""

    rule: str
    says: str
    """The proposition of the rule."""
    blocks: bool
    state: State
    against: tuple[str, ...]
    """The objections, a sentence each."""
    note: str = ""
    """The basis of the judgement, or why there is none, if that is not obvious."""


def verdicts_of(home: Home, snapshot: Snapshot, evaluation: Evaluation, history: History) -> tuple[RuleVerdict, ...]:
    """Judge a snapshot by every rule of the gate, in the order of the gate."""
    contents = SnapshotContents(snapshot, lambda: _library_ids(home))
    verdicts = [_verdict(rule, rule.reasons(contents)) for rule in SNAPSHOT_RULES]
    if evaluation.experiment is None:
        return (*verdicts, *(_unjudged(rule, "no questions were given") for rule in SCORE_RULES))
    candidate = _of_shipped(evaluation.experiment)
    stale = tuple(map(str, evaluation.stale))
    for rule in SCORE_RULES:
        before, note = _compared_with(rule, home, snapshot.id, candidate, history)
        if rule.against is not None and before is None:
            verdicts.append(_unjudged(rule, note))
        else:
            verdicts.append(_verdict(rule, rule.reasons(Scores(candidate, before, before, stale)), note))
    return tuple(verdicts)


def _compared_with(
    rule: Rule[Scores], home: Home, snapshot: str, candidate: Experiment, history: History
) -> tuple[Experiment | None, str]:
    """Return the experiment that the rule compares the candidate with, and a note on it."""
    if rule.against is None:
        return None, ""
    return (
        _scored_before(home, snapshot, candidate, history)
        if rule.against == "live"
        else _best_kept(home, snapshot, candidate)
    )


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


def _scored_before(home: Home, snapshot: str, candidate: Experiment, history: History) -> tuple[Experiment | None, str]:
    """Return the experiment on the live snapshot, or on the one scored before if the candidate is live, and a note."""
    live = live_id(home.root)
    if live is not None and live != snapshot:
        rows: Sequence[ScoredQuestion] = kept_rows(home, live, {(row.set, row.split) for row in candidate.rows})
        other, note = live, f"compared with {live}, which is live"
    elif history.change is not None:
        rows, other = history.rows_before, history.change.before
        note = f"compared with {other}, which was scored before it"
    else:
        return None, "nothing was scored before it"
    candidate_keys = {row.key for row in candidate.rows if row.gold}
    if not any(row.key in candidate_keys for row in rows if row.gold):
        return None, f"{other} was asked none of these questions"
    return Experiment(other, tuple(rows), (), (), ()), note


def _best_kept(home: Home, snapshot: str, candidate: Experiment) -> tuple[Experiment | None, str]:
    sets = {(row.set, row.split) for row in candidate.rows}
    kept = {name: kept_rows(home, name, sets) for name in kept_rivals(home, snapshot)}
    best = best_of(candidate.rows, kept)
    if best is None:
        return None, "no other snapshot that was scored with the same questions is kept"
    return Experiment(best, tuple(kept[best]), (), (), ()), f"compared with {best}, the best of those that are kept"


@dataclass(frozen=True, slots=True)
class Header:
    """The facts at the top of the page. Key: snapshot."""

    library: str
    """The last two parts of its path, which identify it without naming a machine."""
    books: tuple[BookEntry, ...]
    snapshot: str
    built: datetime | None
    """UTC; None on a page without times."""
    live: str | None
    """The live snapshot when the page was made; this one, another one, or None."""
    n_chunks: int
    n_tables: int
    n_guarded_tables: int
    """Number of tables with at least one row that has a predicate."""
    n_guarded: int
    """Number of chunks with a predicate."""
    embedder: str
    strategy: str
    """The strategy of the home's searches unless a command names another one."""
    question_files: tuple[str, ...]
    home_option: str
    """The option by which a command finds this home, quoted for a shell; empty for a home with the default name."""

    @property
    def is_live(self) -> bool:
        """Whether readers get this snapshot."""
        return self.live == self.snapshot


def header_of(home: Home, snapshot: Snapshot, *, times: bool) -> Header:
    """Return the header of a page about one snapshot of a home."""
    manifest = snapshot.manifest
    library = home.settings.library
    return Header(
        library="/".join(library.parts[-2:]) if library else "unknown",
        books=tuple(book_entries(home).values()),
        snapshot=snapshot.id,
        built=built_at(home, snapshot.id) if times else None,
        live=live_id(home.root),
        n_chunks=manifest.n_chunks,
        n_tables=manifest.n_tables,
        n_guarded_tables=len({chunk.table_id for chunk in snapshot.chunks if chunk.query_must and chunk.table_id}),
        n_guarded=manifest.n_guarded + manifest.n_keyed,
        embedder=f"{manifest.embedder.name}, {manifest.embedder.dimensions} dimensions",
        strategy=home.settings.strategy,
        question_files=tuple(path.name for path in home.settings.questions),
        home_option=home.option,
    )


@dataclass(frozen=True, slots=True)
class ExpandedGold:
    """Scores of a strategy if chunks one edge away from the gold count as gold too. Key: strategy."""

    strategy: str
    n: int
    added: float
    """Mean number of chunks added to a question's gold."""
    mrr: float
    mrr_expanded: float
    hit_at_1: float
    hit_at_1_expanded: float

    @property
    def delta(self) -> float:
        """The gain of `mrr`; never below 0."""
        return self.mrr_expanded - self.mrr


def neighbours_of(gold: Sequence[str], snapshot: Snapshot) -> frozenset[str]:
    """Return the chunks one edge away from the gold; rows of the gold's own table are never among them."""
    places = np.asarray(snapshot.chunks.positions(list(gold)), dtype=np.int64)
    _, nodes = snapshot.graph.neighbours(places)
    chunks = (int(node) for node in nodes if node < snapshot.graph.n_chunks)
    return frozenset(snapshot.chunks.id_at(chunk) for chunk in chunks) - set(gold)


def expanded_gold_of(scores: Evaluation, snapshot: Snapshot) -> tuple[ExpandedGold, ...]:
    """Return the headline scores of every strategy with and without expanded gold."""
    rows = [row for row in scores.headline_rows() if row.gold]
    added: dict[tuple[str, ...], frozenset[str]] = {}
    expanded = []
    for name in dict.fromkeys(row.strategy for row in rows):
        own = [row for row in rows if row.strategy == name]
        for row in own:
            added.setdefault(row.gold, neighbours_of(row.gold, snapshot))
        wide = [_first(row.deep_chunk_ids, added[row.gold].union(row.gold)) for row in own]
        narrow = [_first(row.deep_chunk_ids, row.gold) for row in own]
        expanded.append(
            ExpandedGold(
                name,
                len(own),
                fmean(len(added[row.gold]) for row in own),
                *(fmean(1 / rank if rank else 0.0 for rank in ranks) for ranks in (narrow, wide)),
                *(fmean(rank == 1 for rank in ranks) for ranks in (narrow, wide)),
            )
        )
    return tuple(expanded)


def _first(ranking: Sequence[str], wanted: frozenset[str] | Sequence[str]) -> int:
    return next((rank for rank, name in enumerate(ranking, start=1) if name in wanted), 0)


@dataclass(frozen=True, slots=True)
class Report:
    """The newest snapshot of a home, judged. Without questions there are no standings, outcomes and exclusions."""

    header: Header
    evaluation: Evaluation
    standings: Standings | None
    exclusions: tuple[Exclusion, ...]
    history: History
    verdicts: tuple[RuleVerdict, ...]
    outcomes: tuple[Outcome, ...]
    short_id: ShortId
    """Shortens a chunk's id as commands do."""
    relaxation: Relaxation
    """Relaxation of the conditions that questions state."""
    expanded_gold: tuple[ExpandedGold, ...] = ()
    """Empty unless requested."""


def report_of(
    home: Home, *, times: bool = True, expand_gold: bool = False, progress: Progress = lambda *_: None
) -> Report:
    """Gather the report on the candidate of a home: the newest snapshot, live or not.

    Scores stored in the home are read. Whatever was never scored, or was scored by other code, is scored first.

    Args:
        times: whether to include milliseconds and dates; without them the same contents give the same report.
        progress: called with the number of finished rankings and their total.

    Raises:
        NothingLiveError: the home has no built snapshot.
        EvaluationError: the questions cannot be used.
    """
    retriever = Retriever.open(home.root, home.candidate)
    with retriever.snapshot as snapshot:
        strategies = tuple(STRATEGIES.values())
        scores = evaluate(snapshot, retriever.embedder, home.settings.questions, strategies, home.evaluations)
        rows = scores.experiment.rows if scores.experiment else ()
        failed = failures(rows, Relatives.of(tuple(snapshot.chunks)), snapshot.canonical_of)
        headline = set(map(id, scores.headline_rows()))
        history = history_of(home, snapshot, scores)
        return Report(
            header=header_of(home, snapshot, times=times),
            evaluation=scores,
            standings=standings_of(scores, [failure for failure in failed if id(failure.row) in headline], times=times)
            if rows
            else None,
            exclusions=exclusions_of(rows, retriever),
            history=history,
            verdicts=verdicts_of(home, snapshot, scores, history),
            outcomes=outcomes_of(rows, failed, retriever, progress),
            short_id=snapshot.chunks.short_id,
            relaxation=relaxation(retriever, scores),
            expanded_gold=expanded_gold_of(scores, snapshot) if expand_gold else (),
        )
