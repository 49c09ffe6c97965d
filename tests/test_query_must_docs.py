"""The pages about query_must say what the code does: their Python runs, their JSON and their figures are the book's."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.questions.questions import load_questions
from evals.sample import SAMPLE_QUESTIONS
from retrieval.home import Home
from retrieval.query_must import OPERATORS, unregister_operator
from retrieval.query_must.lint import RULES, LintFinding
from retrieval.query_must.operators import always_asks
from retrieval.search.receipt import debug_lines
from retrieval.search.retriever import Retriever
from tools.pages.filtering_results import PAGE, FilterTimes, blocks
from tools.pages.marked_blocks import with_blocks

DOCS = Path(__file__).parents[1] / "docs"
MEANING = (DOCS / "reference" / "query_must.md").read_text("utf-8")
TEMPLATES = (DOCS / "how-to" / "query_must_templates.md").read_text("utf-8")
BUILT_IN = tuple(OPERATORS)


@pytest.fixture(scope="module")
def retriever(sample: Home) -> Iterator[Retriever]:
    opened = Retriever.open(sample.root)
    yield opened
    opened.snapshot.close()


@pytest.fixture
def registry() -> Iterator[None]:
    yield
    for name in set(OPERATORS) - set(BUILT_IN):
        unregister_operator(name)


def fenced(language: str, page: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["reference/query_must.md", "how-to/query_must_templates.md"])
@pytest.mark.usefixtures("registry")
def test_the_python_of_a_page_runs_from_top_to_bottom(name, sample, tmp_path, monkeypatch):
    (tmp_path / ".querymust").symlink_to(sample.root)
    monkeypatch.chdir(tmp_path)
    shared: dict[str, object] = {}
    for block in fenced("python", (DOCS / name).read_text("utf-8")):
        exec(compile(block, name, "exec"), shared)
    if "retriever" in shared:
        shared["retriever"].snapshot.close()  # type: ignore[attr-defined]


@pytest.mark.usefixtures("registry")
def test_the_operator_of_the_page_is_new() -> None:
    (block,) = [block for block in fenced("python", MEANING) if "register_operator(" in block]
    exec(compile(block, "query_must.md", "exec"), {})
    assert set(OPERATORS) - set(BUILT_IN) == {"contain_two_of"}


SHOWN = re.findall(r"^<!-- row: (.+?) \| (.+?) -->\n```json\n(.*?)^```", TEMPLATES, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("table", "key", "shown"), SHOWN, ids=[f"{table} {key}" for table, key, _ in SHOWN])
def test_a_template_is_what_the_rule_makes_of_the_row(retriever: Retriever, table: str, key: str, shown: str) -> None:
    (chunk,) = [
        chunk
        for chunk in retriever.snapshot.chunks
        if chunk.row_key == key and table in (chunk.caption, *chunk.heading_path)
    ]
    assert json.loads(chunk.query_must or "null") == json.loads(shown)


def test_attack_psionic_and_encounter_tables_are_shown() -> None:
    assert {table.split(" ")[0] for table, _, _ in SHOWN} == {"I.A.", "IV.C.", "Random"}


def test_no_terrain_table_always_asks_as_the_page_says(retriever: Retriever) -> None:
    rows = [
        chunk
        for chunk in retriever.snapshot.chunks
        if chunk.kind == "row" and ("Random Encounter" in chunk.title or "Encounter by Terrain" in chunk.title)
    ]
    assert len(rows) > 80
    assert not any(always_asks(chunk.query_must) for chunk in rows)
    (forest,) = [chunk for chunk in rows if chunk.row_key == "7" and "Forest" in chunk.title]
    assert {"roll 7", "badger sett", "druid and pupils"} <= set(forest.names)


def test_the_debug_lines_of_the_page_are_printed(retriever: Retriever) -> None:
    (shown,) = fenced("text", MEANING)
    retrieval = retriever.retrieve(
        "What does a 7th level cleric need to roll to hit AC 6?", strategy="prefilter", debug=True
    )
    printed = debug_lines(retrieval)
    assert [line for line in shown.splitlines() if line not in printed] == []


def test_every_rule_of_the_lint_is_listed_with_its_severity() -> None:
    listed = re.findall(r"^\| `(\w+)` \| .* \| (error|warning) \|$", MEANING, re.MULTILINE)
    assert dict(listed) == {rule: LintFinding(rule, "row", "table", "").severity for rule in RULES}


def test_every_operator_is_listed() -> None:
    assert [name for name in BUILT_IN if f"| `{name}` |" not in MEANING] == []


def test_the_results_are_those_of_the_sample_book(retriever: Retriever) -> None:
    page = PAGE.read_text("utf-8")
    made = blocks(retriever, FilterTimes.read())
    assert with_blocks(page, made) == page, "stale; run: python -m tools.pages.filtering_results"


def test_the_times_of_the_results_are_of_the_rounds_that_the_questions_take(retriever: Retriever) -> None:
    times, query = FilterTimes.read(), load_questions(SAMPLE_QUESTIONS)
    assert [question.query for question in times.questions] == [question.query for question in query]
    assert [example.query for example in times.examples] == [each.query for each in query if "example" in each.tags]
    taken = {
        question.query: len(retriever.retrieve(question.query, strategy="iterative").receipt.iterations)
        for question in times.questions
    }
    assert [
        example.query for example in (*times.examples, *times.questions) if len(example.rounds) != taken[example.query]
    ] == [], "stale; run on a machine that does nothing else: python -m tools.pages.filtering_results --times"


def test_a_changed_figure_makes_the_results_stale() -> None:
    page = PAGE.read_text("utf-8")
    assert with_blocks(page, {"examples": "| other |"}) != page
    with pytest.raises(ValueError, match="put the markers back"):
        with_blocks(page, {"no such part": ""})
