import numpy as np
import pytest

from retrieval.search.rerank.groups import behind_best, distinct_cells, read_with_prose

TABLES = np.asarray([0, 0, 0, 1, 2])
IS_ROW = np.asarray([True, True, True, True, False])


def test_a_row_is_behind_the_best_of_its_own_table():
    values = np.asarray([0.2, 0.9, 0.5, 0.1, 0.0])

    assert behind_best(TABLES, values) == pytest.approx([0.7, 0.0, 0.4, 0.0, 0.0])
    assert behind_best(TABLES, -values) == pytest.approx([0.0, 0.7, 0.3, 0.0, 0.0])


def test_the_candidates_of_a_table_need_not_stand_together_and_nobody_is_behind_nobody():
    behind = behind_best(np.asarray([1, 0, 1]), np.asarray([0.0, 0.5, 1.0]))
    assert behind.tolist() == [1.0, 0.0, 0.0]
    assert behind_best(np.zeros(0, dtype=np.int64), np.zeros(0)).shape == (0,)


def test_what_every_row_of_a_table_says_sets_none_apart():
    cells = np.asarray([[1, 1], [1, 0], [1, 0], [0, 1], [0, 0]], dtype=bool)
    weights = np.asarray([0.6, 0.4])

    assert distinct_cells(cells, weights, TABLES, IS_ROW) == pytest.approx([0.4 * 2 / 3, 0, 0, 0, 0])


def test_a_row_is_read_with_the_prose_of_its_section_and_prose_by_itself():
    output = np.asarray([[1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    read = read_with_prose(output, np.asarray([0, 0, 0, 1]), np.asarray([True, False, False, True]))

    assert read.tolist() == [[1.0, 0.5, 1.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
