"""The library cut anew at another size, indexed beside what is there, and scored."""

from collections.abc import Iterable
from pathlib import Path

from evals.evaluation import SHIPPED, Evaluation, evaluate
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_chunks, vectors_of
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import read_parsed_book
from retrieval.ingest.prose.cuts import Cuts
from retrieval.records import read_jsonl
from retrieval.search.strategies import STRATEGIES
from retrieval.types import Row


def scores_at(home: Home, slugs: Iterable[str], working_tokens: int, folder: Path) -> Evaluation:
    """How `default` scores where prose is cut to about `working_tokens`; rows are chunks of their own at every size.

    Args:
        home: whose records, vocabulary and questions are used; its index stays as it is.
        slugs: the books.
        working_tokens: how long prose may be.
        folder: an empty one, for the index and its vectors.
    """
    chunks = sorted(
        (
            chunk
            for slug in slugs
            for chunk in chunk_book(
                read_parsed_book(home.book(slug) / "book.jsonl"),
                read_jsonl(home.book(slug) / "predicates.jsonl", Row),
                Cuts(working_tokens),
            )
        ),
        key=lambda chunk: chunk.id,
    )
    embedder = load_embedder(home.settings.embedder)
    # Not the home's own store: what it holds is what its index is made of.
    store = EmbeddingStore(folder / "embeddings", embedder.identity)
    embed_chunks(store, embedder, chunks, folder / "embedded.txt")
    vectors = vectors_of(store, chunks)
    manifest = build_snapshot(folder, chunks, vectors, embedder.identity, home.vocabulary)
    with open_snapshot(folder, manifest.id) as snapshot:
        return evaluate(snapshot, embedder, home.settings.questions, (STRATEGIES[SHIPPED],))
