import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.ingest.tables.table import Table, TableRow
from retrieval.query_must import Vocabulary, satisfies_query_must
from retrieval.query_must.operators import always_asks
from retrieval.types import Row


def matrix(title: str, *, key: str = "Armor Class", rows: int = 10, columns: int = 4) -> Table:
    header = (key, *(f"Level {column}" for column in range(1, columns + 1)))
    lines = [(str(row), *(str(20 - row - column) for column in range(columns))) for row in range(rows)]
    return Table(
        id=title,
        book="rules",
        document="01.md",
        heading_path=("Combat", title),
        caption=None,
        header=header,
        rows=tuple(TableRow(cells, position, f"| {' | '.join(cells)} |") for position, cells in enumerate(lines)),
        lines=(0, rows),
    )


def keyed(column: str, keys: Sequence[str], *, axis: str = "Level", title: str = "Combat") -> Table:
    """A matrix of running numbers with these row keys."""
    lines = [(key, *(str(20 + row - column) for column in range(4))) for row, key in enumerate(keys)]
    return replace(
        matrix(title, key=column),
        header=(column, *(f"{axis} {number}".strip() for number in range(1, 5))),
        rows=tuple(TableRow(cells, position, f"| {' | '.join(cells)} |") for position, cells in enumerate(lines)),
    )


def admitted(question: str, *tables: Table) -> list[str]:
    """Keys of the rows that a question gets."""
    return [row.key for row in rows_of(*tables) if satisfies_query_must(question, row.query_must)]


def rows_of(*tables: Table) -> tuple[Row, ...]:
    return extract_predicates(transform_tables(tables, Vocabulary.default()))


def subject(title: str, *others: str) -> list[str]:
    first, *_ = rows_of(*map(matrix, (title, *others)))
    groups: list[list[str]] = json.loads(first.query_must or "{}")["contain_one_of"]
    return groups[0] if len(groups) == 2 else []


def test_a_matrix_asks_for_its_key_and_with_twins_for_its_subject_too() -> None:
    first, *_ = rows_of(matrix("Attack Matrix for Clerics"))
    (group,) = json.loads(first.query_must or "")["contain_one_of"]
    assert group[:2] == ["armor class 0", "ac 0"]
    assert subject("Attack Matrix for Clerics and Druids", "Attack Matrix for Fighters") == ["cleric", "druid"]


def test_a_key_of_the_opponent_is_looked_for_on_the_other_side() -> None:
    titles = ("Attack Matrix for Fighters", "Attack Matrix for Druids")
    question = "a 2nd level fighter (AC 3) vs a 4th level druid (AC 9)"
    assert admitted(question, *(matrix(title, key="Opponent Armor Class") for title in titles)) == ["9", "3"]
    assert admitted(question, *(matrix(title) for title in titles)) == ["3", "9", "3", "9"]


@pytest.mark.parametrize("numbers", [("I.A.", "I.C."), ("I.C.", "I.A.")])
def test_a_table_may_be_asked_for_by_its_number(numbers: tuple[str, str]) -> None:
    first, second = (f"{number} Matrix for {who}" for number, who in zip(numbers, ("Clerics", "Fighters"), strict=True))
    rows = rows_of(matrix(first), matrix(second))
    table_ids = [row.table_id for row in rows if satisfies_query_must(f"matrix {numbers[0]}, AC 6", row.query_must)]
    assert table_ids == [first]


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Attack Matrix IV: Civil Guards", ["civil guard"]),
        ("Table 3.2: Clerics", ["cleric"]),
        ("Table 3-2 Clerics", ["cleric"]),
        ("A. Clerics", ["cleric"]),
        ("I.A. Clerics", ["ia", "cleric"]),
        ("3. Clerics (druids), monks", ["cleric", "druid", "monk"]),
        ("Attack Matrix: Magic-Users – Illusionists", ["magic user", "illusionist"]),
    ],
)
def test_a_subject_is_what_a_question_would_say(title: str, words: list[str]) -> None:
    assert subject(title, "Attack Matrix V: Fighters" if "Matrix" in title else "Table V: Fighters") == words


@pytest.mark.parametrize(
    "table",
    [matrix("Prices", key="Item"), matrix("Seven rows", rows=7), matrix("Two columns", columns=2)],
    ids=lambda table: str(table.id),
)
def test_other_tables_have_no_predicate_that_always_asks(table: Table) -> None:
    assert not any(always_asks(row.query_must) for row in rows_of(table))


DESCENDING = ("10 or worse", *map(str, range(9, 2, -1)), "2 or better")


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("AC 0 at level 4", ["2 or better"]),
        ("AC 2 at level 4", ["2 or better"]),
        ("AC 12 at level 4", ["10 or worse"]),
        ("AC 5 at level 4", ["5"]),
    ],
)
def test_or_better_goes_on_where_the_other_keys_stop(question: str, keys: list[str]) -> None:
    assert admitted(question, keyed("Armor Class", DESCENDING)) == keys


def test_a_row_whose_numbers_nobody_can_tell_has_no_predicate() -> None:
    table = keyed("Armor Class", ("9", "8", "7", "6", "5 or better", "4", "3", "2"))
    assert [row.key for row in rows_of(table) if row.query_must is None] == ["5 or better"]


