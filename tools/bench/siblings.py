"""What predicates and collapse are worth: rows of the right table among the first hits, and answers that they lose."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.metrics import SHOWN
from evals.questions.question_sets import QuestionSet
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy
from retrieval.strategy import Strategy
from retrieval.types import Embedder
from tools.corpora.indexes import Tell, asked_books

Positions = npt.NDArray[np.int64]

WAYS: Mapping[str, Strategy] = {
    "neither": replace(strategy("default-collapse"), query_must="off"),
    "predicates": strategy("default-collapse"),
    "both": strategy("default"),
}
"""What is compared: `default` with neither predicates nor collapse, with predicates alone, and with both."""


@dataclass(frozen=True, slots=True)
class SiblingQuestion:
    """What became of one question. Key: (book, id)."""

    book: str
    id: str
    n_gold: int
    """Answers in the index."""
    n_refused: int
    """Answers that predicates exclude."""
    recalled: tuple[int, ...]
    """Answers among the first hits, by each of `WAYS`."""
    is_look_up: bool
    """Whether one row of a larger table answers; what follows is 0 where it is not so."""
    has_key: bool = False
    """Whether it contains the key of that row."""
    excluded: float = 0.0
    """Share of the row's siblings that predicates exclude."""
    away: float = 0.0
    """Share that is excluded, or not among the first hits."""
    siblings: tuple[int, ...] = (0, 0, 0)
    """Siblings among the first hits, by each of `WAYS`."""


@dataclass(frozen=True, slots=True)
class SiblingRow:
    """Means over the questions of one book, or of all. Key: book."""

    book: str
    n_gold: int
    n_refused: int
    look_ups: int
    siblings: tuple[float, ...]
    """Among the first hits of a look-up, by each of `WAYS`."""
    recall: tuple[float, ...]
    """Share of all answers among the first hits, by each of `WAYS`."""
    excluded: float
    with_key: int
    """Look-ups with the key of the row."""
    key_excluded: float
    key_away: float

    @classmethod
    def of(cls, book: str, questions: Sequence[SiblingQuestion]) -> "SiblingRow":
        """At least one question."""
        look_ups = [question for question in questions if question.is_look_up]
        keyed = [question for question in look_ups if question.has_key]
        n_gold, ways = sum(question.n_gold for question in questions), range(len(WAYS))
        return cls(
            book,
            n_gold,
            sum(question.n_refused for question in questions),
            len(look_ups),
            tuple(_mean([question.siblings[way] for question in look_ups]) for way in ways),
            tuple(round(sum(question.recalled[way] for question in questions) / n_gold, 4) for way in ways),
            _mean([question.excluded for question in look_ups]),
            len(keyed),
            _mean([question.excluded for question in keyed]),
            _mean([question.away for question in keyed]),
        )

    def line(self) -> str:
        """Of a markdown table."""
        cells = [
            f"{self.n_refused} of {self.n_gold}",
            str(self.look_ups),
            *(f"{mean:.2f}" for mean in self.siblings),
            *(f"{share:.3f}" for share in self.recall),
            f"{self.excluded:.2f}",
            str(self.with_key),
            f"{self.key_excluded:.2f}",
            f"{self.key_away:.2f}",
        ]
        return f"| {self.book} | {' | '.join(cells)} |"


def _mean(values: Sequence[float]) -> float:
    """0 where there is none."""
    return round(float(np.mean(values)), 4) if values else 0.0


@dataclass(frozen=True, slots=True)
class SiblingsReport:
    """One run. Key: split."""

    split: str
    books: tuple[SiblingRow, ...]
    """The last is of all."""

    def lines(self) -> Iterator[str]:
        """A markdown table, a line for each book, and one for all."""
        ways = "".join(f" {measure}, {way} |" for measure in (f"siblings@{SHOWN}", f"recall@{SHOWN}") for way in WAYS)
        yield f"| book | answers excluded | look-ups |{ways} excluded | with the key | excluded | away |"
        yield "|---" + "|---:" * (6 + 2 * len(WAYS)) + "|"
        for row in self.books:
            yield row.line()


def run_siblings(
    home: Path, data: Path, split: str, embedder: Embedder, tell: Tell = lambda *_: None
) -> SiblingsReport:
    """Ask every book under `data` that has questions of the split.

    Raises:
        BenchmarkDataError: no book has questions of the split.
    """
    questions = [
        question
        for name, retriever, asked in asked_books(home, data, split, embedder, tell)
        for question in ask_book(name, retriever, asked)
    ]
    rows = [SiblingRow.of(book, list(some)) for book, some in groupby(questions, key=lambda question: question.book)]
    return SiblingsReport(split, (*rows, SiblingRow.of("all", questions)))


def ask_book(book: str, retriever: Retriever, questions: QuestionSet) -> Iterator[SiblingQuestion]:
    """Ask the questions of one book that have an answer in its index."""
    snapshot = retriever.snapshot
    for question in questions.scored:
        gold = snapshot.chunks.positions(sorted(questions.gold(question)))
        if not len(gold):
            continue
        query = Query.of(question.query, snapshot).among(snapshot.rivals)
        admitted = retriever.admitted(query).mask(snapshot)
        shown = [
            snapshot.chunks.positions(list(retriever.retrieve(question.query, SHOWN, way, decisions=False).chunk_ids))
            for way in WAYS.values()
        ]
        refused = int(np.count_nonzero(~admitted[gold]))
        recalled = tuple(int(np.isin(gold, first).sum()) for first in shown)
        siblings = _siblings(snapshot, gold)
        if not len(siblings):
            yield SiblingQuestion(book, question.id, len(gold), refused, recalled, is_look_up=False)
            continue
        yield SiblingQuestion(
            book,
            question.id,
            len(gold),
            refused,
            recalled,
            is_look_up=True,
            has_key=_has_key(snapshot, question.query, int(gold[0])),
            excluded=float((~admitted[siblings]).mean()),
            away=float((~admitted[siblings] | ~np.isin(siblings, shown[-1])).mean()),
            siblings=tuple(int(np.isin(siblings, first).sum()) for first in shown),
        )


def _siblings(snapshot: Snapshot, gold: Positions) -> Positions:
    """The other rows of the table, where one row answers; else none."""
    places = snapshot.chunk_tables
    if len(gold) != 1 or places.of[gold[0]] >= places.n_tables:
        return gold[:0]
    rows = places.rows[int(places.of[gold[0]])].astype(np.int64)
    siblings: Positions = rows[rows != gold[0]]
    return siblings


def _has_key(snapshot: Snapshot, question: str, row: int) -> bool:
    """Whether the question has the words of a row's key, one behind the other."""
    cut = snapshot.lexical.tokenize
    key, words = list(cut(snapshot.chunks[row].row_key or "")), list(cut(question))
    return bool(key) and any(words[start : start + len(key)] == key for start in range(len(words)))
