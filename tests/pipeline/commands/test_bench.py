import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.benchmarks.sets import BENCHMARKS
from pipeline.bench.results_page import DATA_FILE, PAGE_FILE, Results, results_page
from pipeline.cli import app
from pipeline.commands.bench import SETS
from retrieval.errors import RetrievalError, UnknownNameError
from retrieval.search.strategies import STRATEGIES

TABLE = "# Weapons\n\n| Weapon | Damage |\n|---|---|\n| Dagger | 1d4 |\n| Mace | 1d6 |\n| Long sword | 1d8 |\n"
FIELDS = ["set", "split", "book", "kind", "strategy", "metric", "value", "low", "high", "n"]


def jsonl(path: Path, *records: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets under one folder: books with questions, and tables with questions."""
    root = tmp_path_factory.mktemp("data")
    gold = {"document": "01.md", "row_key": "Dagger", "snippet": "| Dagger | 1d4 |"}
    for book in ("arms", "more-arms"):
        (root / "ttrpg" / book).mkdir(parents=True)
        (root / "ttrpg" / book / "01.md").write_text(TABLE)
        question = {"id": f"{book}-1", "book": book, "kind": "lookup", "query": "dagger damage", "gold": [gold]}
        none = {"id": f"{book}-2", "book": book, "kind": "no-answer", "query": "price of a whip", "gold": []}
        jsonl(root / "ttrpg" / f"{book}.open.jsonl", question, none)
    jsonl(root / "wikisql-rows" / "open.tables.jsonl", {"table_id": "t", "markdown": TABLE})
    query = {"id": "w1", "query": "damage of the mace", "table_id": "t", "gold_rows": [1], "conds": [{}]}
    jsonl(root / "wikisql-rows" / "open.queries.jsonl", query)
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def bench(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["bench", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def numbers(data: Path, home: Path, name: str, *arguments: str) -> list[dict[str, object]]:
    printed = bench(name, "--data", data / name, "--split", "open", "--home", home, "--json", *arguments)
    found: list[dict[str, object]] = json.loads(printed)
    return found


def test_every_set_has_a_command() -> None:
    assert set(SETS) == set(BENCHMARKS)


def test_json_is_one_flat_list(data: Path, home: Path) -> None:
    found = numbers(data, home, "ttrpg")
    assert all(list(each) == FIELDS for each in found)
    places = {(each["book"], each["kind"]) for each in found}
    assert places >= {("*", "*"), ("arms", "*"), ("*", "lookup"), ("more-arms", "no-answer")}
    assert {each["strategy"] for each in found} == {"*", *STRATEGIES}
    (whole,) = [
        each
        for each in found
        if (each["book"], each["kind"], each["strategy"], each["metric"]) == ("*", "*", "default", "hit@1")
    ]
    assert (whole["value"], whole["n"]) == (1.0, 2)
    (evaluable,) = [
        each for each in found if each["metric"] == "evaluability" and (each["book"], each["kind"]) == ("*", "*")
    ]
    assert (evaluable["value"], evaluable["n"]) == (1.0, 2)


def test_one_strategy_alone_is_asked_for_by_name(data: Path, home: Path) -> None:
    found = numbers(data, home, "wikisql-rows", "--strategy", "default")
    assert {each["strategy"] for each in found} == {"*", "default"}
    assert {each["set"] for each in found} == {"wikisql-rows", "wikisql-rows-within"}


def test_an_index_is_built_once_and_finished_rows_are_not_asked_again(data: Path, home: Path) -> None:
    before = numbers(data, home, "wikisql-rows")
    built = {path: path.stat().st_mtime_ns for path in (home / "benchmarks" / "snapshots").rglob("*.npy")}
    assert built
    assert numbers(data, home, "wikisql-rows") == before  # milliseconds, too, are those of the first run
    assert {path: path.stat().st_mtime_ns for path in (home / "benchmarks" / "snapshots").rglob("*.npy")} == built


def test_a_person_gets_tables(data: Path, home: Path) -> None:
    printed = bench("ttrpg", "--data", data / "ttrpg", "--split", "open", "--home", home, "--strategy", "bm25")
    assert "### ttrpg, open" in printed
    assert "| arms | lookup | bm25 | 1 |" in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ttrpg", "--data", "nowhere", "--split", "open"), "is not a folder"),
        (("ttrpg", "--data", "DATA/ttrpg", "--split", "held"), "has no <book>.held.jsonl"),
        (("wtq-rows", "--data", "DATA/wikisql-rows", "--split", "held"), "has no held.tables.jsonl"),
        (("passages", "--data", "DATA/ttrpg", "--split", "open"), "has no <collection>.open.jsonl.gz"),
        (("all", "--data", "DATA/ttrpg"), "no set with the split 'open' is under"),
    ],
)
def test_what_is_missing_is_one_line(data: Path, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    given = [each.replace("DATA", str(data)) for each in arguments]
    with pytest.raises(RetrievalError, match=sentence) as caught:
        bench(*given, "--home", tmp_path)
    assert "\n" not in str(caught.value)


def test_an_unknown_strategy_is_refused_before_anything_is_built(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no strategy is called 'best'"):
        bench("ttrpg", "--data", data / "ttrpg", "--split", "open", "--home", tmp_path, "--strategy", "best")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def docs(data: Path, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("docs")
    bench("all", "--data", data, "--home", home, "--docs", folder)
    return folder


def test_all_sets_become_one_page(docs: Path) -> None:
    page = (docs / PAGE_FILE).read_text("utf-8")
    assert all(f"### {name}, open" in page for name in ("ttrpg", "wikisql-rows", "wikisql-rows-within"))
    assert "### wtq-rows" not in page
    assert "| wikisql-rows | * | * | hit@1 | 0.671 | 1.000 | +0.329 * |" in page


def test_a_page_is_made_from_its_data_alone(docs: Path) -> None:
    assert results_page(Results.read(docs)) == (docs / PAGE_FILE).read_text("utf-8")
    assert json.loads((docs / DATA_FILE).read_text("utf-8"))["cores"] >= 1


def test_one_strategy_writes_no_page(data: Path, home: Path, tmp_path: Path) -> None:
    bench("all", "--data", data, "--home", home, "--docs", tmp_path / "docs", "--strategy", "bm25")
    assert not (tmp_path / "docs").exists()
