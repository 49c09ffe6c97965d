from dataclasses import replace

import pytest

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.enrichment import enriched, page_marks
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.prose_chunking import Cuts
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk, Document

TEXT = """# Magic

## Spells

### Fireball

_Evocation [Fire]_

**Level:** 3
**Casting Time:** 1 action
**Components:** V, S

Each creature must make a saving throw.

<!-- page 12 -->

# Combat

## Rules Glossary

### Prone [Condition]

A prone creature can only crawl.

## Monsters

### Owl

#### Actions

The owl bites with its beak, then flies off into the night without a sound,
and the mouse that it came for is gone before anybody has seen what happened.

## Weapons

| Weapon | Damage |
|---|---|
| Club | 1d6 |

# The Fall of Oldtown

The bells rang all night and the river rose.
"""

KINDS = ("spell", "feat", "monster", "item", "condition", "action", "table", "rule", "narrative")


def chunks_of(text: str, metadata: dict[str, str] | None = None) -> tuple[Chunk, ...]:
    book = parse_book(Book("tiny", "tiny", (Document("tiny", "one.md", text, metadata or {}),)))
    return chunk_book(book, extract_predicates(transform_tables(book.tables, Vocabulary.default())), Cuts(70))


CHUNKS = chunks_of(TEXT)


def under(heading: str) -> Chunk:
    return next(chunk for chunk in CHUNKS if chunk.heading_path[-1:] == (heading,))


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Fireball", "spell"),
        ("Prone [Condition]", "condition"),
        ("Actions", "monster"),
        ("Weapons", "table"),
        ("The Fall of Oldtown", "narrative"),
    ],
)
def test_headings_and_labels_say_what_a_chunk_is(heading: str, kind: str) -> None:
    assert under(heading).metadata["content_kind"] == kind


def test_every_chunk_has_a_known_kind_and_says_where_it_stands() -> None:
    for chunk in CHUNKS:
        assert chunk.metadata["content_kind"] in KINDS
        assert chunk.metadata["section_path"] == chunk.heading_path


def test_lines_that_classify_give_traits_and_passages_that_say_what_holds_bear_a_rule() -> None:
    assert under("Fireball").metadata["traits"] == ("evocation", "fire")
    assert "traits" not in under("The Fall of Oldtown").metadata
    assert under("Fireball").metadata["is_rule_bearing"] is True
    assert under("The Fall of Oldtown").metadata["is_rule_bearing"] is False


def test_the_page_is_that_of_the_last_mark_above() -> None:
    assert "page" not in under("Fireball").metadata
    assert under("Weapons").metadata["page"] == 12


@pytest.mark.parametrize("line", ["<!-- page 7 -->", "[page 7]", "{page: 7}"])
def test_a_line_of_its_own_marks_a_page(line: str) -> None:
    assert page_marks(Document("b", "d", f"text\n{line}\nsee [page 9] there", first_line=4)) == ((5, 7),)


@pytest.mark.parametrize("given", ["house rules", ("house rules", "magic")])
def test_the_tags_of_an_author_stand_before_those_of_the_chunk(given: str | tuple[str, ...]) -> None:
    told = [chunk.metadata["tags"] for chunk in chunks_of(TEXT, {"ruleset_id": "old-1", "tags": given})]
    own = [chunk.metadata.get("tags", ()) for chunk in chunks_of(TEXT, {"ruleset_id": "old-1"})]
    written = given if isinstance(given, tuple) else (given,)
    assert told == [tuple(dict.fromkeys((*written, *tags))) for tags in own]
    assert any(len(tags) > len(written) for tags in told)


def test_a_book_has_tags_of_games_only_if_it_says_that_it_is_one() -> None:
    assert all("tags" not in chunk.metadata for chunk in CHUNKS)
    told = {chunk.title: chunk.metadata.get("tags") for chunk in chunks_of(TEXT, {"ruleset_id": "old-1"})}
    assert any("magic" in (tags or ()) for tags in told.values())
    assert any("equipment" not in (tags or ()) for tags in told.values())


def test_what_the_author_says_wins() -> None:
    told = chunks_of(TEXT, {"content_kind": "lore", "tags": "mine"})
    assert {chunk.metadata["content_kind"] for chunk in told} == {"lore"}
    assert {chunk.metadata["tags"] for chunk in told} == {"mine"}


def test_nothing_but_the_metadata_changes_and_ids_do_not_depend_on_them() -> None:
    for chunk in CHUNKS:
        bare = replace(chunk, metadata={})
        assert replace(enriched(bare), metadata={}) == bare
    assert [chunk.id for chunk in chunks_of(TEXT, {"tags": "mine"})] == [chunk.id for chunk in CHUNKS]
