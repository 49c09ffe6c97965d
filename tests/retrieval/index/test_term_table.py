from concurrent.futures import ThreadPoolExecutor

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


def test_words_are_found_while_other_threads_empty_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_table, "REMEMBERED", 3)
    table = TermTable.build(sorted(f"w{number}".encode() for number in range(40)))
    with ThreadPoolExecutor(4) as threads:
        wanted = [[f"w{(start + step) % 40}" for step in range(5)] for start in range(2000)]
        for words, positions in zip(wanted, threads.map(table.words, wanted), strict=True):
            assert positions == table.positions(words)
