from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import LibraryError
from retrieval.ingest.model_tables.request import (
    ModelTable,
    by_rule,
    listed,
    prompt_version,
    read_table_list,
    request_of,
    why_unsent,
)
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from tests.retrieval.ingest.model_tables.conftest import MODEL, tables_of


def test_a_request_holds_the_table_and_nothing_else_of_the_book(offline, tables):
    request = request_of(tables[1], offline.readings[tables[1].id])
    assert json.loads(request.told) == {
        "headings": ["Combat", "Weapons"],
        "caption": "",
        "about": "",
        "key_column": 1,
        "columns": [
            {"column": 1, "heading": "Weapon"},
            {"column": 2, "heading": "Damage"},
            {"column": 3, "heading": "Weight"},
        ],
        "rows": [
            {"row": 0, "cells": ["Crossbow, heavy†", "1d4+1", "80"], "notes": ["Two hands."]},
            {"row": 1, "cells": ["Crossbow, light", "1d4", "40"]},
            {"row": 2, "cells": ["Dagger", "", "10"]},
        ],
    }
    (system, prompt), (user, told) = request.chat_request(MODEL).messages
    assert (system, user, told) == ("system", "user", request.told)
    assert "throws away what is not exactly true" in prompt
    assert request.chat_request(MODEL).form is ModelTable


def test_a_key_changes_with_what_is_sent_and_not_with_the_place(offline, tables):
    table, reading = tables[1], offline.readings[tables[1].id]
    request = request_of(table, reading)
    assert request_of(replace(table, id="other", lines=(90, 95)), reading).key == request.key
    assert request_of(replace(table, caption="Arms"), reading).key != request.key


def test_a_prompt_has_a_number_and_a_hash_of_its_words() -> None:
    number, _, words = prompt_version().partition("-")
    assert number == "v1"
    assert len(words) == 8


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("| Armor Class: | 6 |\n|---|---|\n| Hit Dice: | 2 |\n| Move: | 9 |\n", "record"),
        ("| A | B |\n|---|---|\n", "no rows"),
        ("| A | B |\n|---|---|\n" + "| one | two |\n" * 200, "too large"),
        ("| A | B |\n|---|---|\n| one | two |\n", None),
    ],
)
def test_some_tables_are_the_rules_work(text: str, why: str | None) -> None:
    for table in tables_of(f"# T\n\n{text}"):
        assert why_unsent(table, read_table(table)) == why


def test_a_list_names_tables_by_caption_heading_or_line(tables: tuple[Table, ...], tmp_path: Path) -> None:
    path = tmp_path / "tables.md"
    path.write_text("# Weapons\n\n- `combat.md:5`\n- weapon\n")
    titles = read_table_list(path)
    assert titles == ("Weapons", "combat.md:5", "weapon")
    chosen, unfound = listed(tables, titles)
    assert chosen == {tables[0].id, tables[1].id}
    assert unfound == ("no table is called 'weapon'; there is 'weapons'",)


def test_a_list_that_names_no_table_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="cannot be read"):
        read_table_list(tmp_path / "tables.md")
    (tmp_path / "tables.md").write_text("\n- \n")
    with pytest.raises(LibraryError, match="names no table"):
        read_table_list(tmp_path / "tables.md")


def test_the_rule_chooses_tables_of_which_a_question_can_name_a_row(tables: tuple[Table, ...]) -> None:
    nameless = tables_of("# Rolls\n\n| A | B |\n|---|---|\n| x | y |\n| x | y |\n")
    assert by_rule((*tables, *nameless), Vocabulary.default()) == {table.id for table in tables}
