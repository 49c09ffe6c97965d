from dataclasses import replace

import pytest

from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.query import Query
from retrieval.search.rerank.numbers import is_out_of_range
from retrieval.search.rerank.query_terms import ask
from tests.retrieval.search.conftest import CHUNK, ToyEmbedder
from tests.retrieval.search.rerank.conftest import row

TABLES = {
    "knights": (("Level", "Hit points"), [(str(level), str(level * 10)) for level in range(1, 7)]),
    "parcels": (("Up to", "Price"), [(f"{weight} kg", f"{weight * 3} fl") for weight in (1, 2, 5, 10)]),
    "fields": (("Address", "Name"), [(str(number), f"Indirect slot {number + 19}") for number in range(2, 12)]),
    "named": (("Address", "Name"), [(str(number), f"Field Address {number + 23}") for number in range(1, 9)]),
    "ranks": (("Rank", "Pay"), [("1", "3 fl"), ("2", "4 fl"), ("3", "6 fl"), ("4+", "9 fl")]),
    "gear": (("Item", "Level"), [("rope", "1"), ("lamp", "2"), ("sword", "3")]),
}


@pytest.fixture(scope="module")
def ladders(tmp_path_factory):
    """A snapshot of tables with numbers as keys, and of prose."""
    chunks = [row(name, (name,), columns, *cells) for name, (columns, rows) in TABLES.items() for cells in rows]
    chunks += [replace(CHUNK, id="prose", kind="prose", search_text="Nobody has a level above 6.")]
    home = tmp_path_factory.mktemp("ladders")
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(home, chunks, vectors, ToyEmbedder.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as opened:
        yield opened


@pytest.fixture(scope="module")
def beyond(ladders):
    """Whether a question lies beyond the table of a chunk."""

    def of(question, chunk_id):
        (position,) = ladders.chunks.positions([chunk_id])
        return is_out_of_range(ladders, ask(ladders, Query.ask(question, ladders.vocabulary)), int(position))

    return of


KNIGHT, PARCEL, FIELD, OPEN, ITEM = "knights-2", "parcels-5 kg", "fields-8", "ranks-4+", "gear-rope"
CASES = [
    ("knight of level 12: hit points", KNIGHT, True),
    ("a 12th level knight", KNIGHT, True),
    ("lvl 0 knight", KNIGHT, True),
    ("knight of level 3", KNIGHT, False),
    ("12 knights", KNIGHT, False),
    ("the first knight of 12", KNIGHT, False),
    ("parcel of 40 kg", PARCEL, True),
    ("parcel of 40 lb", PARCEL, True),
    ("parcel of 4 lb", PARCEL, False),
    ("parcel of 3000 g", PARCEL, False),
    ("parcel of 7 kg", PARCEL, False),
    ("address 27", FIELD, True),
    ("indirect slot 27, by address", FIELD, False),
    ("a ranger of rank 90", OPEN, False),
    ("rope of level 90", ITEM, False),
    ("level 90", "prose", False),
]


@pytest.mark.parametrize(("question", "chunk_id", "expected"), CASES, ids=range(len(CASES)))
def test_only_a_number_that_is_asked_as_a_key_lies_beyond_the_keys(beyond, question, chunk_id, expected):
    assert beyond(question, chunk_id) == expected


def test_no_number_lies_beyond_where_a_name_has_it_or_another_is_a_key(beyond):
    assert not beyond("default of address slot 27", "fields-8")
    assert not beyond("Field Address 27", "named-4")
    assert not beyond("level 3 against level 12", KNIGHT)
