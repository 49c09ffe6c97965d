import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.rag.relevance import ANY, NAMES, Calibration
from tools.fit import relevance
from tools.fit.logit import FittingError
from tools.fit.relevance import (
    WITHOUT_COSINES,
    Bin,
    Put,
    RelevanceReport,
    area,
    asked_of_books,
    by_book,
    diagram,
    fit,
    fit_relevance,
    left_out,
    of_books,
    reliability,
    share_above,
    weights_of,
)

EMBEDDER = load_embedder()
DISHES = ["barley soup", "plum dumpling", "rye bread", "pea stew", "apple tart", "onion pie", "oat porridge", "ham"]


@pytest.fixture(scope="module")
def three_books(small_sets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("three") / "data"
    shutil.copytree(small_sets / "armoury", root / "armoury")
    (root / "kitchen" / "menu").mkdir(parents=True)
    rows = [f"| {dish} | {position + 2} minutes |" for position, dish in enumerate(DISHES)]
    page = "\n".join(["# Menu", "", "| Dish | Cooking |", "|---|---|", *rows, ""])
    (root / "kitchen" / "menu" / "01.md").write_text(page)
    query = [
        {
            "id": f"menu-{position}",
            "query": f"cooking of the {dish}",
            "gold": [{"document": "01.md", "row_key": dish, "snippet": rows[position]}],
        }
        for position, dish in enumerate(DISHES)
    ]
    query += [{"id": "none", "query": "cooking of the octopus", "gold": []}]
    (root / "kitchen" / "menu.open.jsonl").write_text("".join(json.dumps(each) + "\n" for each in query))
    return root


@pytest.fixture(scope="module")
def report(three_books: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[RelevanceReport, Path]:
    home = tmp_path_factory.mktemp("relevance")
    return fit_relevance(home, three_books, "open", EMBEDDER), home


@pytest.mark.slow
def test_every_book_is_asked_its_own_questions_and_those_of_the_others(report, three_books, monkeypatch):
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
    result = report[0]
    assert [row.book for row in result.books] == ["arms", "camp", "menu"]
    assert result.together.reliability.n_answered == sum(row.reliability.n_answered for row in result.books)
    assert result.together.n_near == 1
    assert result.together.reliability.auc > 0.9
    assert [calibration.embedder for calibration in result.calibrations] == ["minilm", ANY]


def test_a_report_is_written_twice_alike_beside_other_embedders(report, tmp_path):
    file = tmp_path / "calibrations.json"
    other = {"embedder": "wordllama", "strategy": "default", "names": ["alike"], "weights": [1.0], "intercept": 0.0}
    file.write_text(json.dumps([other]))
    report[0].write(tmp_path / "docs", file)
    files = [file, tmp_path / "docs" / "relevance.md", tmp_path / "docs" / "relevance.svg"]
    first = [path.read_bytes() for path in files]
    report[0].write(tmp_path / "docs", file)
    assert [path.read_bytes() for path in files] == first
    kept = {record["embedder"]: Calibration.of_json(record) for record in json.loads(first[0])}
    assert sorted(kept) == [ANY, "minilm", "wordllama"]
    assert kept["minilm"] == report[0].calibrations[0]
    assert b"| all | " in first[1]
    assert first[2].startswith(b"<svg ")


def test_another_embedder_gets_a_page_of_its_own_and_leaves_the_rest(report, tmp_path):
    file = tmp_path / "calibrations.json"
    report[0].write(tmp_path, file)
    before = {record["embedder"]: record for record in json.loads(file.read_text())}
    pages = (tmp_path / "relevance.md").read_bytes()
    own = replace(report[0].calibrations[0], embedder="st:BAAI/bge-m3")
    replace(report[0], calibrations=(own, replace(report[0].calibrations[1], intercept=9.0))).write(tmp_path, file)
    after = {record["embedder"]: record for record in json.loads(file.read_text())}
    assert after == before | {"st:BAAI/bge-m3": {**before["minilm"], "embedder": "st:BAAI/bge-m3"}}
    assert (tmp_path / "relevance.md").read_bytes() == pages
    assert "(relevance_st_BAAI_bge_m3.svg)" in (tmp_path / "relevance_st_BAAI_bge_m3.md").read_text()
    assert (tmp_path / "relevance_st_BAAI_bge_m3.svg").is_file()


def test_two_books_are_too_few(small_sets: Path, report: tuple[RelevanceReport, Path]) -> None:
    with pytest.raises(FittingError, match="three books"):
        fit_relevance(report[1], small_sets, "open", EMBEDDER)


def example(book: str, source: str, answered: bool, generated: bool, dice: random.Random) -> Put:
    level = 0.7 if answered else 0.3
    values = [min(1.0, max(0.0, dice.gauss(level, 0.15))) for _ in NAMES]
    values[NAMES.index("unknown")] = 1 - values[0]
    values[NAMES.index("numbered")] = 1 - values[1]  # speaks against: a weight may not say so
    return Put("s", book, source, f"q{dice.random()}", generated, answered, tuple(values))


@pytest.fixture(scope="module")
def examples() -> tuple[Put, ...]:
    dice = random.Random(1)
    examples = []
    for book in "abc":
        for generated in (False, True):
            examples += [example(book, book, True, generated, dice) for _ in range(60)]
            examples += [
                example(book, other, False, generated, dice) for other in "abc" if other != book for _ in range(40)
            ]
        examples += [example(book, book, False, False, dice) for _ in range(5)]
    return tuple(examples)


def test_no_weight_works_against_what_it_measures(examples: tuple[Put, ...]) -> None:
    result = fit(examples, "wordllama", "default")
    weights = dict(zip(result.names, result.weights, strict=True))
    assert weights.pop("unknown") <= 0
    assert weights["numbered"] == 0
    assert min(weights.values()) >= 0
    assert max(weights.values()) > 1


def test_a_second_fit_is_the_same(examples: tuple[Put, ...]) -> None:
    assert fit(examples, "x", "default") == fit(examples, "x", "default")
    assert fit(examples, "any", "default", WITHOUT_COSINES).names == WITHOUT_COSINES
    assert set(NAMES) - set(WITHOUT_COSINES) == {"best_cosine", "ahead"}


def test_one_kind_of_question_fits_nothing(examples: tuple[Put, ...]) -> None:
    with pytest.raises(FittingError, match="one kind is missing"):
        fit([example for example in examples if example.answered], "x", "default")


def test_questions_with_and_without_an_answer_weigh_the_same_whatever_their_number(examples: tuple[Put, ...]) -> None:
    for some in (examples, examples[:70], [example for example in examples if not example.generated]):
        weights, answered = weights_of(some), np.asarray([each.answered for each in some])
        assert weights[answered].sum() == pytest.approx(0.5)
        assert weights.sum() == pytest.approx(1.0)
    weights = weights_of(examples)
    near = np.asarray([example.is_near_miss for example in examples])
    people = np.asarray([not example.generated and example.answered for example in examples])
    assert weights[near].sum() == pytest.approx(0.5 * 0.12)
    assert weights[people].sum() == pytest.approx(0.5 * 0.8)


def test_a_book_is_judged_by_what_had_nothing_of_it(examples: tuple[Put, ...]) -> None:
    relevance = left_out(examples, "x", "default")
    without = fit([example for example in examples if "a" not in {example.book, example.source}], "x", "default")
    at = [position for position, example in enumerate(examples) if example.book == "a"]
    expected = [without.of(np.asarray([examples[position].values]))[0] for position in at]
    assert relevance[at] == pytest.approx(expected)


def test_a_row_a_book_counts_people_s_questions_and_generated_ones_apart(examples: tuple[Put, ...]) -> None:
    relevance = left_out(examples, "x", "default")
    rows = by_book(examples, relevance)
    assert [row.book for row in rows] == ["a", "b", "c"]
    first = rows[0]
    assert (first.reliability.n_answered, first.reliability.n_unanswered, first.n_near) == (60, 85, 5)
    assert first.reliability.auc > 0.95
    assert (first.met_answered or 0) > 0.8 > 0.2 > (first.met_other or 0)
    assert first.met_generated is not None
    assert of_books("none", examples[:10], relevance[:10], 0.6) is None


def test_what_is_always_true_has_no_error() -> None:
    result = reliability(np.asarray([1.0, 1.0, 0.0]), np.asarray([True, True, False]))
    assert (result.ece, result.auc) == (0.0, 1.0)
    assert result.bins == (Bin(1, 0.0, 0.0), Bin(2, 1.0, 1.0))


def test_both_kinds_weigh_the_same_whatever_their_number() -> None:
    relevance, answered = np.full(10, 0.8), np.asarray([True] * 8 + [False] * 2)
    result = reliability(relevance, answered)
    assert result.bins == (Bin(10, pytest.approx(0.8), pytest.approx(0.5)),)
    assert result.ece == pytest.approx(0.3)
    assert result.auc == 0.5
    assert (result.n_answered, result.n_unanswered) == (8, 2)


def test_the_error_is_worked_out_by_hand() -> None:
    relevance = np.asarray([0.95, 0.65, 0.62, 0.05])
    answered = np.asarray([True, True, False, False])
    # bins 0.9: 1/4 x 0.05, 0.6: 1/2 x |0.635 - 0.5|, 0.0: 1/4 x 0.05
    assert reliability(relevance, answered).ece == pytest.approx(0.25 * 0.05 + 0.5 * 0.135 + 0.25 * 0.05)
    assert area(relevance, answered) == 1.0


def test_a_share_of_nothing_is_none() -> None:
    assert share_above(np.asarray([0.6, 0.59]), [True, True], 0.6) == 0.5
    assert share_above(np.asarray([0.6]), [False], 0.6) is None


def test_the_diagram_has_a_point_for_each_bin_and_the_true_ones_on_its_diagonal() -> None:
    drawn = diagram((Bin(1, 0.0, 0.0), Bin(4, 1.0, 1.0)), "Reliability")
    assert drawn.count("<circle") == 2
    assert 'cx="46.0" cy="274.0"' in drawn
    assert 'cx="306.0" cy="14.0"' in drawn
    assert "4 questions: said 1.00, true 1.00" in drawn
    assert drawn == diagram((Bin(1, 0.0, 0.0), Bin(4, 1.0, 1.0)), "Reliability")
