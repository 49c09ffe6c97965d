"""The libraries and question sets that what ships is fitted on, and the books that benchmarks ask."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from evals.benchmarks.books import BenchmarkDataError, BookCorpus, Corpus, LibraryBook, read_books
from evals.benchmarks.sets import benchmarks_under
from evals.fit.corpus_index import Tell, open_index
from evals.questions.question_sets import QuestionSet
from evals.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS, SHELF
from retrieval.ingest.library.library import list_books
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Embedder

SAMPLE = "sample"
PASSAGES = "passages"

Asked = TypeVar("Asked")
Item = TypeVar("Item")


def by_group(
    home: Path,
    corpora: Iterable[tuple[str, Corpus]],
    embedder: Embedder,
    tell: Tell,
    asked: Callable[[str, Corpus, Retriever, Sequence[Chunk]], Iterable[Asked]],
) -> dict[str, tuple[Asked, ...]]:
    """What is fitted or learned on, by the name of the corpus; one that gives nothing is no group.

    Args:
        home: the indexes are kept under it.
        corpora: those of `learned_from`.
        embedder: makes the vectors.
        tell: called as the work goes on.
        asked: from the name of a set, its corpus, a retriever over the corpus and its chunks.
    """
    groups: dict[str, tuple[Asked, ...]] = {}
    for name, corpus in corpora:
        tell(f"{name}, {corpus.name}", 0, 1)
        with open_index(home, name, corpus, embedder, tell) as snapshot:
            result = tuple(asked(name, corpus, Retriever(snapshot, embedder), tuple(snapshot.chunks)))
        if result:
            groups[corpus.name] = result
    return groups


def searched_sets(name: str, corpus: Corpus, retriever: Retriever, chunks: Sequence[Chunk]) -> list[QuestionSet]:
    """The sets of a corpus but those asked within one table, which show other candidates than a search does."""
    return [each for each in corpus.question_sets(retriever, chunks) if each.ask is None or name == PASSAGES]


def learned_from(data: Path, split: str) -> list[tuple[str, Corpus]]:
    """What is fitted and learned on, each with the name of its set: all sets under a folder, the shelf, the sample.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
    """
    (book,) = list_books(SAMPLE_LIBRARY)
    sample = BookCorpus(SAMPLE, SAMPLE, book, SAMPLE_QUESTIONS)
    result = benchmarks_under(data, split).corpora
    shelf = read_books(SHELF, "open") if SHELF.is_dir() else ()
    return [
        *((name, corpus) for name, corpora in result.items() for corpus in corpora),
        *((SHELF.name, corpus) for corpus in shelf),
        (SAMPLE, sample),
    ]


def asked_books(
    home: Path, data: Path, split: str, embedder: Embedder, tell: Tell
) -> Iterator[tuple[str, Retriever, QuestionSet]]:
    """The books under a folder of sets, one by one, each with its questions; its index is closed behind it.

    Args:
        home: the indexes are kept under it.
        data: folder with a folder for each set.
        split: which questions.
        embedder: makes the vectors.
        tell: called as the work goes on.

    Raises:
        BenchmarkDataError: no book has questions of the split.
    """
    corpora = [(name, corpus) for name, some in benchmarks_under(data, split).corpora.items() for corpus in some]
    books = [(name, corpus) for name, corpus in corpora if isinstance(corpus, LibraryBook)]
    if not books:
        raise BenchmarkDataError(f"no book under {data} has questions of the split {split!r}")
    for number, (name, book) in enumerate(books):
        tell(book.name, number, len(books))
        with open_index(home, name, book, embedder, tell) as snapshot:
            retriever = Retriever(snapshot, embedder)
            (questions,) = book.question_sets(retriever, tuple(snapshot.chunks))
            yield book.name, retriever, questions


def drawn(items: Sequence[Item], most: int, seed: int) -> list[Item]:
    """At most so many of some items, in the order in which they are drawn."""
    return random.Random(seed).sample(items, min(most, len(items)))
