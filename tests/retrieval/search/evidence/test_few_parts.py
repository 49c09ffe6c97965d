import numpy as np

from retrieval.search.evidence import OfFew


def test_a_part_gives_its_own_scores_where_it_is_asked_for_its_own_chunks():
    positions = np.asarray([2, 5, 9])
    part = OfFew(positions, np.asarray([0.5, 0.25, 1.0]))

    assert part.at(positions).tolist() == part.at(positions.copy()).tolist() == [0.5, 0.25, 1.0]
    assert part.at(np.asarray([9, 3, 2])).tolist() == [1.0, 0.0, 0.5]


def test_a_part_of_no_chunk_is_nothing_anywhere():
    assert OfFew(np.zeros(0, dtype=np.int64), np.zeros(0)).at(np.asarray([1, 2])).tolist() == [0.0, 0.0]
