from dataclasses import replace
from uuid import UUID

import pytest

from retrieval.errors import InvalidDocumentError
from retrieval.ingest import chunking
from retrieval.language.vocabulary import Vocabulary
from retrieval.rag.contract import DOCUMENT_HASH, DOCUMENT_ID, RuleDocument, prepare

META = {"source": "Core", "doc_type": "core-rules", "last_update_date": "2026-03-14"}
GIVEN = RuleDocument(UUID(int=7), "a.md", "# Title\n\nA rule.\n", META)


@pytest.mark.parametrize("name", ["source", "doc_type", "last_update_date"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_required_metadata_that_is_missing_is_named(name: str, value: str | None) -> None:
    with pytest.raises(InvalidDocumentError, match=f"has no {name}"):
        prepare(replace(GIVEN, metadata={**META, name: value}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metadata": {}}, "has no source, doc_type, last_update_date; give them"),
        ({"metadata": {**META, "doc_type": "rulebook"}}, "rulebook.*core-rules, faq"),
        ({"metadata": {**META, "last_update_date": "spring"}}, "spring.*2026-03-14"),
        ({"metadata": {**META, "author": {"a": 1}}}, "author"),
        ({"content": " \n"}, "content is empty"),
        ({"content": None}, "content is empty"),
        ({"content": "a\0b"}, "content is empty, or no text"),
        ({"content": "a\ud800b"}, "half a character"),
        ({"document_id": "7"}, "not a UUID"),
        ({"filename": ""}, "filename"),
    ],
)
def test_a_document_that_cannot_be_used_says_why(change: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidDocumentError, match=said):
        prepare(replace(GIVEN, **change))


def test_a_document_is_a_book_of_its_own_with_what_identifies_it() -> None:
    ready = prepare(GIVEN)
    chunks, warnings = ready.cut(Vocabulary.default())
    assert {chunk.book for chunk in chunks} == {str(UUID(int=7))}
    assert {chunk.metadata[DOCUMENT_ID] for chunk in chunks} == {str(UUID(int=7))}
    assert {chunk.metadata[DOCUMENT_HASH] for chunk in chunks} == {ready.hash}
    assert chunks[0].metadata["title"] == "Title"
    assert (ready.warnings, warnings) == ((), ())


def test_what_is_given_beside_the_text_wins_over_its_front_matter() -> None:
    content = "---\nsource: Other\nauthor: Ann\nlast_update_date: 2026-03-14\n---\n# Title\n\nText.\n"
    metadata = prepare(
        replace(GIVEN, content=content, metadata={"source": "Core", "doc_type": "faq"})
    ).document.metadata
    assert (metadata["source"], metadata["author"], metadata["last_update_date"]) == ("Core", "Ann", "2026-03-14")


def test_a_document_without_title_is_called_as_its_file() -> None:
    ready = prepare(replace(GIVEN, content="Just text.\n"))
    assert ready.document.metadata["title"] == "a"
    assert "no title" in ready.warnings[0]
    assert "no heading" in ready.cut(Vocabulary.default())[1][0]


def test_any_change_is_another_hash_and_line_ends_are_none() -> None:
    same = prepare(GIVEN).hash
    assert prepare(replace(GIVEN, content=GIVEN.content.replace("\n", "\r\n"))).hash == same
    for change in ({"content": "# Title\n\nA rule!\n"}, {"filename": "b.md"}, {"metadata": {**META, "priority": 1}}):
        assert prepare(replace(GIVEN, **change)).hash != same  # type: ignore[arg-type]


def test_headings_that_skip_a_level_are_told_once() -> None:
    content = "# One\n\nText.\n\n### Three\n\nText.\n\n##### Five\n\nText.\n"
    _, warnings = prepare(replace(GIVEN, content=content)).cut(Vocabulary.default())
    assert warnings == ("goes from a heading of level 1 to one of level 3; one between them is missing",)


def test_a_document_without_anything_to_show_is_refused() -> None:
    with pytest.raises(InvalidDocumentError, match="its content has no text"):
        prepare(replace(GIVEN, content="<!-- later -->\n")).cut(Vocabulary.default())


def test_a_failed_rule_is_a_warning_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise IndexError("tuple index out of range")

    monkeypatch.setattr(chunking, "page_marks", failing)
    chunks, warnings = prepare(GIVEN).cut(Vocabulary.default())
    assert chunks
    assert any(warning.startswith("a.md: each page number of the document is missing") for warning in warnings)
