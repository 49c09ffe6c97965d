"""What of an answer about a passage is taken, and what stays as the rules said it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from retrieval.ingest.model_passages.asked_passage import AskedPassage
from retrieval.ingest.model_passages.believing import believed
from retrieval.ingest.model_passages.form import ModelPassage
from retrieval.types import Chunk
from tests.retrieval.ingest.model_passages.conftest import BOOK, chunks_of, under

GOOD: dict[str, Any] = {
    "content_kind": "spell",
    "is_rule_bearing": True,
    "tags": ["magic"],
    "traits": ["fire"],
    "summary": "Within 20 feet of it creatures burn unless they save.",
}


@pytest.fixture
def asked() -> AskedPassage:
    return AskedPassage.of(under(chunks_of(BOOK, {"ruleset_id": "old-1"}), "Fireball"))


def test_what_is_on_the_lists_and_in_the_passage_is_taken(asked: AskedPassage) -> None:
    found = believed(ModelPassage(**GOOD), asked)
    assert found.dropped == ()
    assert found.metadata == GOOD | {"tags": ("magic",), "traits": ("evocation", "fire")}


@pytest.mark.parametrize(
    ("said", "part", "why"),
    [
        ({"content_kind": "recipe"}, "content_kind", "not among the kinds: 'recipe'"),
        ({"content_kind": "rule", "is_rule_bearing": False}, "content_kind", "a rule that bears no rule"),
        ({"content_kind": "narrative"}, "content_kind", "a narrative that bears a rule"),
        ({"tags": ["magic", "cooking"]}, "tags", "not among the tags: 'cooking'"),
        ({"traits": ["fire", "acid"]}, "traits", "not among the traits that stand there: 'acid'"),
        ({"summary": ""}, "summary", "it has 0 characters"),
        ({"summary": "burn " * 70}, "summary", "it has 349 characters"),
        ({"summary": "Creatures within 30 feet burn."}, "summary", "it says 30, which the passage does not"),
        ({"summary": "It burns as Merlin's does."}, "summary", "it names Merlin's, which the passage does not"),
        ({"summary": "This passage tells of burns."}, "summary", "it talks of the passage and not of what it says"),
    ],
)
def test_a_part_that_cannot_be_right_is_dropped_and_the_others_stay(
    asked: AskedPassage, said: dict[str, Any], part: str, why: str
) -> None:
    found = believed(ModelPassage(**GOOD | said), asked)
    assert [(each.part, each.why) for each in found.dropped] == [(part, why)]
    whole = believed(ModelPassage(**GOOD), asked).metadata
    gone = {"content_kind": {"content_kind", "is_rule_bearing"}, "summary": {"summary"}}.get(part, set())
    assert found.metadata == {key: value for key, value in whole.items() if key not in gone}


def test_a_name_is_the_passages_own_however_it_is_bent(asked: AskedPassage) -> None:
    chunk = replace(
        asked.chunk, text="Merlin's fire burns whoever is near, and it does not matter how they came there."
    )
    found = believed(ModelPassage(**GOOD | {"summary": "The fire of Merlin burns all."}), AskedPassage.of(chunk))
    assert found.metadata["summary"] == "The fire of Merlin burns all."


def test_the_kind_that_a_heading_says_stays(chunks: tuple[Chunk, ...]) -> None:
    asked = AskedPassage.of(under(chunks, "Prone [Condition]"))
    said = GOOD | {"summary": "Prone creatures crawl.", "tags": [], "traits": []}
    found = believed(ModelPassage(**said), asked)
    assert [each.why for each in found.dropped] == ["spell, and condition in its heading"]
    assert believed(ModelPassage(**said | {"content_kind": "condition"}), asked).dropped == ()


def test_no_tag_that_is_known_leaves_the_tags_and_none_at_all_takes_them_away(asked: AskedPassage) -> None:
    assert "tags" not in believed(ModelPassage(**GOOD | {"tags": ["cooking"]}), asked).metadata
    assert believed(ModelPassage(**GOOD | {"tags": []}), asked).metadata["tags"] == ()
