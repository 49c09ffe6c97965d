import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.query_must.compiled.postings import Postings

LISTS = st.lists(st.lists(st.integers(0, 6), unique=True, max_size=4), min_size=1, max_size=6)


@given(LISTS, st.data())
def test_gathering_lays_lists_end_to_end(lists, data):
    keys = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=5))
    gathered = Postings.build(lists).gather(np.array(keys, np.int64))
    assert gathered.tolist() == [item for key in keys for item in lists[key]]


@given(LISTS)
def test_inverting_finds_the_lists_of_each_item(lists):
    inverted = Postings.invert(lists, keys=7)
    assert len(inverted) == 7
    for item in range(7):
        holders = inverted.gather(np.array([item], np.int64)).tolist()
        assert holders == [n for n, row in enumerate(lists) if item in row]


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    Postings.build([[1, 2], [3]]).save(tmp_path, "lists")
    np.save(tmp_path / "lists.items.npy", np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="2 items"):
        Postings.load(tmp_path, "lists")
