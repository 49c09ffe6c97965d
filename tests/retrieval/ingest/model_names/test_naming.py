"""Names for the rows of the rules, from a fake model on a real socket; what is wrong leaves the rows as they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import ModelKeyError
from retrieval.ingest.model_names.naming import RowNames, names_prompt_version
from retrieval.ingest.model_tables.transforming import ModelTables, Transformed, reasons
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.access import Access
from retrieval.models.spending import ModelOptions, chat_price
from retrieval.types import Book, Document
from tests.openai_server.faults import AtRandom, InTurn
from tests.openai_server.server import KEY, FakeOpenAi

MODEL = "gpt-4o-mini"
FRAMES = """# Frames

## Airframes

| Frame | Motors | Weight |
|---|---|---|
| QUADROTOR | 4 | 2 kg |
| HEXAROTOR | 6 | 3 kg |
| HELICOPTER | 1 | 4 kg |
"""
SAID = {
    "QUADROTOR": ["quadcopter", "drone"],
    "HEXAROTOR": ["hexacopter", "drone", "frame"],
    "HELICOPTER": ["chopper 9"],
}

Naming = Callable[..., ModelTables]


def calling(body: Mapping[str, Any]) -> str:
    """A model that knows these frames and says more than is true."""
    table = json.loads(body["messages"][1]["content"])
    rows = [
        {"row": row["row"], "names": SAID.get(row["cells"][0], [f"the {row['cells'][0]} thing"])}
        for row in table["rows"]
    ]
    return json.dumps({"rows": rows})


@pytest.fixture
def tables() -> tuple[Table, ...]:
    return parse_book(Book("b", "B", (Document("b", "frames.md", FRAMES),))).tables


@pytest.fixture
def naming(chat_server: FakeOpenAi, tmp_path: Path) -> Naming:
    chat_server.answering, chat_server.retry_after = calling, "0.001"

    def made(access: Access | None = None, **options: Any) -> ModelTables:
        known: dict[str, Any] = {"price": chat_price(MODEL), "retries": 1, "timeout": 5.0}
        at = Access.of_environment(chat_server.environment) if access is None else access
        return ModelTables(at, tmp_path / "models", ModelOptions(MODEL, **known | options), RowNames())

    return made


def named(naming: ModelTables, tables: tuple[Table, ...]) -> Transformed:
    done = naming.transform(tables, Vocabulary.default(), [FRAMES], {table.id for table in tables})
    assert [replace(row, names=()) for row in done.rows] == [replace(row, names=()) for row in done.offline]
    assert all(set(before.names) <= set(row.names) for row, before in zip(done.rows, done.offline, strict=True))
    return done


def added(done: Transformed) -> dict[str, set[str]]:
    pairs = zip(done.rows, done.offline, strict=True)
    return {row.key: set(row.names) - set(before.names) for row, before in pairs}


def test_names_that_can_be_no_other_rows_are_added_and_the_others_are_told(naming, tables, chat_server):
    done = named(naming(), tables)
    assert added(done) == {"QUADROTOR": {"quadcopter"}, "HEXAROTOR": {"hexacopter"}, "HELICOPTER": set()}
    told = {each.ordinal: each.why for each in done.dropped}
    assert "'drone' is another row's too" in told[0]
    assert "'frame' applies to the whole table" in told[1]
    assert "'chopper 9' says 9, which the row does not" in told[2]
    assert (done.bill.prompt, done.bill.model) == (names_prompt_version(), MODEL)
    assert done.bill.used.total == chat_server.counts.prompt + chat_server.counts.completion
    assert (done.n_waiting, len(done.by_model)) == (0, 1)


def test_an_answer_is_paid_once_and_the_rows_of_tables_that_were_not_chosen_stay(naming, tables, chat_server):
    first, second = named(naming(), tables), named(naming(), tables)
    assert (first.rows, second.bill.used.total, len(chat_server.asked)) == (second.rows, 0, 1)
    assert naming().unanswered(tables, Vocabulary.default(), {table.id for table in tables}) == ()
    other = naming().transform(tables, Vocabulary.default(), [FRAMES], frozenset())
    assert (other.rows, other.outcomes) == (other.offline, ())


def test_names_come_in_a_batch_for_half_the_price(naming, tables, chat_server):
    done = named(naming(batch=True, pause=0.01), tables)
    assert added(done)["HEXAROTOR"] == {"hexacopter"}
    assert chat_server.asked == []
    assert done.bill.usd == pytest.approx(chat_server.counts.usd(0.15, 0.60))
    assert chat_server.counts.batch_prompt > 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("refusal", "refused or wrong"),
        ("truncated", "refused or wrong"),
        ("malformed", "refused or wrong"),
        ("broken", "not reached"),
    ],
)
def test_without_an_answer_of_use_the_rows_are_those_of_the_rules(naming, tables, chat_server, fault, reason):
    chat_server.plan = InTurn([fault] * 2)
    done = named(naming(), tables)
    assert done.rows == done.offline
    assert reasons(done.outcomes) == {reason: 1}


def test_rows_and_numbers_that_a_model_makes_up_name_nothing(naming, tables, chat_server):
    chat_server.answering = lambda _: json.dumps(
        {"rows": [{"row": 17, "names": ["copter"]}, {"row": 0, "names": [""]}]}
    )
    done = named(naming(), tables)
    assert done.rows == done.offline


def test_without_a_key_it_is_said_and_what_was_paid_for_counts(naming: Naming, tables: tuple[Table, ...]) -> None:
    without = named(naming(Access()), tables)
    assert (without.rows, reasons(without.outcomes)) == (without.offline, {"no key": 1})
    assert without.n_waiting == 1
    paid = named(naming(), tables)
    assert named(naming(Access()), tables).rows == paid.rows


def test_a_refused_key_is_one_line_without_the_key(naming, tables, chat_server):
    chat_server.plan = lambda _: "key"
    with pytest.raises(ModelKeyError, match="was rejected") as refused:
        named(naming(), tables)
    assert KEY not in str(refused.value)


def test_nothing_is_spent_past_the_budget_and_a_larger_one_goes_on(naming, tables, chat_server):
    done = named(naming(budget_usd=0.00001), tables)
    assert (reasons(done.outcomes), done.bill.usd, chat_server.asked) == ({"budget": 1}, 0.0, [])
    assert added(named(naming(budget_usd=1.0), tables))["HEXAROTOR"] == {"hexacopter"}


def test_of_a_hundred_tables_and_all_faults_no_row_is_lost_and_no_false_name_is_believed(naming, chat_server):
    table = "| Weapon | Damage |\n|---|---|\n| Sword of {0} | 1d6 |\n| Axe of {0} | 1d8 |\n"
    text = "# Arms\n\n" + "\n".join(f"## Nation {n}\n\n{table.format(chr(97 + n % 26) * 3)}" for n in range(100))
    many = parse_book(Book("b", "B", (Document("b", "arms.md", text),))).tables
    faults = AtRandom(5, 0.3, ["busy", "broken", "cut", "malformed", "refusal", "truncated", "stall"])
    chat_server.plan = faults
    done = naming(retries=3, timeout=0.5).transform(many, Vocabulary.default(), [text], {each.id for each in many})
    assert len(set(faults.happened)) == 7
    assert len(done.rows) == len(done.offline) == 200
    for row, before in zip(done.rows, done.offline, strict=True):
        assert set(row.names) - set(before.names) <= {f"the {row.key} thing"}
    assert done.by_model
