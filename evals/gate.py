"""The gate: its rules, the snapshot that a candidate is compared with, and a decision with reasons.

`RULES` is the one list: Dagster's checks are made from it, `decide` judges by it, and `live_index` asks Dagster for the
checks of those that block. A new rule is one entry and its judge.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from evals.aggregates import ALL, Aggregate
from evals.evaluation import SHIPPED, Evaluation, evaluation_of
from evals.experiment import Experiment
from evals.noise import NOISE
from evals.non_inferiority import MARGIN, paired_changes
from evals.scored_questions import ScoredQuestion
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.index.snapshot.live import SNAPSHOTS, live_id, live_since_choice
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.strategies import STRATEGIES

Evidence = TypeVar("Evidence")

_NAMED = 10


@dataclass(frozen=True, slots=True)
class Objection:
    """One objection to a rule."""

    message: str
    strategy: str = ALL
    """Name, or `*` if no strategy is at fault."""
    question_ids: tuple[str, ...] = ()
    only_warns: bool = False
    """True: this one does not block, though its rule may."""

    def __str__(self) -> str:
        shown = ", ".join(self.question_ids[:_NAMED])
        more = len(self.question_ids) - _NAMED
        questions = f" ({shown}{f' and {more} more' if more > 0 else ''})" if shown else ""
        return ("" if self.strategy == ALL else f"{self.strategy}: ") + self.message + questions


@dataclass(frozen=True, slots=True)
class Reason:
    """An objection under the name of its rule; `str(reason)` says all of it."""

    rule: str
    objection: Objection
    blocks: bool

    def __str__(self) -> str:
        return f"{self.rule}: {self.objection}"


@dataclass(frozen=True, slots=True)
class Rule(Generic[Evidence]):
    """A proposition about a candidate. Key: name, which is also that of its Dagster check."""

    name: str
    says: str
    """One sentence: what holds when the rule holds."""
    asset: str
    """Whose check it is: what has to be materialized before it can be judged."""
    judge: Callable[[Evidence], Iterable[Objection]]
    blocks: bool = True
    """False: it only warns."""
    against: Literal["live", "best"] | None = None
    """The other index that the judge looks at: what is live, or the best that was live. None: it needs none."""
    measures: Callable[[Evidence], Mapping[str, float]] = lambda _: {}
    """Numbers that its check reports besides; the same names for all evidence."""

    def reasons(self, evidence: Evidence) -> tuple[Reason, ...]:
        """Every objection to the rule; empty where it holds."""
        return tuple(
            Reason(self.name, objection, self.blocks and not objection.only_warns) for objection in self.judge(evidence)
        )


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What the gate asks for besides no gold excluded."""

    evaluability: float = 0.95
    """Least share of the questions with gold whose every anchor resolves, in every set."""
    margin: float = MARGIN
    """A loss of `mrr` that is let through; `paired_changes` says how small sets of questions are judged."""


