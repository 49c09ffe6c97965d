"""One row for each question and strategy."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.questions.questions import QuestionKey


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """The results of one strategy for one question. Key: (set, split, strategy, question_id) within a snapshot."""

    set: str
    split: str
    strategy: str
    question_id: str
    book: str
    """Empty if the question is about no book in particular."""
    kind: str
    query: str
    gold: tuple[str, ...]
    """Gold chunk ids; empty if the library holds no answer."""
    chunk_ids: tuple[str, ...]
    """The ranking requested with k = 15."""
    deep_chunk_ids: tuple[str, ...]
    """The ranking requested with k = 100."""
    deep_scores: tuple[float, ...]
    excluded_gold: tuple[str, ...]
    """Gold chunks that the filter excluded, in id order."""
    unfiltered_noise: float | None
    """`noise@15` of the same strategy without query_must; None if it has no such counterpart."""
    unfiltered_guarded_noise: float | None
    """The part of `unfiltered_noise` that has a predicate, so that a filter can remove it."""
    unfiltered_recall: float | None
    """`recall@10` of the same strategy without query_must."""
    why: str
    """One line that states where the gold was."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Metric name to value; a metric that does not apply to this question is absent."""
    milliseconds: float = field(default=0.0, compare=False)
    """Wall time of the k = 15 retrieval."""

    @property
    def key(self) -> QuestionKey:
        """The key of the question, which is the same for all strategies."""
        return (self.set, self.split, self.question_id, self.query)

    @property
    def gold_rank(self) -> int | None:
        """The 1-based rank of the first gold chunk; None if it is not among the first 100 or there is no gold."""
        reciprocal = self.values.get("mrr", 0.0)
        return round(1 / reciprocal) if reciprocal else None