@pytest.mark.parametrize("column", ["Character Level", "Caster Level", "Class Level", "Spell Level"])
@pytest.mark.parametrize("question", ["the save of a 7th level fighter", "a level 7 cleric", "{} 7"])
def test_a_number_under_a_compound_label_is_asked_for_by_the_plain_one(column: str, question: str) -> None:
    query = question.format(column)
    single, ranges = [str(level) for level in range(1, 11)], [f"{level}-{level + 1}" for level in range(1, 21, 2)]
    assert admitted(query, keyed(column, single, axis="AC")) == ["7"]
    assert admitted(query, keyed(column, ranges, axis="AC")) == ["7-8"]


def test_the_whole_compound_label_says_more_than_its_end() -> None:
    table = keyed("Error Code", [str(code) for code in range(401, 411)])
    assert admitted("what does code 404 mean?", table) == admitted("error code 404", table) == ["404"]
    assert admitted("level 404", table) == []


@pytest.mark.parametrize("column", ["d20", "d%", "1d20 Roll", "Roll", "Die Roll", "dice: 1d20"])
@pytest.mark.parametrize(
    "question", ["I rolled a 7 as a level 4 fighter", "a natural 7", "a 7 on the d20", "I got 7 on d%", "roll of 00"]
)
def test_a_row_for_a_roll_is_never_hidden(column: str, question: str) -> None:
    keys = [*(str(roll) for roll in range(1, 10)), "00"]
    assert admitted(question, keyed(column, keys)) == keys


TO_HIT = tuple(
    keyed("Level", ("1-4", "5-8", "9-12", "13-20", "21+"), axis="Armor Class", title=f"{who} To Hit Table")
    for who in ("Thief", "Fighter")
)
THIEF = ["1-4", "5-8", "9-12", "13-20", "21+"]


@pytest.mark.parametrize(
    "question",
    [
        "At what level does a thief hit AC 0 on a 15?",
        "At which character level does a thief hit AC 0 on a 15?",
        "the lowest level of a thief who hits AC 0 on a 15",
        "the levels at which a thief hits AC 0 on a 15",
    ],
)
def test_who_asks_for_the_key_gets_every_row_of_the_subject(question: str) -> None:
    assert admitted(question, *TO_HIT) == THIEF


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("what does a 7th level thief roll against AC 0?", ["5-8"]),
        ("thief of level 4 to 9, AC 0", ["1-4", "5-8", "9-12"]),
        ("a thief of level 20 or higher", ["13-20", "21+"]),
        ("a 100th level thief", ["21+"]),
        ("what does a level 21 thief roll?", ["21+"]),
        ("what does a thief roll against AC 7?", []),
        ("which thief has a level?", []),
        ("at what level does a cleric turn ghouls?", []),
    ],
)
def test_a_range_of_keys_is_asked_for_by_its_numbers(question: str, keys: list[str]) -> None:
    assert admitted(question, *TO_HIT) == keys


@pytest.mark.parametrize(
    "question", ["what armor class does a 4th level fighter hit on a 12?", "the best AC hit on 12"]
)
def test_a_label_is_asked_for_in_any_of_its_forms(question: str) -> None:
    keys = [str(ac) for ac in range(10)]
    assert admitted(question, keyed("Opponent Armour Class", keys)) == keys


@pytest.mark.parametrize("keys", [["1,000-9,999", "10,000+"], ["1-500", "501-1000"], ["9999 or more", "1-9998"]])
def test_a_key_of_more_numbers_than_can_be_spelled_out_has_no_predicate(keys: list[str]) -> None:
    table = keyed("Experience Points", [*keys, *(f"{n}" for n in range(12))])
    assert [row.key for row in rows_of(table) if row.query_must is None] == keys


SPELL_LEVELS = keyed("Level", [str(level) for level in range(1, 21)], axis="")


@pytest.mark.parametrize(
    "table",
    [
        keyed("Caster Level", [str(level) for level in range(1, 21)], axis="Spell Level"),
        keyed("Level", [str(level) for level in range(1, 21)], axis="Spell Level"),
        replace(SPELL_LEVELS, caption="Multiclass Spellcaster: Spell Slots per Spell Level"),
    ],
)
def test_a_number_that_either_axis_may_mean_excludes_nobody(table: Table) -> None:
    assert "17" in admitted("When does a multiclass spellcaster get a 9th-level spell slot?", table)


def test_bare_numbers_in_the_columns_are_of_no_label_unless_the_title_says_so() -> None:
    assert admitted("level 7", replace(SPELL_LEVELS, caption="Hit Points per Hit Die")) == ["7"]


def test_a_question_that_names_the_class_gets_its_row_whatever_the_caption_calls_the_table() -> None:
    tables = [
        replace(matrix("Combat"), id=title, caption=title) for title in ("Fighter Attack Matrix", "Cleric To Hit Table")
    ]
    assert "6" in admitted("4th level fighter AC 6", *tables)
    assert "6" in admitted("4th level cleric AC 6", *tables)
    assert admitted("4th level monk AC 6", *tables) == []
