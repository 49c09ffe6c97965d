import numpy as np

from retrieval.search.names import names_evidence


def test_a_named_row_counts_more_in_the_table_that_is_meant() -> None:
    tables = np.asarray([4.0, 4.0, 1.0, 0.0])
    evidence = names_evidence(tables, np.zeros(4), np.asarray([0, 2]), np.ones(2))
    assert evidence.row.tolist() == [1.0, 0.0, 0.625, 0.0]
    assert np.argsort(-evidence.total).tolist() == [0, 1, 2, 3]


def test_every_part_lies_between_zero_and_one() -> None:
    rng = np.random.default_rng(0)
    evidence = names_evidence(rng.random(50) * 30, rng.random(50) * 9, np.arange(0, 50, 7), rng.random(8))
    for part in (evidence.table, evidence.row, evidence.column, evidence.total):
        assert 0 <= part.min() <= part.max() <= 1


def test_a_question_that_names_nothing_has_no_evidence() -> None:
    nothing = names_evidence(np.zeros(3), np.zeros(3), np.empty(0, dtype=np.int64), np.empty(0))
    assert nothing.total.tolist() == [0, 0, 0]
    assert {name: part.tolist() for name, part in nothing.at(np.asarray([1])).items()} == {
        "table": [0],
        "row": [0],
        "column": [0],
    }
