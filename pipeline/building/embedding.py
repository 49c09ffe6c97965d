"""Keep a book's vectors in step with its chunks: embed what is new, reuse the rest, count what left."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.atomic_files import write_atomically
from retrieval.index.embedding.embedding_store import EmbeddingStore, text_key
from retrieval.index.embedding.embedding_text import embedding_key, embedding_text
from retrieval.types import Chunk, Embedder, Vector

BATCH = 1024


@dataclass(frozen=True, slots=True)
class EmbeddingTally:
    """What one pass over a book's chunks did; chunks that say the same count once."""

    n_embedded: int
    n_reused: int
    n_deleted: int
    """Keys of the pass before that the book no longer has."""


def embed_chunks(store: EmbeddingStore, embedder: Embedder, chunks: Sequence[Chunk], ledger: Path) -> EmbeddingTally:
    """Embed the chunks that the store lacks, in batches, and remember in `ledger` which keys the book has.

    A pass that is killed loses at most one batch: the store keeps each batch before the next begins.
    """
    n_embedded = embed_missing(store, embedder, chunks)
    keys = {text_key(embedding_key(chunk)).hex() for chunk in chunks}
    before = known_keys(ledger)
    write_atomically(ledger, "\n".join(sorted(keys)))
    return EmbeddingTally(n_embedded, len(keys) - n_embedded, len(before - keys))


def embed_missing(
    store: EmbeddingStore,
    embedder: Embedder,
    chunks: Sequence[Chunk],
    tell: Callable[[str, int, int], None] = lambda *_: None,
) -> int:
    """Embed the chunks that the store lacks, in batches; how many that were. `tell` is called before each batch."""
    texts = {embedding_key(chunk): embedding_text(chunk) for chunk in chunks}
    missing = store.missing(list(texts))
    for start in range(0, len(missing), BATCH):
        tell("embedding", start, len(missing))
        batch = missing[start : start + BATCH]
        store.add(batch, embedder.embed([texts[key] for key in batch]))
    return len(missing)


def vectors_of(store: EmbeddingStore, chunks: Sequence[Chunk]) -> Vector:
    """(len(chunks), dimensions): the vectors that the store has of these chunks. Raises IndexCorruptError."""
    return store.get([embedding_key(chunk) for chunk in chunks])


def known_keys(ledger: Path) -> set[str]:
    """The keys of the pass before, as hex. A damaged ledger has none: the store itself says what is missing."""
    try:
        return set(ledger.read_text(encoding="ascii").split())
    except (FileNotFoundError, UnicodeDecodeError):
        return set()