@dataclass(frozen=True, slots=True)
class SnapshotContents:
    """What a rule about a snapshot judges."""

    snapshot: Snapshot
    wanted: Callable[[], frozenset[str]]
    """Ids of the library's chunks; called only by the rules that need them, because it reads the whole library."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What a rule about scores judges."""

    candidate: Experiment
    live: Experiment | None = None
    """None: nothing is live, or nothing that was asked the same."""
    best: Experiment | None = None
    """The best snapshot that was live and is kept. None: that is what is live, or nothing was asked the same."""
    stale: tuple[str, ...] = ()
    """Gold that is no longer found in the snapshot, a sentence for each anchor."""
    thresholds: Thresholds = Thresholds()


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Whether the candidate may go live, and everything that was found against it."""

    passed: bool
    reasons: tuple[Reason, ...]
    """Those that block and those that only warn, in the order of the rules."""


def decide(candidate: Experiment, live: Experiment | None, thresholds: Thresholds = Thresholds()) -> GateDecision:
    """Judge a candidate's scores by every rule about scores.

    Args:
        candidate: its experiment.
        live: that of the live index; None: nothing is live yet.
        thresholds: what the rules ask for.
    """
    evidence = Scores(candidate, live, thresholds=thresholds)
    reasons = tuple(reason for rule in SCORE_RULES for reason in rule.reasons(evidence))
    return GateDecision(not any(reason.blocks for reason in reasons), reasons)


def _damaged(contents: SnapshotContents) -> Iterator[Objection]:
    yield from map(Objection, contents.snapshot.faults())


def _incomplete(contents: SnapshotContents) -> Iterator[Objection]:
    chunks = contents.snapshot.chunks
    wanted, made = contents.wanted(), set(map(chunks.id_at, range(len(chunks))))
    for chunk_id in sorted(wanted - made):
        yield Objection(f"chunk {chunk_id} is missing")
    for chunk_id in sorted(made - wanted):
        yield Objection(f"chunk {chunk_id} is no book's")


def _stale(scores: Scores) -> Iterator[Objection]:
    floor = scores.thresholds.evaluability
    for aggregate in _whole(scores.candidate.aggregates, "evaluability"):
        if aggregate.value is None or aggregate.value < floor:
            labels = (aggregate.set, aggregate.split)
            stale = tuple(
                question.question_id
                for question in scores.candidate.unscored
                if (question.set, question.split) == labels
            )
            share = f"{aggregate.value or 0:.3f} of set {aggregate.set}, split {aggregate.split}, is below {floor:.3f}"
            yield Objection(f"evaluability {share}: gold is stale", question_ids=stale)
    for sentence in scores.stale:
        yield Objection(sentence, only_warns=True)


def _excluding(scores: Scores) -> Iterator[Objection]:
    for strategy in scores.candidate.strategies:
        rows = [row for row in scores.candidate.rows if row.strategy == strategy and row.excluded_gold]
        if rows:
            count = sum(len(row.excluded_gold) for row in rows)
            message = (
                f"the filter excluded {count} gold {'chunk' if count == 1 else 'chunks'}; false_exclusions must be 0"
            )
            yield Objection(message, strategy, tuple(row.question_id for row in rows))


def _worse_than_live(scores: Scores) -> Iterator[Objection]:
    return _worse(scores, scores.live, "live")


def _worse_than_best(scores: Scores) -> Iterator[Objection]:
    return _worse(scores, scores.best, "the best snapshot kept")


def _worse(scores: Scores, other: Experiment | None, name: str) -> Iterator[Objection]:
    if other is None:
        return
    changes = paired_changes(scores.candidate.rows, other.rows, scores.thresholds.margin)
    if not changes:
        yield Objection(f"it and {name} have no scored question and strategy in common; score both again")
    for change in changes:
        if change.verdict == "worse":
            yield Objection(f"mrr is below that of {name}, {change}", change.strategy, change.lost)


def _noisy(scores: Scores) -> Iterator[Objection]:
    for aggregate in _whole(scores.candidate.aggregates, "noise_reduction"):
        labels = (aggregate.set, aggregate.split, aggregate.strategy)
        rows = [row for row in scores.candidate.rows if (row.set, row.split, row.strategy) == labels]
        removable = sum(row.unfiltered_guarded_noise or 0.0 for row in rows)
        if aggregate.value is not None and (aggregate.value < 0 or (aggregate.value == 0 and removable)):
            noisy = [row.question_id for row in rows if row.values[NOISE] >= (row.unfiltered_noise or 0.0) > 0]
            message = (
                f"noise_reduction is {aggregate.value:.3f} in set {aggregate.set}, split {aggregate.split}, "
                f"where {removable:.0f} guarded chunks were noise without the filter; it must be above 0"
            )
            yield Objection(message, aggregate.strategy, tuple(noisy))


def _whole(aggregates: Iterable[Aggregate], metric: str) -> list[Aggregate]:
    return [
        aggregate for aggregate in aggregates if aggregate.metric == metric and aggregate.book == aggregate.kind == ALL
    ]


SNAPSHOT_RULES: tuple[Rule[SnapshotContents], ...] = (
    Rule(
        "snapshot_is_whole",
        "Counts agree, and every file is as the build wrote it.",
        "candidate_index",
        _damaged,
        measures=lambda contents: {"n_files": len(contents.snapshot.manifest.files)},
    ),
    Rule(
        "snapshot_holds_every_chunk",
        "The candidate has the library's chunks, no more and no fewer.",
        "candidate_index",
        _incomplete,
        measures=lambda contents: {"n_chunks": len(contents.snapshot)},
    ),
)

GOLD_RESOLVES: Rule[Scores] = Rule(
    "gold_resolves",
    "Every gold anchor is in the candidate. Below the floor nothing goes live; above it the check only warns.",
    "leaderboard",
    _stale,
)
"""Looks at no ranking, so that a build can ask it before anything is scored."""

SCORE_RULES: tuple[Rule[Scores], ...] = (
    GOLD_RESOLVES,
    Rule(
        "no_false_exclusions", "No predicate keeps the gold of a question out of what ships.", "leaderboard", _excluding
    ),
    Rule(
        "not_worse_than_live",
        "On the questions that both can be asked, those of people and generated ones apart, over all and in each book, "
        f"the mrr of what ships is less than {MARGIN} below what is live: the 95 % interval of the paired difference "
        "says so, or the loss is neither beyond chance nor more than a harmless change moves. All of these share one "
        "level: a library of many books is not refused more often.",
        "leaderboard",
        _worse_than_live,
        against="live",
    ),
    Rule(
        "not_worse_than_best_kept",
        "The same against the best snapshot that was live and is kept, so that many small losses do not add up. What "
        "was live before the last rollback, or before the last promotion by force, does not count.",
        "leaderboard",
        _worse_than_best,
        against="best",
    ),
    Rule(
        "query_must_lessens_noise",
        "Where guarded siblings of the right row crowd the results, the filter of what ships leaves fewer of them. "
        "It only warns: the one guarded row among the results of a book with few may be one that the question "
        "admits.",
        "leaderboard",
        _noisy,
        blocks=False,
    ),
)

RULES: tuple[Rule[Any], ...] = (*SNAPSHOT_RULES, *SCORE_RULES)
"""Everything that a candidate is judged by, in the order in which it is reported."""


@dataclass(frozen=True, slots=True)
class OtherScores:
    """What is known of the scores of another index, with the questions of today."""

    evaluation: Evaluation | None
    """None: there is no such index, or it cannot be read."""
    note: str = ""
    """Why there is nothing to compare with, where that is not plain."""

    def on_questions_of(self, candidate: Evaluation) -> Experiment | None:
        """Its experiment; None where it and the candidate were asked no question with gold in common."""
        if self.evaluation is None or self.evaluation.experiment is None:
            return None
        shared = _gold_keys(candidate.rows(SHIPPED)) & _gold_keys(self.evaluation.rows(SHIPPED))
        return self.evaluation.experiment if shared else None


def live_scores(home: Home) -> OtherScores:
    """Scores of `default` on what is live; what was scored before is read."""
    try:
        live = live_id(home.root)
        # Of a book that is new, live can be asked nothing; of all others it can.
        return OtherScores(evaluation_of(home, live, STRATEGIES[SHIPPED], foreign=True) if live is not None else None)
    except RetrievalError as error:
        return OtherScores(None, f"what is live cannot be read, by readers neither, so nothing is worse: {error}")


def best_kept_scores(home: Home, candidate: Evaluation) -> OtherScores:
    """Scores of `default` on the best snapshot that readers had and that is kept, without what is live."""
    scored: dict[str, Evaluation] = {}
    for name in kept_rivals(home, candidate.snapshot):
        try:
            scored[name] = evaluation_of(home, name, STRATEGIES[SHIPPED], foreign=True)
        except RetrievalError:
            continue  # of an older version of this program, or damaged: nobody can go back to it either
    best = best_of(candidate.rows(SHIPPED), {name: evaluation.rows(SHIPPED) for name, evaluation in scored.items()})
    if best is None:
        return OtherScores(None, "no snapshot besides what is live is kept that was asked the same")
    return OtherScores(scored[best])


def kept_rivals(home: Home, candidate: str) -> tuple[str, ...]:
    """The snapshots that were live since a person last chose one and are still there, the last first.

    Neither the candidate nor what is live.
    """
    known = live_since_choice(home.root)
    present = (name for name in known if (home.root / SNAPSHOTS / name).is_dir())
    return tuple(name for name in present if name not in {candidate, live_id(home.root)})


def best_of(candidate: Sequence[ScoredQuestion], others: Mapping[str, Sequence[ScoredQuestion]]) -> str | None:
    """Whom the candidate is furthest behind by `mrr`, or least ahead of, over the questions that both were asked.

    Questions of people count before generated ones. Of equal ones the first; None where nobody was asked the same.
    """
    differences: dict[str, float] = {}
    for name, rows in others.items():
        whole = {change.split: change.difference for change in paired_changes(candidate, rows) if change.book == ALL}
        if whole:
            differences[name] = whole.get("people", next(iter(whole.values())))
    return min(differences, key=lambda name: differences[name], default=None)


def _gold_keys(rows: Iterable[ScoredQuestion]) -> set[tuple[str, str, str]]:
    return {(row.set, row.split, row.question_id) for row in rows if row.gold}
