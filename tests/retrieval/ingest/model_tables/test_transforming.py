from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from retrieval.errors import ModelKeyError
from retrieval.ingest.model_tables.transforming import ModelTables, OfflineTables, Transformed, WholeRows, reasons
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.lint import LintItem, lint, unusable
from retrieval.types import Find, Row, TableRule
from tests.openai_server.faults import InTurn
from tests.openai_server.server import KEY, FakeOpenAi
from tests.openai_server.table_model import answer_about, asked_table, reading_tables
from tests.retrieval.ingest.model_tables.conftest import BOOK, tables_of, weapons

Models = Callable[..., ModelTables]


@pytest.fixture(autouse=True)
def answering(chat_server: FakeOpenAi) -> None:
    chat_server.answering = reading_tables


def transformed(models: ModelTables, tables: Sequence[Table]) -> Transformed:
    done = models.transform(tables, Vocabulary.default(), [BOOK], {table.id for table in tables})
    assert [(row.table_id, row.ordinal) for row in done.rows] == [(row.table_id, row.ordinal) for row in done.offline]
    kept = {row for row in done.rows if row.table_id not in done.by_model}
    assert kept == {row for row in done.offline if row.table_id not in done.by_model}
    return done


def test_an_answer_is_paid_once_in_all_runs(chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...]) -> None:
    first, second = (transformed(models(), tables) for _ in range(2))
    assert first.rows == second.rows
    assert [outcome.n_answers for outcome in (*first.outcomes, *second.outcomes)] == [1, 1, 0, 0]
    assert (len(chat_server.asked), second.bill.used.total, second.bill.usd) == (2, 0, 0.0)
    assert first.bill.usd == pytest.approx(chat_server.counts.usd(0.15, 0.60)) == second.bill.usd_in_all


def test_a_table_that_the_book_has_twice_is_paid_once(chat_server: FakeOpenAi, models: Models) -> None:
    table = "## Ranks\n\n| Rank | Pay |\n|---|---|\n| sergeant | 5 |\n| captain | 9 |\n\n"
    done = transformed(models(), tables_of(f"# Army\n\n{table}\n{table}"))
    assert len(done.by_model) == len(done.outcomes) == 2
    assert len(chat_server.asked) == 1


def test_another_prompt_is_asked_anew(chat_server: FakeOpenAi, models: Models, tables: tuple[Table, ...]) -> None:
    transformed(models(), tables)
    changed = replace(models(), question=WholeRows("v2-00000000"))
    assert transformed(changed, tables).bill.prompt == "v2-00000000"
    assert len(chat_server.asked) == 4


def test_a_batch_leaves_what_it_spoiled_or_lost_to_the_rules_and_the_next_run_asks_again(chat_server, models):
    chat_server.plan = InTurn([None, "dropped_result", "changed_value", "broken", "refusal", None])
    first = transformed(models(batch=True, pause=0.01), weapons(6))
    assert len(first.by_model) == 2
    assert reasons(first.outcomes) == {"not reached": 2, "refused or wrong": 2}
    assert first.n_waiting == 2
    second = transformed(models(batch=True, pause=0.01), weapons(6))
    assert len(second.by_model) == 6
    assert sum(outcome.n_answers for outcome in second.outcomes) == 4
    assert chat_server.counts.requests["/v1/chat/completions"] == 0


@pytest.mark.parametrize("fault", ["dropped_row", "changed_value", "malformed", "truncated", "refusal"])
def test_a_bad_answer_is_asked_for_again_and_then_left_to_the_rules(chat_server, models, tables, fault):
    chat_server.plan = InTurn([fault])
    assert len(transformed(models(), tables[:1]).by_model) == 1
    assert len(chat_server.asked) == 2
    chat_server.plan = InTurn([fault, fault])
    done = transformed(models(), tables[1:])
    assert reasons(done.outcomes) == {"refused or wrong": 1}
    assert (done.outcomes[0].n_answers, done.n_waiting) == (2, 0)
    again = transformed(models(), tables[1:])
    assert again.outcomes[0].said == done.outcomes[0].said
    assert len(chat_server.asked) == 4


