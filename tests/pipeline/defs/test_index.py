"""The checks on a snapshot hold on the one that was built and fail on one that was broken."""

from pathlib import Path

import dagster as dg
import numpy as np
import pytest

from pipeline.defs.index import snapshot_checks
from pipeline.runs.in_process import dagster_instance
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.chroma import soundness
from retrieval.index.snapshot.live import snapshot_folder
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.types import Chunk

CHECKS = {check.check_key.name: check for check in snapshot_checks}


def evaluated(name: str, home: Home) -> dg.AssetCheckResult:
    with dagster_instance(home) as instance:
        result = next(iter(CHECKS[name](dg.build_asset_check_context(instance=instance), home=home)))
    assert isinstance(result, dg.AssetCheckResult)
    return result


def holds_every_chunk(home: Home) -> dg.AssetCheckResult:
    return evaluated("snapshot_holds_every_chunk", home)


def finds_its_own_chunks(home: Home) -> dg.AssetCheckResult:
    return evaluated("snapshot_finds_its_own_chunks", home)


def test_both_hold_on_a_built_home(tiny: Home) -> None:
    for result in (holds_every_chunk(tiny), finds_its_own_chunks(tiny)):
        assert result.passed
        assert result.metadata["snapshot"] == dg.MetadataValue.text(tiny.candidate)
    assert finds_its_own_chunks(tiny).metadata["ann_recall"] == dg.MetadataValue.float(1.0)
    chunks = len(read_jsonl(tiny.book("tiny") / "chunks.jsonl", Chunk))
    assert holds_every_chunk(tiny).metadata["n_chunks"] == dg.MetadataValue.int(chunks)


def test_both_hold_on_a_large_library_that_has_no_graphs(tiny: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundness, "EMBEDDED_UP_TO", 3)
    with open_snapshot(tiny.root) as small:
        build_snapshot(
            tiny.root, list(small.chunks), np.array(small.vectors), small.manifest.embedder, small.vocabulary
        )
    for result in (holds_every_chunk(tiny), finds_its_own_chunks(tiny)):
        assert result.passed
    metadata = finds_its_own_chunks(tiny).metadata
    assert "ann_recall" not in metadata
    assert [metadata[name] for name in ("n_graph_builds", "exact_search")] == [
        dg.MetadataValue.float(0.0),
        dg.MetadataValue.float(1.0),
    ]


def test_a_chunk_that_the_snapshot_lacks_is_named(tiny: Home) -> None:
    path = tiny.book("tiny") / "chunks.jsonl"
    first, *others = read_jsonl(path, Chunk)
    write_jsonl(path, [Chunk(**{**{name: getattr(first, name) for name in first.__slots__}, "id": "new"}), *others])
    result = holds_every_chunk(tiny)
    assert not result.passed
    assert "new is missing" in str(result.description)
    assert f"{first.id} is no book's" in str(result.description)


def vectors_of(home: Home) -> Path:
    return snapshot_folder(home.root, home.candidate) / "vectors.npy"


def test_a_vector_that_is_not_the_collections_is_found(tiny: Home) -> None:
    vectors = np.load(vectors_of(tiny))
    np.save(vectors_of(tiny), vectors[::-1])
    result = finds_its_own_chunks(tiny)
    assert not result.passed
    assert "vectors: " in str(result.description)
