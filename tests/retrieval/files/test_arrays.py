import errno
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import IndexCorruptError
from retrieval.files.arrays import RaggedArray, begins, distinct, load_array, numbered, save_array

numbers = st.lists(st.integers(-5, 5)).map(lambda values: np.asarray(values, dtype=np.int32))


@given(numbers)
def test_distinct_values_are_those_of_unique(values):
    assert distinct(values).tolist() == np.unique(values).tolist()
    assert distinct(values).dtype == values.dtype


@given(numbers)
def test_numbered_values_are_those_of_unique(values):
    each, which = numbered(values)
    expected, inverse = np.unique(values, return_inverse=True)

    assert each.tolist() == expected.tolist()
    assert which.tolist() == inverse.tolist()


def test_a_value_begins_where_it_differs_from_the_one_before():
    assert begins(np.asarray([3, 3, 1, 1, 1, 3])).tolist() == [True, False, True, False, False, True]
    assert begins(np.zeros(0)).tolist() == []


@pytest.mark.parametrize("header", [b"{'descr': '<i4', (((", b"{'descr': 7}", b"import", b"{'shape': (9" + b"9" * 40])
def test_a_damaged_header_is_one_error_whatever_it_says(tmp_path: Path, header: bytes) -> None:
    path = tmp_path / "numbers.npy"
    save_array(path, np.arange(9, dtype=np.int32))
    content = path.read_bytes()
    path.write_bytes(content[:10] + header.ljust(118)[:118] + content[128:])
    with pytest.raises(IndexCorruptError, match=r"numbers\.npy is not an array .*build the index again"):
        load_array(path, np.int32)


def test_a_full_disk_is_told_as_one_though_numpy_forgets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(*_: object, **__: object) -> None:
        raise OSError("100000 requested and 1234 written")  # as `ndarray.tofile` has it, without a number

    monkeypatch.setattr(np, "save", short)
    with pytest.raises(OSError, match=r"left on device: 100000 requested and 1234 written: .*full\.npy") as caught:
        save_array(tmp_path / "full.npy", np.zeros(3))
    assert caught.value.errno == errno.ENOSPC
    monkeypatch.undo()
    (tmp_path / "empty.npy").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device"):
        save_array(tmp_path / "empty.npy", np.zeros(3))


LISTS = st.lists(st.lists(st.integers(0, 6), unique=True, max_size=4), min_size=1, max_size=6)


@given(LISTS)
def test_each_list_is_found_by_its_key(lists):
    ragged = RaggedArray.build(lists, np.int32)
    assert [ragged[key].tolist() for key in range(len(ragged))] == lists
    assert ragged.items.dtype == np.int32


@given(LISTS, st.data())
def test_gathering_lays_lists_end_to_end(lists, data):
    keys = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=5))
    ragged, query = RaggedArray.build(lists, np.int64), np.array(keys, np.int64)
    assert ragged.gather(query).tolist() == [item for key in keys for item in lists[key]]
    assert ragged.sizes(query).tolist() == [len(lists[key]) for key in keys]


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
    assert len(RaggedArray.load(tmp_path, "chunks", np.int32)) == 0


def test_what_was_saved_is_what_is_loaded(tmp_path):
    RaggedArray.build([[1, 2], [], [3]], np.int32).save(tmp_path, "chunks")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chunks.npy", "chunks.starts.npy"]
    assert [items.tolist() for items in RaggedArray.load(tmp_path, "chunks", np.int32)] == [[1, 2], [], [3]]


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    RaggedArray.build([[1, 2], [3]], np.int64).save(tmp_path, "lists")
    np.save(tmp_path / "lists.npy", np.zeros(2, np.int64))
    with pytest.raises(IndexCorruptError, match="2 items, which do not fit starts that end at 3"):
        RaggedArray.load(tmp_path, "lists", np.int64)


@pytest.mark.parametrize("strange", [np.zeros((3, 1), np.int64), np.zeros(0, np.int64)], ids=["a matrix", "no ends"])
def test_starts_that_are_none_are_refused(tmp_path, strange):
    RaggedArray.build([[1, 2], [3]], np.int32).save(tmp_path, "chunks")
    np.save(tmp_path / "chunks.starts.npy", strange)
    with pytest.raises(IndexCorruptError, match="not one-dimensional"):
        RaggedArray.load(tmp_path, "chunks", np.int32)
