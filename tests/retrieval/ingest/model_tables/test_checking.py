from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from retrieval.ingest.model_tables.checking import judged
from retrieval.ingest.model_tables.request import request_of
from retrieval.ingest.model_tables.transforming import OfflineTables
from retrieval.ingest.tables.table import Table
from retrieval.models.chat import Answered, Usage
from tests.retrieval.ingest.model_tables.conftest import reply

Change = Callable[[dict[str, Any]], object]


def judge_answer(offline, table, change=lambda _: None, **answered):
    output = reply(request_of(table, offline.readings[table.id]).told)
    change(output)
    answer = Answered(**{"content": json.dumps(output), "refusal": None, "finish": "stop", "usage": Usage()} | answered)
    rows = {row.ordinal: row for row in offline.rows[table.id]}
    return judged(table, offline.readings[table.id], rows, answer, offline.vocabulary, by_key_alone=True)


def put(path: tuple[str | int, ...], value: object) -> Change:
    def change(said: Any) -> None:
        *inner, last = path
        for step in inner:
            said = said[step]
        said[last] = value

    return change


def must(**asked: Any) -> Change:
    nothing = {"contain_one_of": [], "contain_all_of": [], "contain": None, "contain_range": None, "contain_across": []}
    return put(("rows", 0, "query_must"), nothing | asked)


def test_an_answer_that_says_what_the_book_says_is_believed(offline: OfflineTables, tables: tuple[Table, ...]) -> None:
    for table in tables:
        judgement = judge_answer(offline, table)
        assert (judgement.problems, judgement.dropped) == ((), ())
        assert sorted(judgement.rows) == [0, 1, 2]


WRONG: dict[str, tuple[Change, str]] = {
    "a dropped row": (lambda output: output["rows"].pop(), "rows are missing: 2"),
    "a row twice": (lambda output: output["rows"].append(output["rows"][0]), "twice: 0"),
    "a foreign row": (put(("rows", 0, "row"), 9), "rows are missing: 0"),
    "a changed value": (put(("rows", 1, "cells", 2), "11"), "row 1, column 3 is '11', and '10' in the book"),
    "swapped cells": (
        lambda output: output["rows"][0]["cells"].reverse(),
        "row 0, column 1 is '7', and '9' in the book",
    ),
    "a filled blank": (put(("rows", 1, "cells"), ["8", "12", "10", ""]), "column 4 is ''"),
    "too few cells": (lambda output: output["rows"][0]["cells"].pop(), "row 0 has 3 cells, and 4"),
    "another row's title": (put(("rows", 0, "title"), "Attack Matrix - Opponent AC 8"), "does not end in its key '9'"),
    "a longer number": (put(("rows", 0, "title"), "Attack Matrix - Opponent AC 19"), "does not end in its key '9'"),
    "a number from elsewhere": (put(("rows", 0, "title"), "Matrix 77 - Opponent AC 9"), "says 77"),
    "a missing column": (lambda output: output["columns"].pop(), r"columns are \[1, 2, 3\], and the table has 4"),
    "another range": (put(("columns", 1, "path"), ["level 2-3"]), "is 'Level 1-3' in the book"),
    "a nameless column": (put(("columns", 1, "path"), ["level 1-3", " "]), "column 2 has no name"),
    "a name twice": (put(("columns", 2, "path"), ["level 1-3"]), "column 3 has no name of its own"),
    "another form": (lambda output: output.update(more=1), "not in the requested form"),
}


@pytest.mark.parametrize("what", WRONG)
def test_nothing_is_believed_of_an_answer_with(offline: OfflineTables, tables: tuple[Table, ...], what: str) -> None:
    change, message = WRONG[what]
    judgement = judge_answer(offline, tables[0], change)
    assert not judgement.rows
    assert any(re.search(message, problem) for problem in judgement.problems), judgement.problems


