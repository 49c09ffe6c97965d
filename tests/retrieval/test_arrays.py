import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retrieval.arrays import begins, distinct, numbered

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
