from dataclasses import replace

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.index.words.column_index import WORDS, ColumnIndex
from retrieval.types import Chunk

ROW = Chunk(
    id="", book="b", document="d.md", kind="row", text="", search_text="", source="", lines=(1, 1), heading_path=(),
    table_id="t", columns=("Weapon", "Weight"),
)  # fmt: skip
CHUNKS = [ROW, replace(ROW, table_id=None), ROW, replace(ROW, table_id="u", columns=("weight", " ", "Price"))]


@pytest.fixture
def index():
    return ColumnIndex.build(CHUNKS, np.asarray([0, 1, 0, 2], dtype=np.int32))


def test_equal_names_of_different_case_are_one_and_empty_ones_none(index):
    assert [index.columns[table].tolist() for table in range(3)] == [[0, 1], [], [1, 2]]
    assert index.vectors.shape == (3, WORDS.identity.dimensions)


def test_a_word_is_nearest_to_the_column_that_means_it(index):
    cosines = WORDS.embed(["heavy", "cost"]) @ index.vectors.T

    assert cosines.argmax(axis=1).tolist() == [1, 2]


def test_a_saved_index_reads_back(index, tmp_path):
    index.save(tmp_path)
    loaded = ColumnIndex.load(tmp_path)

    assert loaded.columns.items.tolist() == index.columns.items.tolist()
    assert np.array_equal(loaded.vectors, index.vectors)


@pytest.mark.parametrize("name", ["columns", "vectors"])
def test_a_damaged_file_is_refused(index, tmp_path, name):
    index.save(tmp_path)
    (tmp_path / f"{name}.npy").write_bytes(b"no array")

    with pytest.raises(IndexCorruptError, match=name):
        ColumnIndex.load(tmp_path)


@pytest.mark.parametrize("chunks", [[], [replace(ROW, table_id=None)]], ids=["empty", "prose"])
def test_a_library_without_tables_has_no_columns(tmp_path, chunks):
    ColumnIndex.build(chunks, np.arange(len(chunks), dtype=np.int32)).save(tmp_path)
    index = ColumnIndex.load(tmp_path)

    assert len(index.columns) == len(chunks)
    assert index.vectors.shape == (0, WORDS.identity.dimensions)
