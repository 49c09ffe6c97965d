from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.building import book_verdict as module
from pipeline.building.book_verdict import BookVerdict, book_verdict
from retrieval.query_must.lint import Finding
from retrieval.query_must.vocabulary.vocabulary import Vocabulary, load_vocabulary

GENERIC = Vocabulary.default()
FOUND = BookVerdict(7, ("a cell is lost",), (Finding("empty_term", "Mace", "t1", "it asks nothing"),))


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., tuple[BookVerdict, bool]]:
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


def test_the_same_records_are_looked_at_once(asked: Callable[..., tuple[BookVerdict, bool]]) -> None:
    assert asked() == (FOUND, True)
    assert asked() == (FOUND, False)
    assert asked("cells") == (FOUND, True)
    assert asked() == (FOUND, False)


def test_whatever_the_verdict_depends_on_makes_it_anew(
    asked: Callable[..., tuple[BookVerdict, bool]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked()
    (tmp_path / "tables.jsonl").write_text("{ }\n")
    assert asked()[1], "other records"
    (tmp_path / "checked-predicates.json").write_text('{"key": 1}')
    assert asked()[1], "a verdict that cannot be read"
    (tmp_path / "vocabulary.toml").write_text('[aliases]\nblade = "sword"\n')
    words = load_vocabulary(tmp_path / "vocabulary.toml")
    assert asked(vocabulary=words)[1], "other words"
    monkeypatch.setattr(module, "program_version", lambda: "another")
    assert asked(vocabulary=words)[1], "another program"
    assert not asked(vocabulary=words)[1]
