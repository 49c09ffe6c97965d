import errno
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.arrays import begins, distinct, load_array, numbered, save_array
from retrieval.errors import IndexCorruptError

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
