import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from evals.errors import FittingError
from pipeline.bench import relevance
from pipeline.bench.relevance import RelevanceReport, asked_of_books, fit_relevance
from retrieval.index.embedding.embedders import load_embedder
from retrieval.rag.calibration import ANY, Calibration

EMBEDDER = load_embedder("wordllama")
DISHES = ["barley soup", "plum dumpling", "rye bread", "pea stew", "apple tart", "onion pie", "oat porridge", "ham"]


@pytest.fixture(scope="module")
def three_books(small_sets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("three") / "data"
    shutil.copytree(small_sets / "armoury", root / "armoury")
    (root / "kitchen" / "menu").mkdir(parents=True)
    rows = [f"| {dish} | {place + 2} minutes |" for place, dish in enumerate(DISHES)]
    page = "\n".join(["# Menu", "", "| Dish | Cooking |", "|---|---|", *rows, ""])
    (root / "kitchen" / "menu" / "01.md").write_text(page)
    asked = [
        {
            "id": f"menu-{place}",
            "query": f"cooking of the {dish}",
            "gold": [{"document": "01.md", "row_key": dish, "snippet": rows[place]}],
        }
        for place, dish in enumerate(DISHES)
    ]
    asked += [{"id": "none", "query": "cooking of the octopus", "gold": []}]
    (root / "kitchen" / "menu.open.jsonl").write_text("".join(json.dumps(each) + "\n" for each in asked))
    return root


@pytest.fixture(scope="module")
def report(three_books: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[RelevanceReport, Path]:
    home = tmp_path_factory.mktemp("relevance")
    return fit_relevance(home, three_books, "open", EMBEDDER), home


def test_every_book_is_asked_its_own_questions_and_those_of_the_others(
    report: tuple[RelevanceReport, Path], three_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = asked_of_books(report[1], three_books, "open", EMBEDDER)
    people = {(each.book, each.source) for each in put if not each.generated}
    assert people == {(book, source) for book in ("arms", "camp", "menu") for source in ("arms", "camp", "menu")}
    assert all(each.answered == (each.book == each.source) for each in put if not each.is_near_miss)
    assert {each.question for each in put if each.is_near_miss and not each.generated} == {"cooking of the octopus"}
    monkeypatch.setattr(relevance, "KIN", ({"armoury", "sample"},))
    kin = asked_of_books(report[1], three_books, "open", EMBEDDER)
    assert ("arms", "camp") not in {(each.book, each.source) for each in kin}
    assert ("arms", "menu") in {(each.book, each.source) for each in kin}


def test_each_book_is_left_out_in_turn(report: tuple[RelevanceReport, Path]) -> None:
    found = report[0]
    assert [row.book for row in found.books] == ["arms", "camp", "menu"]
    assert found.together.reliability.n_answered == sum(row.reliability.n_answered for row in found.books)
    assert found.together.n_near == 1
    assert found.together.reliability.auc > 0.9
    assert [each.embedder for each in found.calibrations] == ["wordllama", ANY]


def test_a_report_is_written_twice_alike_beside_other_embedders(
    report: tuple[RelevanceReport, Path], tmp_path: Path
) -> None:
    file = tmp_path / "calibrations.json"
    other = {"embedder": "minilm", "strategy": "default", "names": ["alike"], "weights": [1.0], "intercept": 0.0}
    file.write_text(json.dumps([other]))
    report[0].write(tmp_path / "docs", file)
    files = [file, tmp_path / "docs" / "relevance.md", tmp_path / "docs" / "relevance.svg"]
    first = [path.read_bytes() for path in files]
    report[0].write(tmp_path / "docs", file)
    assert [path.read_bytes() for path in files] == first
    kept = {each["embedder"]: Calibration.of_json(each) for each in json.loads(first[0])}
    assert sorted(kept) == [ANY, "minilm", "wordllama"]
    assert kept["wordllama"] == report[0].calibrations[0]
    assert b"| all | " in first[1]
    assert first[2].startswith(b"<svg ")


def test_another_embedder_gets_a_page_of_its_own_and_leaves_the_rest(
    report: tuple[RelevanceReport, Path], tmp_path: Path
) -> None:
    file = tmp_path / "calibrations.json"
    report[0].write(tmp_path, file)
    before = {each["embedder"]: each for each in json.loads(file.read_text())}
    pages = (tmp_path / "relevance.md").read_bytes()
    own = replace(report[0].calibrations[0], embedder="st:BAAI/bge-m3")
    replace(report[0], calibrations=(own, replace(report[0].calibrations[1], intercept=9.0))).write(tmp_path, file)
    after = {each["embedder"]: each for each in json.loads(file.read_text())}
    assert after == before | {"st:BAAI/bge-m3": {**before["wordllama"], "embedder": "st:BAAI/bge-m3"}}
    assert (tmp_path / "relevance.md").read_bytes() == pages
    assert "(relevance_st_BAAI_bge_m3.svg)" in (tmp_path / "relevance_st_BAAI_bge_m3.md").read_text()
    assert (tmp_path / "relevance_st_BAAI_bge_m3.svg").is_file()


def test_two_books_are_too_few(small_sets: Path, report: tuple[RelevanceReport, Path]) -> None:
    with pytest.raises(FittingError, match="three books"):
        fit_relevance(report[1], small_sets, "open", EMBEDDER)
