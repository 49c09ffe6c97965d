"""querymust itself, through its public names, with three of its strategies."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from retrieval import Answerer, Retriever, Vocabulary, build_snapshot, promote
from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_missing, vectors_of
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.types import Embedder
from tools.benchmark.system import Passage, Statement


class Querymust:
    """An index as `querymust build` makes it, without Dagster around it and without scoring."""

    name: ClassVar[str]
    about: ClassVar[str]
    setup = "An index for each book as `querymust build` makes it. A row is shown as the JSON object of its cells."
    packages = ("querymust",)

    def index(self, book: Path, folder: Path, embedder: Embedder) -> None:
        """Read, chunk, embed and promote."""
        (library_book,) = list_books(book)
        vocabulary = Vocabulary.default()
        chunks = chunks_of_book(read_book(library_book), vocabulary)
        store = EmbeddingStore(folder / "embeddings", embedder.identity)
        embed_missing(store, embedder, chunks, lambda *_: None)
        manifest = build_snapshot(folder, chunks, vectors_of(store, chunks), embedder.identity, vocabulary)
        promote(folder, manifest.id)
        self._home = folder
        self._retriever = Retriever.open(folder)

    def search(self, question: str, k: int) -> Sequence[Passage]:
        """The text of each chunk, with its lines, because a row is rewritten."""
        hits = self._retriever.retrieve(question, k, self.name).hits
        return [Passage(hit.chunk.text, hit.chunk.document, hit.chunk.lines) for hit in hits]


class Default(Querymust):
    """What ships; it also answers."""

    name = "default"
    about = "querymust as it ships: predicates, BM25 and vectors, re-ranked by a LambdaMART model."

    @cached_property
    def _answerer(self) -> Answerer:
        return Answerer(self._home, how="read")

    def answer(self, question: str) -> Statement | None:
        """The cells or sentences that are read from the hits."""
        answer = self._answerer.answered(question)
        return Statement("; ".join(cell.text for cell in answer.cells), answer.is_certain) if answer.cells else None


class Bm25(Querymust):
    """The lexical leg alone."""

    name = "bm25"
    about = "querymust's rows and passages, ranked by BM25 alone, without predicates and re-ranking."


class Hybrid(Querymust):
    """Two legs, fused."""

    name = "hybrid"
    about = "querymust's rows and passages, ranked by BM25 and vectors together, without predicates and re-ranking."