@pytest.mark.parametrize("fault", ["busy", "broken", "cut"])
def test_a_server_that_fails_once_is_asked_again(chat_server, models, tables, fault):
    chat_server.plan = InTurn([fault])
    assert len(transformed(models(), tables).by_model) == 2


def test_a_server_that_is_gone_leaves_all_to_the_rules_and_a_later_run_asks(chat_server, models, tables):
    many = weapons(12)
    chat_server.plan = lambda _: "broken"
    done = transformed(models(retries=0), many)
    assert reasons(done.outcomes) == {"not reached": 12}
    assert (done.n_waiting, done.bill.usd) == (12, 0.0)
    assert len(chat_server.asked) < 12 + 8
    chat_server.plan = InTurn([])
    assert len(transformed(models(), many).by_model) == 12


def test_a_server_that_is_gone_is_not_asked_about_every_table(chat_server: FakeOpenAi, models: Models) -> None:
    chat_server.plan = lambda _: "broken"
    done = transformed(models(retries=0), weapons(60))
    assert done.n_waiting == 60
    assert len(chat_server.asked) < 30


def test_a_wrong_key_is_one_clear_line_and_keeps_what_was_paid(chat_server, models, tables):
    transformed(models(), tables[:1])
    chat_server.plan = lambda _: "key"
    began = time.monotonic()
    with pytest.raises(ModelKeyError, match="the key in OPENAI_API_KEY was rejected") as raised:
        transformed(models(), tables)
    assert KEY not in str(raised.value)
    assert "\n" not in str(raised.value)
    assert time.monotonic() - began < 2
    assert transformed(models(), tables[:1]).by_model == {tables[0].id}


def test_without_a_key_the_rules_make_what_was_not_paid_before(chat_server, models, tables):
    transformed(models(), tables[:1])
    done = transformed(models(key=""), tables)
    assert done.by_model == {tables[0].id}
    assert [outcome.said for outcome in done.outcomes] == ["", "there is no OPENAI_API_KEY"]
    assert len(chat_server.asked) == 1


def test_a_budget_stops_before_it_is_passed_and_a_larger_one_goes_on(chat_server, models, tables, tmp_path):
    many = weapons(20)
    done = transformed(models(budget_usd=0.008), many)
    assert 0 < len(done.by_model) < 20
    assert set(reasons(done.outcomes)) == {"budget"}
    assert chat_server.counts.usd(0.15, 0.60) == pytest.approx(done.bill.usd_in_all)
    assert done.bill.usd_in_all <= 0.008
    paid = len(chat_server.asked)
    assert transformed(models(budget_usd=0.008), many).by_model == done.by_model
    assert len(chat_server.asked) == paid
    assert len(transformed(models(budget_usd=1.0), many).by_model) == 20
    assert len(chat_server.asked) == 20
    assert KEY not in "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_a_server_that_hangs_is_left_in_time_and_counts_as_paid(chat_server, models, tables):
    chat_server.plan = lambda _: "hang"
    began = time.monotonic()
    done = transformed(models(timeout=0.2, retries=0), tables)
    assert time.monotonic() - began < 3
    assert reasons(done.outcomes) == {"not reached": 2}
    assert (done.bill.usd or 0) >= chat_server.counts.usd(0.15, 0.60) > 0


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


def model_rows_answering(change: Callable[[dict[str, Any]], object]) -> Callable[[Any], str]:
    def answer(body: Any) -> str:
        about = answer_about(asked_table(body))
        change(about)
        return json.dumps(about)

    return answer


def test_values_are_the_books_nested_under_the_models_names(chat_server, models, tables, offline):
    def grouped(said: dict[str, Any]) -> None:
        if len(said["columns"]) == 4:
            for column in said["columns"][1:]:
                column["path"] = ["roll to hit by level", column["path"][0]]
            said["rows"][0]["description"] = "What a cleric or druid must roll."

    chat_server.answering = model_rows_answering(grouped)
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


