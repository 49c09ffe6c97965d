"""Random documents: they are the same again, nothing falls, and what is lost or steep is noticed."""

import random

import pytest

from retrieval.ingest import chunking
from tools.bench import documents
from tools.bench.documents import (
    SHAPES,
    Author,
    DocumentsReport,
    Growth,
    chunks_of,
    grow,
    lost_words,
    over_nothing,
    run_documents,
)


def test_no_random_document_crashes_the_ingest_or_loses_a_word() -> None:
    told: list[str] = []
    report = run_documents(100, 0, lambda doing, *_: told.append(doing), timed=False)
    assert (report.documents, report.crashed, report.rule_failed, report.lost, report.said) == (100, 0, 0, 0, ())
    assert report.chunks > 500
    assert told == ["100 documents"]


def test_a_document_is_known_by_its_seed_and_is_of_many_kinds() -> None:
    def text(number: int) -> str:
        return Author(random.Random(f"0/{number}")).document()

    written = [text(number) for number in range(60)]
    assert written == [text(number) for number in range(60)]
    everything = "\n".join(written)
    for kind in ("<table>", "|---|", "```", "> ", "---\n", "rowspan", "colspan", "\u202e", "\x07", "    ", "1."):
        assert kind in everything, kind
    assert "@" not in everything, "each mark is a numbered word"


def test_a_lost_word_and_a_crash_are_counted_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoiled(text: str) -> tuple[()]:
        if len(text) % 2:
            raise KeyError(len(text))
        return ()

    monkeypatch.setattr(documents, "chunks_of", spoiled)
    report = run_documents(30, 0, lambda *_: None, timed=False)
    texts = [Author(random.Random(f"0/{number}")).document() for number in range(30)]
    assert report.crashed == sum(len(text) % 2 for text in texts) > 5
    assert report.lost == sum(len(text) % 2 == 0 and "w1x" in text and _shows(text) for text in texts) > 5
    assert any("KeyError" in each for each in report.said)
    assert any(" lost w1x" in each for each in report.said)


def test_a_failed_rule_is_counted_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise IndexError("tuple index out of range")

    monkeypatch.setattr(chunking, "page_marks", failing)
    report = run_documents(3, 0, lambda *_: None, timed=False)
    assert report.rule_failed == 3
    assert "generated.md: each page number of the document is missing" in report.said[0]


def _shows(text: str) -> bool:
    """Whether a document has a word that is not the name of a column without a value."""
    return bool(set(lost_words(text, ())) - over_nothing(text))


def test_only_the_name_of_a_column_without_a_value_is_not_kept() -> None:
    text = "# T\n\n| w1x | w2x |\n|---|---|\n| w3x |  |\n"
    assert lost_words(text, chunks_of(text)) == ["w2x"]
    assert over_nothing(text) == {"w2x"}
    assert over_nothing(text.replace("|  |", "| 4 |")) == frozenset()


def test_growth_is_that_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_quickest", lambda text: len(text) ** 2 / 1e6)
    result = grow("length of a sentence without blanks")
    assert result.exponent == pytest.approx(2, abs=0.01)
    report = DocumentsReport(0, 1, 0, 0, 0, 0, 0, 3, (), (result, Growth("rows", 9, 1.0, 1.1)))
    assert report.steep == (result,)
    assert [line.endswith("(too steep)") for line in report.lines()] == [False, True, False]


@pytest.mark.parametrize("of", SHAPES)
def test_every_shape_grows_and_is_read(of: str) -> None:
    _, write = SHAPES[of]
    assert len(write(16)) > len(write(2))
    assert chunks_of(write(2))
