"""Keep a book's vectors in step with its chunks: embed what is new, reuse the rest, count what left."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from retrieval.atomic_files import write_atomically
from retrieval.index.embedding.embedders import is_hosted
from retrieval.index.embedding.embedding_store import EmbeddingStore, text_key
from retrieval.index.embedding.embedding_text import embedding_key, embedding_text
from retrieval.types import Chunk, Embedder, Vector

BATCH = 64
"""Texts between two looks at how far an embedder of this machine is; a slow one takes seconds for them."""
HOSTED_BATCH = 256
"""Texts of one request to a server."""
EMBEDDED = "chunks embedded"
"""How every line of `logged_progress` ends."""

Tell = Callable[[str, int, int], None]
"""Told what is done, how many texts are, and of how many."""


@dataclass(frozen=True, slots=True)
class EmbeddingTally:
    """What one pass over a book's chunks did; chunks that say the same count once."""

    n_embedded: int
    n_reused: int
    n_deleted: int
    """Keys of the pass before that the book no longer has."""


def logged_progress(log: Callable[[str], None], seconds: float = 10.0, timer: Callable[[], float] = monotonic) -> Tell:
    """A `tell` that logs how far the embedding is, at most once in so many seconds."""
    last = timer()

    def tell(_doing: str, done: int, total: int) -> None:
        nonlocal last
        if timer() - last >= seconds:
            last = timer()
            log(f"{done:,} of {total:,} {EMBEDDED}")

    return tell


def embed_chunks(
    store: EmbeddingStore,
    embedder: Embedder,
    chunks: Sequence[Chunk],
    ledger: Path,
    tell: Tell = lambda *_: None,
) -> EmbeddingTally:
    """Embed the chunks that the store lacks, in batches, and remember in `ledger` which keys the book has.

    `tell` is called before each batch. A pass that is killed loses at most one: the store keeps each before the next.
    """
    n_embedded = embed_missing(store, embedder, chunks, tell)
    keys = {text_key(embedding_key(chunk)).hex() for chunk in chunks}
    before = known_keys(ledger)
    write_atomically(ledger, "\n".join(sorted(keys)))
    return EmbeddingTally(n_embedded, len(keys) - n_embedded, len(before - keys))


def embed_missing(
    store: EmbeddingStore,
    embedder: Embedder,
    chunks: Sequence[Chunk],
    tell: Tell = lambda *_: None,
) -> int:
    """Embed the chunks that the store lacks, in batches; how many that were. `tell` is called before each batch."""
    texts = {embedding_key(chunk): embedding_text(chunk) for chunk in chunks}
    missing = store.missing(list(texts))
    size = HOSTED_BATCH if is_hosted(embedder.identity.name) else BATCH
    for start in range(0, len(missing), size):
        tell("embedding", start, len(missing))
        batch = missing[start : start + size]
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
