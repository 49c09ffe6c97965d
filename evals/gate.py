"""The gate: its rules, the snapshots with which a candidate is compared, and a decision with reasons.

`RULES` is the only list: Dagster's checks are made from it, `decide` applies it, and `live_index` requests the results
of its blocking checks from Dagster. A new rule is one entry and its judge.
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
    """Name, or `*` if it does not concern a strategy."""
    question_ids: tuple[str, ...] = ()
    only_warns: bool = False
    """Whether this objection does not block, even if its rule may."""

    def __str__(self) -> str:
        shown = ", ".join(self.question_ids[:_NAMED])
        more = len(self.question_ids) - _NAMED
        questions = f" ({shown}{f' and {more} more' if more > 0 else ''})" if shown else ""
        return ("" if self.strategy == ALL else f"{self.strategy}: ") + self.message + questions


@dataclass(frozen=True, slots=True)
class Reason:
    """An objection under the name of its rule; `str(reason)` describes it."""

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
    """One sentence that is true if the rule holds."""
    asset: str
    """The asset of its check, which must be materialized before the rule can be judged."""
    judge: Callable[[Evidence], Iterable[Objection]]
    blocks: bool = True
    """Whether it blocks instead of only warning."""
    against: Literal["live", "best"] | None = None
    """The other index for the judge: the live one, or the best that was live; None if it needs none."""
    measures: Callable[[Evidence], Mapping[str, float]] = lambda _: {}
    """Additional numbers that its check reports, with the same names for all evidence."""

    def reasons(self, evidence: Evidence) -> tuple[Reason, ...]:
        """Return every objection to the rule; empty if it holds."""
        return tuple(
            Reason(self.name, objection, self.blocks and not objection.only_warns) for objection in self.judge(evidence)
        )


EVALUABILITY_FLOOR = 0.95
"""Smallest share of questions with gold whose anchors all resolve, in every set."""


@dataclass(frozen=True, slots=True)
class SnapshotContents:
    """The evidence for rules about a snapshot."""

    snapshot: Snapshot
    wanted: Callable[[], frozenset[str]]
    """Returns the ids of the library's chunks; called only if needed, because it reads the whole library."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The evidence for rules about scores."""

    candidate: Experiment
    live: Experiment | None = None
    """None if nothing is live, or if it was not asked the same questions."""
    best: Experiment | None = None
    """The best stored snapshot that was live; None if that is the live one, or if none was asked the same questions."""
    stale: tuple[str, ...] = ()
    """Gold that is no longer found in the snapshot, a sentence for each anchor."""


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Whether the candidate may go live, and all objections to it."""

    passed: bool
    reasons: tuple[Reason, ...]
    """Reasons that block and reasons that only warn, in the order of the rules."""


def decide(candidate: Experiment, live: Experiment | None) -> GateDecision:
    """Judge a candidate's scores by every rule about scores."""
    evidence = Scores(candidate, live)
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
    for aggregate in _whole(scores.candidate.aggregates, "evaluability"):
        if aggregate.value is None or aggregate.value < EVALUABILITY_FLOOR:
            labels = (aggregate.set, aggregate.split)
            stale = tuple(
                question.question_id
                for question in scores.candidate.unscored
                if (question.set, question.split) == labels
            )
            share = f"{aggregate.value or 0:.3f} of set {aggregate.set}, split {aggregate.split},"
            message = f"evaluability {share} is below {EVALUABILITY_FLOOR:.3f}: gold is stale"
            yield Objection(message, question_ids=stale)
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
    changes = paired_changes(scores.candidate.rows, other.rows)
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
"""A rule that needs no ranking, so that a build can check it before scoring."""

SCORE_RULES: tuple[Rule[Scores], ...] = (
    GOLD_RESOLVES,
    Rule(
        "no_false_exclusions",
        "No predicate excludes the gold of a question from the results of `default`.",
        "leaderboard",
        _excluding,
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
"""All rules for a candidate, in the order in which they are reported."""


@dataclass(frozen=True, slots=True)
class OtherScores:
    """The scores of another index with the current questions."""

    evaluation: Evaluation | None
    """None if there is no such index, or if it cannot be read."""
    note: str = ""
    """Why there is nothing to compare with, unless that is obvious."""

    def on_questions_of(self, candidate: Evaluation) -> Experiment | None:
        """Return its experiment; None if it and the candidate have no question with gold in common."""
        if self.evaluation is None or self.evaluation.experiment is None:
            return None
        shared = _gold_keys(candidate.rows(SHIPPED)) & _gold_keys(self.evaluation.rows(SHIPPED))
        return self.evaluation.experiment if shared else None


def live_scores(home: Home) -> OtherScores:
    """Return the scores of `default` on the live index; stored scores are read."""
    try:
        live = live_id(home.root)
        # The live index cannot be asked about a new book, but about all others.
        return OtherScores(evaluation_of(home, live, STRATEGIES[SHIPPED], foreign=True) if live is not None else None)
    except RetrievalError as error:
        return OtherScores(None, f"the live index cannot be read, not even by readers, so nothing is worse: {error}")


def best_kept_scores(home: Home, candidate: Evaluation) -> OtherScores:
    """Return the scores of `default` on the best stored snapshot that was live, except the live one."""
    scored: dict[str, Evaluation] = {}
    for name in kept_rivals(home, candidate.snapshot):
        try:
            scored[name] = evaluation_of(home, name, STRATEGIES[SHIPPED], foreign=True)
        except RetrievalError:
            continue  # of an older version of this program, or damaged, so that a rollback to it is impossible too
    best = best_of(candidate.rows(SHIPPED), {name: evaluation.rows(SHIPPED) for name, evaluation in scored.items()})
    if best is None:
        return OtherScores(None, "no other snapshot that was scored with the same questions is kept")
    return OtherScores(scored[best])


def kept_rivals(home: Home, candidate: str) -> tuple[str, ...]:
    """Return stored snapshots that were live since a person last chose one, the most recent first.

    The candidate and the live snapshot are omitted.
    """
    known = live_since_choice(home.root)
    present = (name for name in known if (home.root / SNAPSHOTS / name).is_dir())
    return tuple(name for name in present if name not in {candidate, live_id(home.root)})


def best_of(candidate: Sequence[ScoredQuestion], others: Mapping[str, Sequence[ScoredQuestion]]) -> str | None:
    """Return the snapshot with the best `mrr` relative to the candidate, over the questions that both were asked.

    Questions of people take precedence over generated ones. Of equals, the first; None if there are no shared
    questions.
    """
    differences: dict[str, float] = {}
    for name, rows in others.items():
        whole = {change.split: change.difference for change in paired_changes(candidate, rows) if change.book == ALL}
        if whole:
            differences[name] = whole.get("people", next(iter(whole.values())))
    return min(differences, key=lambda name: differences[name], default=None)


def _gold_keys(rows: Iterable[ScoredQuestion]) -> set[tuple[str, str, str]]:
    return {(row.set, row.split, row.question_id) for row in rows if row.gold}
