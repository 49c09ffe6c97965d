"""A chunk that says nothing: tests replace what they are about. And an index of a few chunks."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Embedder

EMPTY = Chunk(
    id="", book="b", document="d", kind="prose", text="", search_text="", source="", lines=(1, 1), heading_path=()
)


@contextmanager
def indexed(
    folder: Path, chunks: Sequence[Chunk], embedder: Embedder, vocabulary: Vocabulary | None = None
) -> Iterator[Retriever]:
    """A retriever over these chunks, in an index of their own."""
    vectors = embedder.embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(folder, chunks, vectors, embedder.identity, vocabulary or Vocabulary.default())
    with open_snapshot(folder, manifest.id) as snapshot:
        yield Retriever(snapshot, embedder)
