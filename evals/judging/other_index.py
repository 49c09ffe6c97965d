"""The other index that a candidate is compared with: what readers have now, or the best that they had."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evals.evaluation import SHIPPED, Evaluation, evaluation_of
from evals.experiment import Experiment
from evals.scored_questions import ScoredQuestion
from evals.statistics.aggregates import ALL
from evals.statistics.non_inferiority import paired_changes
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.index.snapshot.live import SNAPSHOTS, live_id
from retrieval.index.snapshot.live_history import live_since_choice
from retrieval.search.strategies import STRATEGIES


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
    best = best_of(candidate.rows(SHIPPED), {name: each.rows(SHIPPED) for name, each in scored.items()})
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
    found: dict[str, float] = {}
    for name, rows in others.items():
        whole = {each.split: each.difference for each in paired_changes(candidate, rows) if each.book == ALL}
        if whole:
            found[name] = whole.get("people", next(iter(whole.values())))
    return min(found, key=lambda name: found[name], default=None)


def _gold_keys(rows: Iterable[ScoredQuestion]) -> set[tuple[str, str, str]]:
    return {(row.set, row.split, row.question_id) for row in rows if row.gold}
