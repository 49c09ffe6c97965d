"""The compiled keyed tables keep out what the plain meaning keeps out, on every input."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.errors import IndexCorruptError
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.files.arrays import save_array
from retrieval.language.numbers import quantities
from retrieval.query_must import Vocabulary, canonical
from retrieval.query_must.compiled.sibling_index import SiblingIndex
from retrieval.query_must.operators import Membership
from retrieval.query_must.sibling_mentions import row_amounts
from retrieval.query_must.siblings import KeyedRow, KeyedTable, Siblings

WORDS = (
    *(
        "axe",
        "long axe",
        "bow",
        "Cleric",
        "druid",
        "AC 6",
        "level 7",
        "7",
        "K",
        "poisoned",
        "other",
        "Axes, long",
        "日本",
    ),
    *("K", "3 kg", "c5d.xlarge", "c5d.2xlarge", "AXE_BOW", "axebow", ""),
)
MEASURED = ("3.4", "3 axes", "4 degrees", "340 thalers", "3.4 kg", "3 kg", "3,000 g", "3 to 4 kg", "long 3 h")
QUESTION_WORDS = (
    *(*WORDS, *MEASURED, "of a", "and", "than", "not", "level 7 or higher"),
    *("3", "what", "roll", "table", "bow (long)", "c5d", "xlarge", "axe bow 3 kg", "C5D XLARGE", "axe_bow"),
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)
STEPS = ("3 kg", "3 to 4 kg", "up to 500 g", "over 4 kg", "3 hours", "30 to 50 mm", "3", "0 to 5 °C", "200 to 500 th")
AMOUNTS = st.sampled_from(STEPS).flatmap(lambda step: st.sampled_from(list(row_amounts(quantities(step)[0], "Axes"))))
ROWS = st.builds(
    KeyedRow,
    st.lists(TEXTS, max_size=3).map(tuple),
    st.lists(TEXTS, max_size=3).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.lists(AMOUNTS, max_size=3).map(tuple),
)
TABLES = st.builds(
    KeyedTable,
    id=st.sampled_from("abcde"),
    kind=st.sampled_from("xy"),
    titles=st.lists(TEXTS, max_size=2).map(tuple),
    heads=st.lists(TEXTS, max_size=2).map(tuple),
    columns=st.lists(TEXTS, max_size=2).map(tuple),
    rows=st.dictionaries(st.integers(0, 9), ROWS, min_size=1, max_size=4),
)
QUESTIONS = st.lists(st.sampled_from(QUESTION_WORDS), max_size=8).map(" ".join)


def compiled(tables: list[KeyedTable]) -> tuple[SiblingIndex, dict[Membership, int]]:
    """The index, and the position of each row: rows are scattered over the chunks."""
    members = [Membership(table.id, number) for table in tables for number in table.rows]
    places = {member: 3 * position % (3 * len(members) + 1) for position, member in enumerate(reversed(members))}
    return SiblingIndex.build(tables, places, Vocabulary.default()), places


@settings(max_examples=100)
@given(st.lists(TABLES, max_size=4, unique_by=lambda table: table.id), st.lists(QUESTIONS, max_size=4))
def test_the_index_keeps_out_what_the_plain_meaning_keeps_out(tables: list[KeyedTable], questions: list[str]) -> None:
    index, places = compiled(tables)
    rivals = Siblings(tables)
    for question in questions:
        plain, result = rivals.read(canonical(question)), index.read(canonical(question))
        expected = sorted(places[Membership(*row)] for row in plain.reasons)
        assert result.positions.tolist() == expected
        for member in places:
            assert result.why(member.table, member.row) == plain.why(member.table, member.row)
            assert result.why_not_applied(member.table, member.row) == plain.why_not_applied(member.table, member.row)


def axes() -> list[KeyedTable]:
    rows = {number: KeyedRow((name,), (name, "1d6")) for number, name in enumerate(("axe", "bow", "spear"))}
    return [KeyedTable("weapons", "w", ("Weapons",), (), ("Weapon", "Damage"), rows)]


def test_what_was_saved_is_read_back(tmp_path: Path) -> None:
    index, places = compiled(axes())
    save_arrays(tmp_path / "rivals", index)
    loaded = load_arrays(tmp_path / "rivals", SiblingIndex)
    question = canonical("damage of an axe")
    assert loaded.read(question).positions.tolist() == index.read(question).positions.tolist()
    assert set(loaded.read(question).positions.tolist()) == {places[Membership("weapons", row)] for row in (1, 2)}


def test_arrays_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    save_arrays(tmp_path, compiled(axes())[0])
    save_array(tmp_path / "positions.npy", np.zeros(7, dtype=np.int64))
    with pytest.raises(IndexCorruptError, match="build the index again"):
        load_arrays(tmp_path, SiblingIndex)


def test_an_index_without_keyed_tables_keeps_nothing_out(tmp_path: Path) -> None:
    index, _ = compiled([])
    save_arrays(tmp_path, index)
    result = load_arrays(tmp_path, SiblingIndex).read(canonical("damage of an axe"))
    assert result.positions.tolist() == []
    assert (result.why("weapons", 0), result.why_not_applied("weapons", 0)) == ("", "")


def test_a_row_or_a_table_that_is_not_there_is_not_kept_out() -> None:
    result = compiled(axes())[0].read(canonical("damage of an axe"))
    assert result.why("weapons", 1) != ""
    assert (result.why("weapons", 99), result.why("armor", 1), result.why_not_applied("armor", 1)) == ("", "", "")
