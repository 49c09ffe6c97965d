"""How much is compared to find near-duplicates, and that nothing else is found for it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest import density
from retrieval.ingest.density import NEAR, NEIGHBOURS, near_duplicates

WORDS = st.lists(st.sampled_from(["ac", "hit", "dice", "level", "7", "12", "mace"]), min_size=1, max_size=12)


def by_definition(texts: list[str]) -> list[bool]:
    matrix = density._normalised([density._counts(text) for text in texts])
    return (((matrix @ matrix.T).toarray() > NEAR).sum(axis=1) - 1 >= NEIGHBOURS).tolist()


@given(st.lists(WORDS.map(" ".join), min_size=NEIGHBOURS + 1, max_size=40))
def test_the_same_is_found_as_by_comparing_each_with_each(texts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(density, "_BLOCK", 4)
        assert near_duplicates(texts).tolist() == by_definition(texts)


@pytest.fixture
def compared(monkeypatch):
    """Cells of the comparisons that were made."""
    cells: list[int] = []
    similar = density._similar

    def counted(matrix, rows, first):
        result = similar(matrix, rows, first)
        cells.append(result.size)
        return result

    monkeypatch.setattr(density, "_similar", counted)
    monkeypatch.setattr(density, "_BLOCK", 64)
    return cells


ROW = "opponent armor class level hit dice damage weight cost range rate of fire size speed"


def test_rows_that_differ_in_numbers_are_compared_once(compared):
    assert np.all(near_duplicates([f"{ROW} {number}" for number in range(5000)]))
    assert sum(compared) == 1


def test_rows_of_names_are_as_much_work_as_there_are_rows(compared):
    def work(n: int) -> int:
        compared.clear()
        assert np.all(near_duplicates([f"{ROW} {'x' * number}" for number in range(n)]))
        return sum(compared)

    assert work(1600) < 2.5 * work(800)
