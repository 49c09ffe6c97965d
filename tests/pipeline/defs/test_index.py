"""The checks on a snapshot hold on the one that was built and fail on one that was broken."""

from pathlib import Path

import dagster as dg
import numpy as np

from pipeline.defs.index import snapshot_checks
from pipeline.runs.in_process import dagster_instance
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.snapshot.live import snapshot_folder
from retrieval.types import Chunk

CHECKS = {check.check_key.name: check for check in snapshot_checks}


def evaluated(name: str, home: Home) -> dg.AssetCheckResult:
    with dagster_instance(home) as instance:
        result = next(iter(CHECKS[name](dg.build_asset_check_context(instance=instance), home=home)))
    assert isinstance(result, dg.AssetCheckResult)
    return result


def holds_every_chunk(home: Home) -> dg.AssetCheckResult:
    return evaluated("snapshot_holds_every_chunk", home)


def is_whole(home: Home) -> dg.AssetCheckResult:
    return evaluated("snapshot_is_whole", home)


def test_both_hold_on_a_built_home(tiny: Home) -> None:
    for result in (holds_every_chunk(tiny), is_whole(tiny)):
        assert result.passed
        assert result.metadata["snapshot"] == dg.MetadataValue.text(tiny.candidate)
    assert is_whole(tiny).metadata["n_files"].value > 40
    chunks = len(read_jsonl(tiny.book("tiny") / "chunks.jsonl", Chunk))
    assert holds_every_chunk(tiny).metadata["n_chunks"] == dg.MetadataValue.int(chunks)


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


def test_a_file_that_is_not_as_it_was_built_is_found(tiny: Home) -> None:
    vectors = np.load(vectors_of(tiny))
    np.save(vectors_of(tiny), vectors[::-1])
    result = is_whole(tiny)
    assert not result.passed
    assert "vectors.npy" in str(result.description)
