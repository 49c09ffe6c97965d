"""The weights of words that ask for prose or for a row, fitted on questions that a test makes."""

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tools.cli import app
from tools.fit import question_kind
from tools.fit.logit import FittingError
from tools.fit.question_kind import KindExample, fit_kinds, fit_weights


def examples(n_books: int, n: int) -> list[KindExample]:
    drawn, result = random.Random(0), []
    for book in range(n_books):
        for number in range(n):
            word, is_prose = ("may", True) if number % 3 == 0 else ("price", False)
            terms = frozenset({"^", word, f"thing{drawn.randrange(4)}", f"only{book}"})
            result.append(KindExample(f"book{book}", terms, is_prose))
    return result


def test_words_of_few_books_get_no_weight_and_the_others_tell_the_kinds_apart() -> None:
    weights = dict(fit_weights(examples(question_kind.LEAST_BOOKS, 12)))
    assert weights["may"] > 1.0 > -1.0 > weights["price"]
    assert not any(term.startswith("only") for term in weights)


def test_both_kinds_count_the_same_however_many_questions_each_has() -> None:
    weights = dict(fit_weights(examples(question_kind.LEAST_BOOKS, 12)))
    assert weights["may"] == pytest.approx(-weights["price"], rel=0.05)
    assert abs(weights["^"]) < 0.1


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    for number in range(8):
        book = tmp_path / "town" / f"book{number}"
        book.mkdir(parents=True)
        (book / "a.md").write_text("# Fees\n\nNobody may fish here.\n")
        questions = [
            {"id": f"{kind}{n}", "query": f"{words} {n}", "kind": kind, "book": book.name}
            for kind, words in (("rule", "may anybody fish"), ("lookup", "price of item"), ("no-answer", "who is"))
            for n in range(6)
        ]
        lines = "".join(json.dumps({**question, "gold": []}) + "\n" for question in questions)
        (tmp_path / "town" / f"book{number}.open.jsonl").write_text(lines)
    return tmp_path


def test_the_command_says_how_well_left_out_books_are_told_apart_and_writes_when_asked(
    sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_kind, "LEAST_BOOKS", 3)
    shipped = tmp_path / "question_kind.json"
    monkeypatch.setattr(question_kind, "WEIGHTS", shipped)
    arguments = ["fit", "kinds", "--data", str(sets), "--home", str(tmp_path / "home")]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "48 questions for prose and 48 for rows, about 8 books" in result.stdout
    assert "books left out: 1.000" in result.stdout
    assert not shipped.exists()
    again = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert dict(json.loads(again.stdout)["weights"])["may"] > 0
    CliRunner().invoke(app, [*arguments, "--write"], catch_exceptions=False)
    assert json.loads(shipped.read_text())["may"] > 0 > json.loads(shipped.read_text())["price"]


def test_questions_of_one_kind_teach_nothing(sets: Path) -> None:
    for file in (sets / "town").glob("*.jsonl"):
        file.write_text("".join(line for line in file.read_text().splitlines(keepends=True) if "rule" not in line))
    with pytest.raises(FittingError, match="0 of 36 questions ask for prose"):
        fit_kinds(sets, sets, "open", None, 0, lambda *_: None)
