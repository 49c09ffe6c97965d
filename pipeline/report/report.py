"""Everything that the report shows, gathered from a home."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evals.evaluation import SHIPPED, Evaluation, evaluate
from evals.failures import failures
from evals.noise import Relatives
from evals.relaxation import Relaxation, relaxation
from pipeline.report.header import Header, header_of
from pipeline.report.history import History, history_of
from pipeline.report.questions import Exclusion, Outcome, Progress, exclusions_of, outcomes_of
from pipeline.report.standings import Standings, standings_of
from pipeline.report.verdicts import RuleVerdict, verdicts_of
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.json_record import ShortId
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES


@dataclass(frozen=True, slots=True)
class ExpandedGold:
    """A strategy where the chunks one edge away from the gold count as gold too. Key: strategy."""

    strategy: str
    n: int
    added: float
    """Chunks that a question's gold gains, in the mean."""
    mrr: float
    mrr_expanded: float
    hit_at_1: float
    hit_at_1_expanded: float

    @property
    def delta(self) -> float:
        """How much `mrr` gains; never below 0."""
        return self.mrr_expanded - self.mrr


def neighbours_of(gold: Sequence[str], snapshot: Snapshot) -> frozenset[str]:
    """The chunks one edge away from these; rows of the gold's own table are never among them."""
    places = np.asarray(snapshot.chunks.positions(list(gold)), dtype=np.int64)
    _, result = snapshot.graph.neighbours(places)
    chunks = (int(node) for node in result if node < snapshot.graph.n_chunks)
    return frozenset(snapshot.chunks.id_at(chunk) for chunk in chunks) - set(gold)


def expanded_gold_of(scores: Evaluation, snapshot: Snapshot) -> tuple[ExpandedGold, ...]:
    """The headline scores of every strategy beside those with expanded gold.

    Args:
        scores: of the leaderboard's strategies.
        snapshot: whose graph is followed.
    """
    rows = [row for row in scores.headline_rows() if row.gold]
    added: dict[tuple[str, ...], frozenset[str]] = {}
    result = []
    for name in dict.fromkeys(row.strategy for row in rows):
        own = [row for row in rows if row.strategy == name]
        for row in own:
            added.setdefault(row.gold, neighbours_of(row.gold, snapshot))
        wide = [_first(row.deep_chunk_ids, added[row.gold].union(row.gold)) for row in own]
        narrow = [_first(row.deep_chunk_ids, row.gold) for row in own]
        result.append(
            ExpandedGold(
                name,
                len(own),
                sum(len(added[row.gold]) for row in own) / len(own),
                *(_mean([1 / rank if rank else 0.0 for rank in ranks]) for ranks in (narrow, wide)),
                *(_mean([float(rank == 1) for rank in ranks]) for ranks in (narrow, wide)),
            )
        )
    return tuple(result)


def _first(ranking: Sequence[str], wanted: frozenset[str] | Sequence[str]) -> int:
    return next((rank for rank, name in enumerate(ranking, start=1) if name in wanted), 0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


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
    """From a chunk's id to what commands call it."""
    relaxation: Relaxation
    """Of the conditions that questions state."""
    expanded_gold: tuple[ExpandedGold, ...] = ()
    """Empty where nobody asked for it."""


def report_of(
    home: Home, *, times: bool = True, expand_gold: bool = False, progress: Progress = lambda *_: None
) -> Report:
    """Gather the report on the candidate of a home: the newest snapshot, live or not.

    Scores that lie in the home are read. What was never scored, or was scored by other code, is scored first.

    Args:
        home: what to report on.
        times: milliseconds and dates too; without them two homes with the same contents give the same report.
        expand_gold: scores with expanded gold too.
        progress: told how many rankings are done.

    Raises:
        NothingLiveError: nothing was built in the home.
        EvaluationError: the questions cannot be used.
    """
    retriever = Retriever.open(home.root, home.candidate)
    with retriever.snapshot as snapshot:
        strategies = tuple(STRATEGIES.values())
        scores = evaluate(snapshot, retriever.embedder, home.settings.questions, strategies, home.evaluations)
        rows = scores.experiment.rows if scores.experiment else ()
        failed = failures(rows, Relatives.of(tuple(snapshot.chunks)), snapshot.asked)
        headline = set(map(id, scores.headline_rows()))
        history = history_of(home, snapshot, scores)
        return Report(
            header=header_of(home, snapshot, times=times),
            evaluation=scores,
            standings=standings_of(scores, [each for each in failed if id(each.row) in headline], times=times)
            if rows
            else None,
            exclusions=exclusions_of(rows, retriever),
            history=history,
            verdicts=verdicts_of(home, snapshot, scores, history),
            outcomes=outcomes_of(rows, failed, retriever, SHIPPED, progress),
            short_id=snapshot.chunks.short_id,
            relaxation=relaxation(retriever, scores),
            expanded_gold=expanded_gold_of(scores, snapshot) if expand_gold else (),
        )
