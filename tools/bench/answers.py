"""Answers that are read, put beside those that people wrote, book by book."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from evals.benchmarks.books import BenchmarkDataError, LibraryBook
from evals.benchmarks.sets import benchmarks_under
from evals.fit.cells import AnsweredBook, answered
from evals.fit.corpus_index import Tell, open_index
from retrieval.rag.answering import ContextSource
from retrieval.rag.context import Gatherer
from retrieval.rag.relevance import calibration_of
from retrieval.search.retriever import Retriever
from retrieval.settings import AnswerSettings
from retrieval.types import Embedder


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """One run. Key: split, and the threshold."""

    split: str
    min_relevance: float
    books: tuple[AnsweredBook, ...]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "AnswersReport":
        """What `asdict` made of one."""
        return cls(**{**values, "books": tuple(AnsweredBook(**each) for each in values["books"])})

    def lines(self) -> Iterator[str]:
        """A markdown table, a line for each book, and one for all."""
        yield "| book | look-ups | in cells | in cells and headers | cells read | refused | unanswerable | refused |"
        yield "|---|---:|---:|---:|---:|---:|---:|---:|"
        for book in (*self.books, reduce(add, self.books)):
            yield (
                f"| {book.book} | {book.look_ups} | {_share(book.said, book.look_ups)} "
                f"| {_share(book.said_with_heads, book.look_ups)} "
                f"| {_share(book.cells, book.look_ups, 2)} | {book.refused} of {book.answerable} "
                f"| {book.unanswerable} | {book.refused_rightly} |"
            )


def run_answers(home: Path, data: Path, split: str, embedder: Embedder, tell: Tell = lambda *_: None) -> AnswersReport:
    """Ask every book under `data` that has questions of the split, with the settings that ship.

    Raises:
        BenchmarkDataError: no book has questions of the split.
    """
    settings = AnswerSettings()
    books: list[AnsweredBook] = []
    for name, corpora in benchmarks_under(data, split).corpora.items():
        for corpus in corpora:
            if not isinstance(corpus, LibraryBook):
                continue
            tell(corpus.name, len(books), 0)
            with open_index(home, name, corpus, embedder, tell) as snapshot:
                retriever = Retriever(snapshot, embedder)
                (query,) = corpus.question_sets(retriever, tuple(snapshot.chunks))
                calibration = calibration_of(snapshot.folder, embedder.identity.name)
                gatherer = Gatherer(ContextSource(retriever, calibration, "default"))
                books.append(answered(corpus.name, query, gatherer, settings.max_chunks, settings.min_relevance))
    if not books:
        raise BenchmarkDataError(f"no book under {data} has questions of the split {split!r}")
    return AnswersReport(split, settings.min_relevance, tuple(books))


def _share(part: int, whole: int, digits: int = 3) -> str:
    return f"{part / whole:.{digits}f}" if whole else "-"
