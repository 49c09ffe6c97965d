import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import IndexCorruptError
from retrieval.ragged import RaggedArray

LISTS = st.lists(st.lists(st.integers(0, 6), unique=True, max_size=4), min_size=1, max_size=6)


@given(LISTS)
def test_each_list_is_found_by_its_key(lists):
    ragged = RaggedArray.build(lists, np.int32)
    assert [ragged[key].tolist() for key in range(len(ragged))] == lists
    assert ragged.items.dtype == np.int32
    assert ragged.owners().tolist() == [key for key, items in enumerate(lists) for _ in items]


@given(LISTS, st.data())
def test_gathering_lays_lists_end_to_end(lists, data):
    keys = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=5))
    ragged, asked = RaggedArray.build(lists, np.int64), np.array(keys, np.int64)
    assert ragged.gather(asked).tolist() == [item for key in keys for item in lists[key]]
    assert ragged.sizes(asked).tolist() == [len(lists[key]) for key in keys]


@given(LISTS, st.data())
def test_neighbouring_keys_lie_in_one_span(lists, data):
    first = data.draw(st.integers(0, len(lists) - 1))
    stop = data.draw(st.integers(first, len(lists)))
    ragged = RaggedArray.build(lists, np.int64)
    assert ragged.items[ragged.span(first, stop)].tolist() == [item for items in lists[first:stop] for item in items]
    assert ragged.items[ragged.span(first)].tolist() == lists[first]


@given(LISTS)
def test_inverting_finds_the_lists_of_each_item(lists):
    inverted = RaggedArray.invert(lists, n_items=7)
    assert [inverted[item].tolist() for item in range(7)] == [
        [n for n, row in enumerate(lists) if item in row] for item in range(7)
    ]


def test_no_lists_are_no_keys(tmp_path):
    RaggedArray.build([], np.int32).save(tmp_path, "chunks")
    assert len(RaggedArray.load(tmp_path, np.int32, "chunks")) == 0


def test_what_was_saved_is_what_is_loaded(tmp_path):
    RaggedArray.build([[1, 2], [], [3]], np.int32).save(tmp_path, "chunks")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chunks.npy", "starts.npy"]
    assert [items.tolist() for items in RaggedArray.load(tmp_path, np.int32, "chunks")] == [[1, 2], [], [3]]


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    RaggedArray.build([[1, 2], [3]], np.int64).save(tmp_path, "lists.items", "lists.offsets")
    np.save(tmp_path / "lists.items.npy", np.zeros(2, np.int64))
    with pytest.raises(IndexCorruptError, match="2 items, which do not fit starts that end at 3"):
        RaggedArray.load(tmp_path, np.int64, "lists.items", "lists.offsets")


@pytest.mark.parametrize("strange", [np.zeros((3, 1), np.int64), np.zeros(0, np.int64)], ids=["a matrix", "no ends"])
def test_starts_that_are_none_are_refused(tmp_path, strange):
    RaggedArray.build([[1, 2], [3]], np.int32).save(tmp_path, "chunks")
    np.save(tmp_path / "starts.npy", strange)
    with pytest.raises(IndexCorruptError, match="not flat"):
        RaggedArray.load(tmp_path, np.int32, "chunks")
