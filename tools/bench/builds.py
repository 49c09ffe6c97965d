"""Is every first build of a book a live index? Chroma's graphs are another each time, so a book is built many times."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrieval.errors import IndexCorruptError
from retrieval.files.clock import Clock
from retrieval.index.chroma.soundness import NeighbourSearch
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.graph_building import build_graph
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import BookFolder, list_books
from retrieval.language.terms import tokenizer
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Embedder
from tools.corpora.indexes import Tell


@dataclass(frozen=True, slots=True)
class BookBuilds:
    """What became of the first builds of one book."""

    book: str
    chunks: int
    builds: int
    live: int
    """Whose every check held, so that they went live."""
    deaf_at_first: int
    """Whose graphs were built again."""
    deaf_at_last: int
    """Whose graphs were given up; searches compare every vector."""
    exact: int
    """Whose searches compare every vector, for that or because the book is small."""
    least_ann_recall: float
    """Of the graphs that were kept."""
    seconds_p50: float
    """Of one build without reading and embedding."""


@dataclass(frozen=True, slots=True)
class BuildsReport:
    """All books of a folder."""

    books: tuple[BookBuilds, ...]

    def lines(self) -> Iterator[str]:
        """A line a book."""
        for book in self.books:
            yield (
                f"{book.book}: {book.live} of {book.builds} first builds live ({book.chunks} chunks); "
                f"graphs built again {book.deaf_at_first}, given up {book.deaf_at_last}, exact search {book.exact}, "
                f"least ANN recall {book.least_ann_recall:.4f}; {book.seconds_p50:.1f} s a build"
            )


@dataclass(frozen=True, slots=True)
class _Outcome:
    search: NeighbourSearch
    live: bool
    seconds: float


def run_builds(library: Path, times: int, embedder: Embedder, tell: Tell) -> BuildsReport:
    """Build every book of a library as often, each time in a folder of its own.

    What is the same each time (text, rows, vectors, words, graph of references) is made once.

    Raises:
        LibraryError: the folder holds no book.
    """
    return BuildsReport(tuple(_builds(book, times, embedder, tell) for book in list_books(library)))


def _builds(folder: BookFolder, times: int, embedder: Embedder, tell: Tell) -> BookBuilds:
    vocabulary = Vocabulary.default()
    chunks = sorted(chunks_of_book(read_book(folder), vocabulary), key=lambda chunk: chunk.id)
    vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
    tokenize = tokenizer(vocabulary)
    lexical = LexicalIndex.build([chunk.search_text for chunk in chunks], tokenize)
    graph = build_graph(chunks, vectors, vocabulary, tokenize)
    outcomes = []
    for number in range(times):
        tell(folder.slug, number, times)
        with tempfile.TemporaryDirectory() as home:

            def build(home: Path = Path(home)) -> Manifest:
                return build_snapshot(
                    home, chunks, vectors, embedder.identity, vocabulary, lexical=lexical, graph=graph
                )

            outcomes.append(_outcome(Path(home), build))
    searches = [outcome.search for outcome in outcomes]
    return BookBuilds(
        book=folder.slug,
        chunks=len(chunks),
        builds=times,
        live=sum(outcome.live for outcome in outcomes),
        deaf_at_first=sum(search.builds > 1 for search in searches),
        deaf_at_last=sum(bool(search.faults) for search in searches),
        exact=sum(search.exact for search in searches),
        least_ann_recall=min((search.ann_recall for search in searches if search.ann_recall is not None), default=1.0),
        seconds_p50=round(float(np.median([outcome.seconds for outcome in outcomes])), 2),
    )


def _outcome(home: Path, build: Callable[[], Manifest]) -> _Outcome:
    clock = Clock()
    snapshot_id = build().id
    with open_snapshot(home, snapshot_id) as snapshot:
        faults, search = verify_snapshot(snapshot), snapshot.neighbour_search
    if search is None:
        raise IndexCorruptError(f"the build of {snapshot_id} did not say how its neighbours are found")
    if not faults:
        promote(home, snapshot_id)
    return _Outcome(search, live_id(home) == snapshot_id, clock.seconds)
