"""What checks find in a book is kept."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.building import book_verdicts as module
from pipeline.building.book_verdicts import BookVerdict, book_verdict
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from retrieval.query_must.lint import LintFinding

GENERIC = Vocabulary.default()
FOUND = BookVerdict(7, ("a cell is lost",), (LintFinding("empty_term", "Mace", "t1", "it asks nothing"),))


@pytest.fixture
def ask_verdict(tmp_path: Path) -> Callable[..., tuple[BookVerdict, bool]]:
    """The verdict on two files, and whether anybody looked at them for it."""
    for name in ("rows.jsonl", "tables.jsonl"):
        (tmp_path / name).write_text("{}\n")

    def ask(check: str = "predicates", vocabulary: Vocabulary = GENERIC) -> tuple[BookVerdict, bool]:
        looked: list[int] = []

        def judge() -> BookVerdict:
            looked.append(1)
            return FOUND

        return book_verdict(tmp_path, check, ["rows.jsonl", "tables.jsonl"], vocabulary, judge), bool(looked)

    return ask


def test_the_same_records_are_looked_at_once(ask_verdict: Callable[..., tuple[BookVerdict, bool]]) -> None:
    assert ask_verdict() == (FOUND, True)
    assert ask_verdict() == (FOUND, False)
    assert ask_verdict("cells") == (FOUND, True)
    assert ask_verdict() == (FOUND, False)


def test_whatever_the_verdict_depends_on_makes_it_anew(ask_verdict, tmp_path, monkeypatch):
    ask_verdict()
    (tmp_path / "tables.jsonl").write_text("{ }\n")
    assert ask_verdict()[1], "other records"
    (tmp_path / "checked-predicates.json").write_text('{"key": 1}')
    assert ask_verdict()[1], "a verdict that cannot be read"
    (tmp_path / "vocabulary.toml").write_text('[aliases]\nblade = "sword"\n')
    words = load_vocabulary(tmp_path / "vocabulary.toml")
    assert ask_verdict(vocabulary=words)[1], "other words"
    monkeypatch.setattr(module, "program_version", lambda: "another")
    assert ask_verdict(vocabulary=words)[1], "another program"
    assert not ask_verdict(vocabulary=words)[1]
