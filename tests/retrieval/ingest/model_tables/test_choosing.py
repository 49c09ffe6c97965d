from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.errors import LibraryError
from retrieval.ingest.model_tables.choosing import by_rule, listed, read_table_list
from retrieval.ingest.tables.table import Table
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from tests.retrieval.ingest.model_tables.conftest import tables_of


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
