import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retrieval.errors import RetrievalError, UnknownNameError
from retrieval.index.embedding.embedders import load_embedder
from retrieval.search.rerank.features import NAMES
from retrieval.search.rerank.trees import Trees
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import Strategy
from tools.bench import run as contestants
from tools.bench.results_page import DATA_FILE, LEFT_OUT, PAGE_FILE, SHIPPED, Results, results_page
from tools.cli import app
from tools.corpora import fts5
from tools.corpora.books import Corpus, read_books
from tools.corpora.sets import FORMATS
from tools.fit.trees import trees_without
from tools.set_commands import SETS, run_set

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
        (root / "armoury" / book).mkdir(parents=True)
        (root / "armoury" / book / "01.md").write_text(TABLE)
        question = {"id": f"{book}-1", "book": book, "kind": "lookup", "query": "dagger damage", "gold": [gold]}
        none = {"id": f"{book}-2", "book": book, "kind": "no-answer", "query": "price of a whip", "gold": []}
        jsonl(root / "armoury" / f"{book}.open.jsonl", question, none)
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
    command = name if name in SETS else "books"
    printed = bench(command, "--data", data / name, "--split", "open", "--home", home, "--json", *arguments)
    numbers: list[dict[str, object]] = json.loads(printed)
    return numbers


def test_every_set_has_a_command() -> None:
    assert set(SETS) == set(FORMATS)


def test_json_is_one_flat_list(data: Path, home: Path) -> None:
    result = numbers(data, home, "armoury")
    assert all(list(each) == FIELDS for each in result)
    places = {(each["book"], each["kind"]) for each in result}
    assert places >= {("*", "*"), ("arms", "*"), ("*", "lookup"), ("more-arms", "no-answer")}
    assert {each["strategy"] for each in result} == {"*", *STRATEGIES, "fts5"}
    (whole,) = [
        each
        for each in result
        if (each["book"], each["kind"], each["strategy"], each["metric"]) == ("*", "*", "default", "hit@1")
    ]
    assert (whole["value"], whole["n"]) == (1.0, 2)
    (evaluable,) = [
        each for each in result if each["metric"] == "evaluability" and (each["book"], each["kind"]) == ("*", "*")
    ]
    assert (evaluable["value"], evaluable["n"]) == (1.0, 2)


def test_one_strategy_alone_is_asked_for_by_name(data: Path, home: Path) -> None:
    result = numbers(data, home, "wikisql-rows", "--strategy", "default")
    assert {each["strategy"] for each in result} == {"*", "default"}
    assert {each["set"] for each in result} == {"wikisql-rows", "wikisql-rows-within"}


def test_an_index_is_built_once_and_finished_rows_are_not_asked_again(data: Path, home: Path) -> None:
    before = numbers(data, home, "wikisql-rows")
    built = {path: path.stat().st_mtime_ns for path in (home / "benchmarks" / "snapshots").rglob("*.npy")}
    assert built
    assert numbers(data, home, "wikisql-rows") == before  # milliseconds, too, are those of the first run
    assert {path: path.stat().st_mtime_ns for path in (home / "benchmarks" / "snapshots").rglob("*.npy")} == built


def test_a_person_gets_tables(data: Path, home: Path) -> None:
    printed = bench("wikisql-rows", "--data", data / "wikisql-rows", "--split", "open", "--home", home)
    assert "### wikisql-rows-within, open" in printed
    assert "| * | one-condition | bm25 | 1 |" in printed


def test_a_set_of_books_is_called_as_its_folder_and_shown_by_book_and_kind(data: Path, home: Path) -> None:
    printed = bench("books", "--data", data / "armoury", "--home", home)
    pooled, parts = printed.split("### armoury, open")[1:]
    assert "| strategy | n | hit@1 | hit@5 | hit@10 | mrr |" in pooled
    assert all(f"| {name} | 2 |" in pooled for name in STRATEGIES)
    assert "| * | * | default | 2 |" in parts
    assert "| arms | lookup | default | 1 | 1.000 " in parts
    assert "| bm25 |" not in parts
    cells = parts.split("`default` against the best other")[1]
    assert "| armoury | arms | look-up | 1 | 1.000, bm25 1.000, p 1.000 |" in cells
    assert "| armoury | * | look-up | 2 |" in cells


