from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from retrieval.ingest.model_tables.offline import OfflineTables
from retrieval.ingest.model_tables.transforming import ModelTables
from retrieval.ingest.tables.predicates import extract_predicates
from retrieval.ingest.tables.table import Table
from retrieval.query_must.lint import LintItem, lint, unusable
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.table_rule import Find, TableRule
from retrieval.types import Row
from tests.openai_server.server import FakeOpenAi
from tests.openai_server.table_model import answer_about, asked_table
from tests.retrieval.ingest.model_tables.conftest import BOOK, tables_of

MATRIX = """
## {0}

| Intelligence | Strength 1-49 | Strength 50-99 | Strength 100-149 | Strength 150+ |
|---|---|---|---|---|
| 0-5 | 3 | 4 | 6 | 9 |
| 6-9 | 5 | 5 | 7 | 10 |
| 10-13 | 7 | 6 | 8 | 11 |
| 14-17 | 9 | 7 | 9 | 12 |
| 18-19 | 11 | 8 | 10 | 13 |
"""
MINDS = "# Minds\n" + MATRIX.format("Mind Blast") + MATRIX.format("Mind Crush")
VOCABULARY = Vocabulary.default()


def rows(models: Callable[..., ModelTables], tables: tuple[Table, ...]) -> tuple[Row, ...]:
    done = models().transform(tables, VOCABULARY, [BOOK], {table.id for table in tables})
    assert len(done.by_model) == len(tables), done.outcomes
    return done.rows


def answering(change: Callable[[dict[str, Any]], object]) -> Callable[[Any], str]:
    def answer(body: Any) -> str:
        said = answer_about(asked_table(body))
        change(said)
        return json.dumps(said)

    return answer


def test_values_are_the_books_nested_under_the_models_names(
    chat_server: FakeOpenAi, models: Callable[..., ModelTables], tables: tuple[Table, ...], offline: OfflineTables
) -> None:
    def grouped(said: dict[str, Any]) -> None:
        if len(said["columns"]) == 4:
            for column in said["columns"][1:]:
                column["path"] = ["roll to hit by level", column["path"][0]]
            said["rows"][0]["description"] = "What a cleric or druid must roll."

    chat_server.answering = answering(grouped)
    made = rows(models, tables)
    first = json.loads(made[0].content)
    assert first["description"] == "What a cleric or druid must roll."
    assert first["opponent ac"] == 9
    assert first["roll to hit by level"] == {
        **dict.fromkeys(("1", "2", "3"), 11),
        **dict.fromkeys(("4", "5", "6"), 9),
        "level 7+": 7,
    }
    assert first["query_must"] == {"contain_no_rival": {"table": tables[0].id, "row": 0}}
    before = [row for table in tables for row in offline.rows[table.id]]
    assert [replace(row, content="", names=()) for row in made] == [
        replace(row, content="", names=()) for row in before
    ]


def test_names_are_those_of_the_rules_and_behind_them_the_models(
    chat_server: FakeOpenAi, models: Callable[..., ModelTables], tables: tuple[Table, ...], offline: OfflineTables
) -> None:
    def named(said: dict[str, Any]) -> None:
        if len(said["columns"]) == 3:
            said["rows"][0]["names"] = ["arbalest", "heavy Crossbow"]

    chat_server.answering = answering(named)
    heavy = rows(models, tables)[3]
    assert heavy.names == (*offline.rows[tables[1].id][0].names, "arbalest")
    assert json.loads(heavy.content)["notes"] == "Two hands."


def test_a_condition_of_the_model_takes_the_place_of_the_rules_and_moves_to_the_row(
    chat_server: FakeOpenAi, models: Callable[..., ModelTables], tables: tuple[Table, ...]
) -> None:
    def guarded(said: dict[str, Any]) -> None:
        if len(said["columns"]) == 4:
            said["rows"][0]["query_must"]["contain_one_of"] = [["ac 9"]]

    chat_server.answering = answering(guarded)
    nine, eight, *_ = extract_predicates(rows(models, tables))
    assert nine.query_must == '{"contain_one_of": [["ac 9"]]}'
    assert json.loads(eight.query_must or "") == {"contain_no_rival": {"table": tables[0].id, "row": 1}}


