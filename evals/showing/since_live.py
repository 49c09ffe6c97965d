"""The candidate beside what readers have now, on the questions that both were asked."""

from collections.abc import Iterable
from dataclasses import dataclass

from evals.evaluation import SHIPPED, Evaluation
from evals.judging.other_index import live_scores
from evals.scored_questions import ScoredQuestion, ScoreStore
from retrieval.home import Home

_Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class SinceLive:
    """`mrr` of one strategy on the candidate and on what is live, over the same questions."""

    n: int
    candidate: float
    live: float

    @property
    def delta(self) -> float:
        """Candidate minus live; above 0 the candidate is better."""
        return self.candidate - self.live


def since_live(home: Home, candidate: Evaluation) -> dict[str, SinceLive]:
    """Each strategy against what it did on what is live; other ones than `default` as they were scored then.

    A strategy without a shared question is not there.
    """
    live = live_scores(home).evaluation
    if live is None:
        return {}
    store, found = ScoreStore(home.evaluations), {}
    for name in dict.fromkeys(row.strategy for row in candidate.headline_rows()):
        before = _mrr(live.rows(name) if name == SHIPPED else store.kept(live.snapshot, name))
        now = _mrr(row for row in candidate.headline_rows() if row.strategy == name)
        shared = [key for key in now if key in before]
        if shared:
            found[name] = SinceLive(
                len(shared), *(sum(each[key] for key in shared) / len(shared) for each in (now, before))
            )
    return found


def _mrr(rows: Iterable[ScoredQuestion]) -> dict[_Key, float]:
    return {(row.set, row.split, row.question_id, row.query): row.values["mrr"] for row in rows if "mrr" in row.values}