def test_a_column_is_not_called_as_another_one_is(offline: OfflineTables, tables: tuple[Table, ...]) -> None:
    judgement = judge_answer(offline, tables[1], put(("columns", 1, "path"), ["weight"]))
    assert "has the name of another column" in "; ".join(judgement.problems)


@pytest.mark.parametrize(
    ("answered", "message"),
    [
        ({"refusal": "no"}, "refused: no"),
        ({"finish": "length"}, "cut off because it is too long"),
        ({"content": '{"columns": ['}, "not in the requested form"),
        ({"content": ""}, "not in the requested form"),
    ],
)
def test_what_is_no_answer_is_said(offline, tables, answered, message):
    assert message in judge_answer(offline, tables[0], **answered).problems[0]


def test_a_number_that_the_row_does_not_have_costs_the_description(offline, tables):
    judgement = judge_answer(offline, tables[0], put(("rows", 0, "description"), "A roll of 12 hits."))
    assert judgement.rows[0].description is None
    assert [(each.part, each.ordinal) for each in judgement.dropped] == [("description", 0)]
    own = judge_answer(offline, tables[0], put(("rows", 0, "description"), "At level 4-6 a roll of 9 hits."))
    assert own.rows[0].description == "At level 4-6 a roll of 9 hits."


PREDICATES: dict[str, tuple[Change, str]] = {
    "another row's key": (must(contain_one_of=[["ac 8", "armor class 8"]]), "self_excluding"),
    "an impossible range": (must(contain_range={"min": 5, "max": 1, "of": ["ac"]}), "invalid"),
    "one list of two": (must(contain_across=[["ac 9"]]), "invalid"),
    "more than the key": (must(contain_one_of=[["attack matrix"], ["ac 9"]]), "asks for more than the key"),
    "words of nowhere": (must(contain_one_of=[["paladin"], ["ac 9"]]), "self_excluding"),
}


@pytest.mark.parametrize("what", PREDICATES)
def test_a_condition_is_dropped_that_asks_for(offline: OfflineTables, tables: tuple[Table, ...], what: str) -> None:
    change, message = PREDICATES[what]
    judgement = judge_answer(offline, tables[0], change)
    assert judgement.rows[0].query_must is None
    (dropped,) = judgement.dropped
    assert (dropped.part, dropped.ordinal) == ("query_must", 0)
    assert re.search(message, dropped.why), dropped.why


def test_a_condition_on_the_own_key_is_kept(offline: OfflineTables, tables: tuple[Table, ...]) -> None:
    judgement = judge_answer(offline, tables[0], must(contain_one_of=[["ac 9", "armor class 9"]]))
    assert judgement.dropped == ()
    assert json.loads(judgement.rows[0].query_must or "") == {"contain_one_of": [["ac 9", "armor class 9"]]}
    ranged = judge_answer(offline, tables[0], must(contain_range={"min": 9, "max": None, "of": ["ac"]}))
    assert json.loads(ranged.rows[0].query_must or "") == {"contain_range": {"min": 9.0, "of": ["ac"]}}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("light crossbow", "is another row's too"),
        ("crossbow of 1650", "says 1650"),
        ("weapons", "applies to the whole table"),
        ("a", "names nothing"),
        ("the one that you have to hold with both of your hands", "names nothing"),
    ],
)
def test_a_name_is_dropped_that_could_mean_another_row(offline, tables, name, why):
    judgement = judge_answer(offline, tables[1], put(("rows", 0, "names"), [name, "arbalest"]))
    assert judgement.rows[0].names == ("arbalest",)
    assert why in judgement.dropped[0].why


def test_what_two_rows_are_called_names_neither(offline: OfflineTables, tables: tuple[Table, ...]) -> None:
    def both(said: dict[str, Any]) -> None:
        for row in said["rows"][:2]:
            row["names"] = ["bow with a stock"]

    judgement = judge_answer(offline, tables[1], both)
    assert [row.names for row in judgement.rows.values()][:2] == [(), ()]
    assert {each.ordinal for each in judgement.dropped} >= {0, 1}