def test_what_the_books_owner_says_of_a_table_wins(
    chat_server: FakeOpenAi, models: Callable[..., ModelTables], tables: tuple[Table, ...]
) -> None:
    def guarded(said: dict[str, Any]) -> None:
        said["rows"][0]["query_must"]["contain_one_of"] = [[said["rows"][0]["cells"][0]]]

    chat_server.answering = answering(guarded)
    own = TableRule(1, Find(heading="h"), query_must='{"contain": "cleric"}')
    ruled = (replace(tables[0], rule=own), replace(tables[1], rule=TableRule(2, Find(heading="w"), open=True)))
    found = extract_predicates(rows(models, ruled))
    assert [json.loads(row.query_must or "{}").get("contain") for row in found[:3]] == ["cleric"] * 3
    assert [row.query_must for row in found[3:]] == [None] * 3


def test_a_column_that_is_called_as_a_field_of_the_row_keeps_its_value(
    chat_server: FakeOpenAi, models: Callable[..., ModelTables], tables: tuple[Table, ...]
) -> None:
    def titled(said: dict[str, Any]) -> None:
        if len(said["columns"]) == 3:
            said["columns"][0]["path"] = ["title"]
            said["columns"][1]["path"] = ["title value"]

    chat_server.answering = answering(titled)
    content = json.loads(rows(models, tables)[3].content)
    values = Counter(map(str, content.values()))
    assert values["Crossbow, heavy†"] == values["1d4+1"] == values["80"] == 1
    assert content["title"] == "Weapons - Crossbow, heavy†"


HEAD = "# Combat\n\n## Hits\n\n| Armor Class | Level 1 | Level 2 | Level 3 |\n|---|---|---|---|\n"
MATRIX = HEAD + "".join(f"| {ac} | {20 - ac} | {19 - ac} | {18 - ac} |\n" for ac in range(9, -1, -1))


def test_a_matrix_keeps_the_conditions_of_the_rules_unless_the_model_has_some(
    chat_server: FakeOpenAi, models: Callable[..., ModelTables]
) -> None:
    tables = tables_of(MATRIX)
    offline = OfflineTables.of(tables, VOCABULARY, [MATRIX]).rows[tables[0].id]
    by_rule = [json.loads(row.content)["query_must"] for row in offline]
    assert "armor class 9" in by_rule[0]["contain_one_of"][0]

    def unguarded(said: dict[str, Any]) -> None:
        for row in said["rows"]:
            row["query_must"]["contain_one_of"] = []

    chat_server.answering = answering(unguarded)
    assert [json.loads(row.content)["query_must"] for row in rows(models, tables)] == by_rule

    def one_is_wrong(said: dict[str, Any]) -> None:
        said["rows"][1]["query_must"]["contain_one_of"] = [["armor class 9"]]

    chat_server.answering = answering(one_is_wrong)
    (given, none, *_) = [json.loads(row.content).get("query_must") for row in rows(models, renamed(tables))]
    assert (given, none) == ({"contain_one_of": [["armor class 9"]]}, None)


def renamed(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """The same under another caption, which is another request."""
    return tuple(replace(table, caption="To Hit") for table in tables)


def test_a_title_that_does_not_meet_the_condition_of_the_rules_is_theirs(
    chat_server: FakeOpenAi, models: Callable[..., ModelTables]
) -> None:
    chat_server.answering = answering(lambda _: None)
    minds = tables_of(MINDS)
    done = models().transform(minds, VOCABULARY, [MINDS], {table.id for table in minds})
    pairs = [
        (json.loads(row.content), json.loads(offline.content))
        for row, offline in zip(done.rows, done.offline, strict=True)
    ]
    assert "contain_one_of" in pairs[0][0]["query_must"]
    assert all(made["query_must"] == by_rules["query_must"] for made, by_rules in pairs)
    assert [made["title"] for made, _ in pairs] == [by_rules["title"] for _, by_rules in pairs]
    assert [made["description"] for made, _ in pairs] == ["What the book says of this row."] * 10
    assert {each.part for each in done.dropped} == {"title"}
    assert done.dropped[0].why == "'Mind Blast - 0-5' does not meet the row's condition"
    findings = lint(
        [
            LintItem(row.key, json.loads(row.content)["title"], row.table_id, row.query_must)
            for row in extract_predicates(done.rows)
        ],
        VOCABULARY,
    )
    assert unusable(findings) == frozenset()
