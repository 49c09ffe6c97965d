"""One question, one strategy: from what was retrieved to a row of numbers."""

from dataclasses import dataclass

from evals.metrics import DEPTH, SHOWN, STANDARD, Judgement, Metric
from evals.noise import (
    NOISE,
    Admits,
    AnswerSimilarity,
    Relatives,
    cross_book_contamination,
    excluded_gold,
    guarded_noise,
    lost_gold,
    no_answer_accuracy,
    noise,
    refused_gold,
    wrong_row,
)
from evals.questions.answers import Groups, whole_answers
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from evals.scored_questions import ScoredQuestion
from evals.surroundings import USEFUL, Surroundings, useful
from retrieval.types import Retrieval


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what came back for it."""

    question: Question
    strategy: str
    shown: Retrieval
    """k = 15: what an assistant is given."""
    deep: Retrieval
    """k = 100: for metrics that look further down than 15, and to see what a filter lost."""
    milliseconds: float
    """Wall time of `shown`."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Everything but the retrieval that a row's numbers depend on."""

    relatives: Relatives
    metrics: tuple[Metric, ...] = STANDARD
    admits: Admits | None = None
    """Tells whether a question satisfies a predicate; None: only rankings and receipts show lost gold."""
    similarity: AnswerSimilarity | None = None
    """None: `answer_similarity` is not measured."""
    surroundings: Surroundings | None = None
    """None: `useful@15` is not measured."""

    def row(self, asked: Asked, questions: QuestionSet, unfiltered: ScoredQuestion | None) -> ScoredQuestion:
        """Score one question; `unfiltered` is the row of the same strategy without query_must, if it filters."""
        question = asked.question
        gold = questions.gold(question)
        excluded = self._excluded(asked, gold, questions.groups(question), unfiltered)
        deep = questions.judge(question, asked.deep.chunk_ids) if gold else None
        return ScoredQuestion(
            set=questions.name,
            split=questions.split,
            strategy=asked.strategy,
            question_id=question.id,
            book=question.book or "",
            kind=question.kind,
            query=question.query,
            gold=gold,
            chunk_ids=asked.shown.chunk_ids,
            deep_chunk_ids=asked.deep.chunk_ids,
            deep_scores=tuple(float(hit.score) for hit in asked.deep.hits),
            excluded_gold=excluded,
            unfiltered_noise=unfiltered.values[NOISE] if unfiltered else None,
            unfiltered_guarded_noise=(
                float(guarded_noise(unfiltered.chunk_ids, gold, self.relatives)) if unfiltered else None
            ),
            unfiltered_recall=unfiltered.values.get("recall@10") if unfiltered else None,
            why=_why(deep, len(asked.deep.hits), excluded),
            values=self._values(asked, questions, deep),
            milliseconds=asked.milliseconds,
        )

    def _values(self, asked: Asked, questions: QuestionSet, deep: Judgement | None) -> dict[str, float]:
        question, ranking = asked.question, asked.shown.chunk_ids
        gold = questions.gold(question)
        values: dict[str, float | None] = {NOISE: float(noise(ranking, gold, self.relatives))}
        if deep is None:
            values["no_answer_accuracy"] = no_answer_accuracy(ranking)
        else:
            shown = questions.judge(question, ranking)
            values |= {each.name: each(shown if each.depth <= SHOWN else deep) for each in self.metrics}
            values["wrong_row_rate"] = wrong_row(ranking, gold, self.relatives)
            values[USEFUL] = useful(ranking, gold, self.surroundings) if self.surroundings else None
            if question.book:
                values["cross_book_contamination"] = cross_book_contamination(ranking, question.book, self.relatives)
            if question.answer and self.similarity:
                values["answer_similarity"] = self.similarity(question.answer, ranking)
        return {name: value for name, value in values.items() if value is not None} | _of_rounds(asked.shown)

    def _excluded(
        self, asked: Asked, gold: tuple[str, ...], groups: Groups, unfiltered: ScoredQuestion | None
    ) -> tuple[str, ...]:
        found = {*excluded_gold(gold, asked.shown), *excluded_gold(gold, asked.deep)}
        if unfiltered is not None:
            found.update(lost_gold(gold, unfiltered.chunk_ids, asked.deep.chunk_ids))
            if self.admits is not None:
                found.update(refused_gold(asked.question.query, gold, self.relatives, self.admits))
        return whole_answers(found, groups, asked.deep.chunk_ids)


def _of_rounds(shown: Retrieval) -> dict[str, float]:
    """What the rounds of `iterative` took; of a search without rounds, nothing."""
    receipt = shown.receipt
    if not receipt.iterations:
        return {}
    return {"rounds": float(receipt.rounds), "excluded": float(sum(each.excluded for each in receipt.iterations))}


def _why(deep: Judgement | None, returned: int, excluded: tuple[str, ...]) -> str:
    if deep is None:
        return f"no answer exists; {returned} chunks were returned"
    ranks = deep.ranks
    found = f"gold at rank {', '.join(map(str, ranks))}" if ranks else f"no gold in the first {DEPTH}"
    missing = deep.gold - len(ranks)
    lost = f"; {missing} of {deep.gold} gold chunks not found" if ranks and missing else ""
    return found + lost + (f"; the filter excluded {', '.join(excluded)}" if excluded else "")