def test_names_are_those_of_the_rules_and_behind_them_the_models(chat_server, models, tables, offline):
    def named(said: dict[str, Any]) -> None:
        if len(said["columns"]) == 3:
            said["rows"][0]["names"] = ["arbalest", "heavy Crossbow"]

    chat_server.answering = model_rows_answering(named)
    heavy = rows(models, tables)[3]
    assert heavy.names == (*offline.rows[tables[1].id][0].names, "arbalest")
    assert json.loads(heavy.content)["notes"] == "Two hands."


def test_a_condition_of_the_model_takes_the_place_of_the_rules_and_moves_to_the_row(chat_server, models, tables):
    def guarded(said: dict[str, Any]) -> None:
        if len(said["columns"]) == 4:
            said["rows"][0]["query_must"]["contain_one_of"] = [["ac 9"]]

    chat_server.answering = model_rows_answering(guarded)
    nine, eight, *_ = extract_predicates(rows(models, tables))
    assert nine.query_must == '{"contain_one_of": [["ac 9"]]}'
    assert json.loads(eight.query_must or "") == {"contain_no_rival": {"table": tables[0].id, "row": 1}}


def test_what_the_books_owner_says_of_a_table_wins(chat_server, models, tables):
    def guarded(said: dict[str, Any]) -> None:
        said["rows"][0]["query_must"]["contain_one_of"] = [[said["rows"][0]["cells"][0]]]

    chat_server.answering = model_rows_answering(guarded)
    own = TableRule(1, Find(heading="h"), query_must='{"contain": "cleric"}')
    ruled = (replace(tables[0], rule=own), replace(tables[1], rule=TableRule(2, Find(heading="w"), open=True)))
    predicates = extract_predicates(rows(models, ruled))
    assert [json.loads(row.query_must or "{}").get("contain") for row in predicates[:3]] == ["cleric"] * 3
    assert [row.query_must for row in predicates[3:]] == [None] * 3


def test_a_column_that_is_called_as_a_field_of_the_row_keeps_its_value(chat_server, models, tables):
    def titled(said: dict[str, Any]) -> None:
        if len(said["columns"]) == 3:
            said["columns"][0]["path"] = ["title"]
            said["columns"][1]["path"] = ["title value"]

    chat_server.answering = model_rows_answering(titled)
    content = json.loads(rows(models, tables)[3].content)
    values = Counter(map(str, content.values()))
    assert values["Crossbow, heavy†"] == values["1d4+1"] == values["80"] == 1
    assert content["title"] == "Weapons - Crossbow, heavy†"


HEAD = "# Combat\n\n## Hits\n\n| Armor Class | Level 1 | Level 2 | Level 3 |\n|---|---|---|---|\n"
MATRIX = HEAD + "".join(f"| {ac} | {20 - ac} | {19 - ac} | {18 - ac} |\n" for ac in range(9, -1, -1))


def test_a_matrix_keeps_the_conditions_of_the_rules_unless_the_model_has_some(chat_server, models):
    tables = tables_of(MATRIX)
    offline = OfflineTables.of(tables, VOCABULARY, [MATRIX]).rows[tables[0].id]
    by_rule = [json.loads(row.content)["query_must"] for row in offline]
    assert "armor class 9" in by_rule[0]["contain_one_of"][0]

    def unguarded(said: dict[str, Any]) -> None:
        for row in said["rows"]:
            row["query_must"]["contain_one_of"] = []

    chat_server.answering = model_rows_answering(unguarded)
    assert [json.loads(row.content)["query_must"] for row in rows(models, tables)] == by_rule

    def one_is_wrong(said: dict[str, Any]) -> None:
        said["rows"][1]["query_must"]["contain_one_of"] = [["armor class 9"]]

    chat_server.answering = model_rows_answering(one_is_wrong)
    (given, none, *_) = [json.loads(row.content).get("query_must") for row in rows(models, renamed(tables))]
    assert (given, none) == ({"contain_one_of": [["armor class 9"]]}, None)


def renamed(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """The same under another caption, which is another request."""
    return tuple(replace(table, caption="To Hit") for table in tables)


def test_a_title_that_does_not_meet_the_condition_of_the_rules_is_theirs(chat_server, models):
    chat_server.answering = model_rows_answering(lambda _: None)
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
