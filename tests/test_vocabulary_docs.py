"""What docs/how-to/vocabulary.md shows, as it is written there."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from retrieval.language.canonical import canonical
from retrieval.language.lexicon import Label
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from tests.test_docs import blocks, consoles, printed_by, prints

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "vocabulary.md").read_text("utf-8")


@pytest.mark.usefixtures("builds_here")
def test_the_words_of_the_page_find_the_rows_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (book,), (words,) = blocks("markdown", PAGE), blocks("toml", PAGE)
    (tmp_path / "books" / "harbour").mkdir(parents=True)
    (tmp_path / "books" / "harbour" / "berths.md").write_text(book)
    (tmp_path / "books" / "vocabulary.toml").write_text(words)
    monkeypatch.chdir(tmp_path)
    build, *questions = consoles(PAGE)
    assert len(questions) == 2
    for command, shown in (build, *questions):
        assert prints(shown, printed_by(command, monkeypatch, capsys)), command
    own = load_vocabulary(tmp_path / "books" / "vocabulary.toml")
    assert canonical("pier 2", own).text == canonical("bth. 2", own).text != canonical("pier 2").text


def test_every_key_is_documented() -> None:
    stored = Vocabulary.default().to_json()
    named = set(re.findall(r"`([^`]+)`", "".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))))
    keys = {f"[{section}]" for section in ("aliases", "words", "plurals")} | {"[labels.NAME]"}
    keys |= {f"[{section}.{key}]" for section in ("numbers", "bounds") for key in stored[section]}
    assert named == keys | set(stored["words"]) | {field.name for field in fields(Label)} - {"name"}
