"""Keep a book's vectors in step with its chunks: embed what is new, reuse the rest, count what left."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.index.vectors import EmbeddingStore, text_key
from retrieval.types import Embedder

BATCH = 1024


@dataclass(frozen=True, slots=True)
class EmbeddingTally:
    """What one pass over a book's texts did; twins of one text count once."""

    n_embedded: int
    n_reused: int
    n_deleted: int
    """Texts of the pass before that the book no longer has."""


def embed_texts(store: EmbeddingStore, embedder: Embedder, texts: Sequence[str], ledger: Path) -> EmbeddingTally:
    """Embed the texts that the store lacks, in batches, and remember in `ledger` which texts the book has.

    A pass that is killed loses at most one batch: the store keeps each batch before the next begins.
    """
    distinct = list(dict.fromkeys(texts))
    missing = store.missing(distinct)
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        store.add(batch, embedder.embed(batch))
    keys = {text_key(text).hex() for text in distinct}
    before = set(ledger.read_text(encoding="ascii").split()) if ledger.is_file() else set()
    ledger.parent.mkdir(parents=True, exist_ok=True)
    partial = ledger.with_name(f".{ledger.name}.{os.getpid()}.partial")
    partial.write_text("\n".join(sorted(keys)), encoding="ascii")
    partial.replace(ledger)
    return EmbeddingTally(len(missing), len(distinct) - len(missing), len(before - keys))
