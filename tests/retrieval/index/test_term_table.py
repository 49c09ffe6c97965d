import pytest

from retrieval.index import term_table
from retrieval.index.term_table import TermTable

TERMS = [b"ac", b"armour", b"level"]


def test_words_are_found_where_positions_finds_them():
    table = TermTable.build(TERMS)
    query = ["level", "nowhere", "ac", "level"]

    assert table.words(query) == table.positions(query) == [2, None, 0, 2]
    assert table.words(query) == [2, None, 0, 2]
    assert table.words([]) == []


@pytest.mark.parametrize("remembered", [0, 1, 2])
def test_words_are_found_when_others_were_forgotten(monkeypatch, remembered):
    monkeypatch.setattr(term_table, "REMEMBERED", remembered)
    table = TermTable.build(TERMS)

    for query in (["ac"], ["armour", "x"], ["ac", "level"], ["level", "y", "armour"]):
        assert table.words(query) == table.positions(query)
