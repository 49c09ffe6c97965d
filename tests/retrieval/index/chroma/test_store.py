import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import EmbedderMismatchError, IndexCorruptError
from retrieval.index.chroma.store import ChromaStore

IDS = [f"chunk-{number:03}" for number in range(40)]


def rows(count: int) -> np.ndarray:
    matrix = np.random.default_rng(1).normal(size=(count, 8)).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChromaStore]:
    made = ChromaStore(tmp_path / "chroma")
    for name in ("open", "guarded"):
        made.create(name)
    metadata = [{"id": chunk_id, "tags": ("a", "b"), "none": ()} for chunk_id in IDS]
    assert sum(made.add("open", IDS, rows(40), metadata)) == 40
    yield made
    made.close()


def test_a_vector_finds_itself_then_what_is_nearest(store: ChromaStore) -> None:
    matrix = rows(40)
    answer = store.nearest("open", matrix[7], 5)
    exact = np.argsort(-(matrix @ matrix[7]))[:5]
    assert answer.ids == tuple(IDS[place] for place in exact)
    assert answer.distances[0] == pytest.approx(0, abs=1e-5)


def test_excluded_ids_do_not_come_back(store: ChromaStore) -> None:
    seen = set(store.nearest("open", rows(40)[7], 5).ids)
    assert not seen & set(store.nearest("open", rows(40)[7], 35, excluding=seen).ids)


def test_more_than_there_are_gives_all_and_an_empty_collection_gives_none(store: ChromaStore) -> None:
    assert sorted(store.nearest("open", rows(1)[0], 1000).ids) == IDS
    assert store.nearest("guarded", rows(1)[0], 5).ids == ()


def test_another_dimension_is_refused(store: ChromaStore) -> None:
    with pytest.raises(EmbedderMismatchError, match="ask with the embedder that built it"):
        store.nearest("open", np.ones(5, dtype=np.float32), 3)


def test_a_closed_store_can_be_moved_and_opened_again(tmp_path: Path) -> None:
    first = ChromaStore(tmp_path / "building")
    first.create("open")
    list(first.add("open", IDS, rows(40), [{"id": chunk_id} for chunk_id in IDS]))
    first.close()
    (tmp_path / "building").rename(tmp_path / "final")
    second = ChromaStore(tmp_path / "final")
    assert second.nearest("open", rows(40)[3], 1).ids == (IDS[3],)
    assert second.count("open") == 40
    stored = second.vectors("open", [IDS[2], "unknown"])
    assert list(stored) == [IDS[2]]
    assert stored[IDS[2]] == pytest.approx(rows(40)[2])
    second.close()


def test_a_folder_that_is_no_chroma_is_a_corrupt_index(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    with pytest.raises(IndexCorruptError, match="build the index again"):
        ChromaStore(tmp_path).count("open")


def test_a_folder_that_was_damaged_opens_in_the_same_process_once_it_is_repaired(tmp_path: Path) -> None:
    whole = ChromaStore(tmp_path / "whole")
    whole.create("open")
    whole.close()
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    with pytest.raises(IndexCorruptError):
        ChromaStore.existing(tmp_path / "used")
    shutil.rmtree(tmp_path / "used")
    (tmp_path / "whole").rename(tmp_path / "used")
    repaired = ChromaStore.existing(tmp_path / "used")
    assert repaired.count("open") == 0
    repaired.close()


def test_where_nothing_was_written_nothing_is_opened_or_made(tmp_path: Path) -> None:
    with pytest.raises(IndexCorruptError, match=r"no chroma\.sqlite3.*build the index again"):
        ChromaStore.existing(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_missing_collection_is_a_corrupt_index(tmp_path: Path) -> None:
    store = ChromaStore(tmp_path)
    with pytest.raises(IndexCorruptError, match="'guarded'"):
        store.count("guarded")
    store.close()
