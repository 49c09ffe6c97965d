"""The vectors that a new snapshot makes superfluous go; those that a book gets meanwhile stay."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np

from pipeline.defs import index
from pipeline.runs.in_process import dagster_instance
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore, embedding_key
from retrieval.types import Chunk


def store_of(home: Home) -> EmbeddingStore:
    return EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)


def embed(home: Home, keys: list[str]) -> None:
    store_of(home).add(keys, np.ones((len(keys), store_of(home).identity.dimensions), dtype=np.float32))


def materialize(home: Home) -> dg.MaterializeResult[None]:
    with dagster_instance(home) as instance:
        result = index.candidate_index(dg.build_asset_context(instance=instance), home=home)
    assert isinstance(result, dg.MaterializeResult)
    return result


def test_vectors_that_no_chunk_has_are_forgotten(tiny: Home) -> None:
    embed(tiny, ["nobody's"])
    assert (materialize(tiny).metadata or {})["n_forgotten"] == 1
    assert store_of(tiny).missing(["nobody's"]) == ("nobody's",)


def test_vectors_that_a_book_gets_while_the_snapshot_is_built_are_kept(tiny, monkeypatch):
    path = tiny.book("tiny") / "chunks.jsonl"
    first, *others = read_jsonl(path, Chunk)
    changed = replace(first, search_text="A halberd is long.")
    build_snapshot = index.build_snapshot

    def meanwhile(root: Path, *arguments: Any, **options: Any) -> object:
        write_jsonl(path, [changed, *others])
        embed(tiny, [embedding_key(changed)])
        return build_snapshot(root, *arguments, **options)

    monkeypatch.setattr(index, "build_snapshot", meanwhile)
    materialize(tiny)
    assert store_of(tiny).missing([embedding_key(chunk) for chunk in (changed, *others)]) == ()


def test_a_book_that_comes_while_the_snapshot_is_built_does_not_stop_it(tiny, monkeypatch):
    build_snapshot = index.build_snapshot

    def meanwhile(root: Path, *arguments: Any, **options: Any) -> object:
        with dagster_instance(tiny) as instance:
            instance.add_dynamic_partitions("books", ["new"])
        return build_snapshot(root, *arguments, **options)

    monkeypatch.setattr(index, "build_snapshot", meanwhile)
    assert (materialize(tiny).metadata or {})["n_forgotten"] == 0