def test_the_reference_is_asked_in_the_same_run_for_every_set(data: Path, home: Path) -> None:
    for name in ("armoury", "wikisql-rows"):
        query = [
            number
            for number in numbers(data, home, name)
            if number["strategy"] == "fts5" and number["metric"] == "hit@1"
        ]
        assert {each["set"] for each in query} >= {name}
        assert all(each["value"] == 1.0 for each in query)


def test_a_missing_reference_is_said_once(data: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fts5, "why_missing", lambda: "SQLite has no FTS5")
    monkeypatch.setattr(contestants, "why_missing", lambda: "SQLite has no FTS5")
    arguments = ["bench", "books", "--data", str(data / "armoury"), "--home", str(home)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.stderr == "left out: fts5: SQLite has no FTS5\n"
    assert "| bm25 |" in done.stdout
    assert "fts5" not in done.stdout


def test_the_strategies_that_are_asked_for_are_shown_by_book_and_kind(data: Path, home: Path) -> None:
    printed = bench("books", "--data", data / "armoury", "--home", home, "--strategy", "bm25", "--strategy", "dense")
    assert "| arms | lookup | bm25 | 1 |" in printed
    assert "| arms | lookup | dense | 1 |" in printed


def test_two_sets_of_one_name_are_refused(data: Path, home: Path) -> None:
    folders = ("--data", data / "armoury", "--data", data / "armoury")
    done = CliRunner().invoke(app, ["bench", "books", *map(str, folders), "--home", str(home)])
    assert done.exit_code == 2
    assert "two folders have one name: armoury, armoury" in done.stderr


def test_questions_are_generated_over_several_folders_together(data: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "tools" / "saws").mkdir(parents=True)
    (tmp_path / "tools" / "saws" / "01.md").write_text(TABLE.replace("Weapon", "Saw").replace("Dagger", "Rip saw"))
    (tmp_path / "arms" / "swords").mkdir(parents=True)
    (tmp_path / "arms" / "swords" / "01.md").write_text(TABLE)
    folders = ("--data", tmp_path / "tools", "--data", tmp_path / "arms")
    result = json.loads(bench("generated", *folders, "--home", home, "--strategy", "bm25", "--json"))
    assert {(each["set"], each["split"]) for each in result} == {("generated", "seed0")}
    assert {each["book"] for each in result} == {"*", "saws", "swords"}
    query = {each["book"]: each["n"] for each in result if each["metric"] == "hit@1" and each["kind"] == "*"}
    assert query["*"] == query["saws"] + query["swords"]


@pytest.mark.usefixtures("lightgbm")
def test_a_book_is_ranked_by_trees_that_it_had_no_say_in(small_sets: Path, tmp_path: Path) -> None:
    arguments = ("--home", tmp_path, "--strategy", "default", "--json")
    plain = bench("books", "--data", small_sets / "armoury", *arguments)
    left_out = bench("books", "--data", small_sets / "armoury", "--leave-out", small_sets, *arguments)
    (trees,) = (tmp_path / "benchmarks" / "trees").glob("*.json")

    assert Trees.read(trees).names == NAMES
    assert [record["n"] for record in json.loads(left_out)] == [record["n"] for record in json.loads(plain)]


@pytest.mark.slow
@pytest.mark.usefixtures("lightgbm")
def test_the_page_says_whether_what_ships_was_asked(small_sets: Path, tmp_path: Path) -> None:
    for name, arguments, sentence in (("left", (), LEFT_OUT), ("ships", ("--shipped",), SHIPPED)):
        bench("all", "--data", small_sets, "--home", tmp_path / "home", "--docs", tmp_path / name, *arguments)
        page = " ".join((tmp_path / name / PAGE_FILE).read_text().split())
        assert " ".join(sentence.split()) in page
        assert Results.read(tmp_path / name).left_out == (name == "left")
    home = tmp_path / "home" / "benchmarks"
    expected = trees_without(["arms", "wikisql-rows.open"], home, small_sets, "open", load_embedder("wordllama"))
    assert set((home / "trees").glob("*.json")) == set(expected.values())


def test_strategies_can_be_replaced_in_a_corpus(data: Path, home: Path) -> None:
    def instead(corpus: Corpus, asked: Strategy) -> Strategy:
        return replace(asked, lexical_weight=0.0, dense_weight=1.0) if corpus.name == "arms" else asked

    read = partial(read_books, data / "armoury", "open")
    plain = run_set("armoury", "open", read, ["bm25"], home)
    replaced = run_set("armoury", "open", read, ["bm25"], home, instead)
    scores = [{(row.book, row.kind): row.deep_scores for row in run.rows} for run in (plain, replaced)]
    assert {row.strategy for row in replaced.rows} == {"bm25"}
    assert scores[0]["arms", "lookup"] != scores[1]["arms", "lookup"]
    assert scores[0]["more-arms", "lookup"] == scores[1]["more-arms", "lookup"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("books", "--data", "nowhere"), "is not a folder"),
        (
            ("books", "--data", "DATA/armoury", "--split", "held"),
            "has no <book>.held.jsonl .*: arms: open; more-arms: ",
        ),
        (("books", "--data", "DATA/wikisql-rows"), "holds no markdown"),
        (("generated", "--data", "DATA/armoury", "--split", "open"), "such as seed0; not 'open'"),
        (("wtq-rows", "--data", "DATA/wikisql-rows", "--split", "held"), "has no held.tables.jsonl"),
        (("passages", "--data", "DATA/armoury", "--split", "open"), "has no <collection>.open.jsonl.gz"),
        (("all", "--data", "DATA/armoury"), "it is a set of books itself: name "),
        (("all", "--data", "DATA/armoury/arms"), "no set with the split 'open' is under"),
    ],
)
def test_what_is_missing_is_one_line(data: Path, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    given = [argument.replace("DATA", str(data)) for argument in arguments]
    with pytest.raises(RetrievalError, match=sentence) as caught:
        bench(*given, "--home", tmp_path)
    assert "\n" not in str(caught.value)


def test_an_unknown_strategy_is_refused_before_anything_is_built(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no strategy is called 'best'"):
        bench("books", "--data", data / "armoury", "--home", tmp_path, "--strategy", "best")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def docs(data: Path, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("docs")
    bench("all", "--data", data, "--home", home, "--docs", folder, "--shipped")
    return folder


def test_all_sets_become_one_page(docs: Path) -> None:
    page = (docs / PAGE_FILE).read_text("utf-8")
    assert all(f"### {name}, open" in page for name in ("armoury", "wikisql-rows", "wikisql-rows-within"))
    assert "### wtq-rows" not in page
    assert "| armoury | more-arms | look-up | 1 | 1.000, " in page
    assert "| fts5 |" in page
    assert "| wikisql-rows | * | * | hit@1 | 0.671 | 1.000 | +0.329 * |" in page


def test_a_page_is_made_from_its_data_alone(docs: Path) -> None:
    assert results_page(Results.read(docs)) == (docs / PAGE_FILE).read_text("utf-8")
    assert json.loads((docs / DATA_FILE).read_text("utf-8"))["cores"] >= 1


def test_the_page_shows_the_cells_that_the_terminal_shows(data: Path, home: Path, docs: Path) -> None:
    printed = bench("books", "--data", data / "armoury", "--home", home)
    shown = [line for line in printed.splitlines() if line.startswith("| armoury |")]
    assert len(shown) == 3
    assert set(shown) <= set((docs / PAGE_FILE).read_text("utf-8").splitlines())


def test_one_strategy_writes_no_page(data: Path, home: Path, tmp_path: Path) -> None:
    bench("all", "--data", data, "--home", home, "--docs", tmp_path / "docs", "--strategy", "bm25", "--shipped")
    assert not (tmp_path / "docs").exists()
