"""What is sent of a passage, and which passages are not."""

from __future__ import annotations

import json
from dataclasses import replace

from retrieval.ingest.model_passages.asked_passage import (
    LEAST,
    MOST,
    AskedPassage,
    passages_prompt_version,
    why_unsent,
)
from retrieval.ingest.model_passages.form import ModelPassage
from retrieval.types import Chunk
from tests.retrieval.ingest.model_passages.conftest import BOOK, chunks_of, under


def told(chunk: Chunk) -> dict[str, object]:
    _, (role, said) = AskedPassage.of(chunk).inquiry("m").asked.messages
    assert role == "user"
    return json.loads(said)  # type: ignore[no-any-return]


def test_a_passage_is_sent_with_its_headings_and_the_words_that_may_be_said_of_it(chunks: tuple[Chunk, ...]) -> None:
    fireball = under(chunks, "Fireball")
    sent = told(fireball)
    assert (sent["text"], sent["headings"]) == (fireball.text, ["Magic", "Spells", "Fireball"])
    assert {"spell", "condition", "rule", "narrative"} <= set(sent["kinds"])  # type: ignore[arg-type]
    assert "table" not in sent["kinds"]  # type: ignore[operator]
    assert sent["traits"] == ["evocation", "fire", "cold"], "those that stand there, whatever they mean there"
    assert sent["tags"] == [], "tags are subjects of games"
    assert "magic" in told(under(chunks_of(BOOK, {"ruleset_id": "old-1"}), "Fireball"))["tags"]  # type: ignore[operator]


def test_what_is_sent_decides_under_which_name_an_answer_is_kept(chunks: tuple[Chunk, ...]) -> None:
    one = under(chunks, "Fireball")
    key = AskedPassage.of(one).inquiry("m").key
    assert AskedPassage.of(replace(one, id="other", position=9)).inquiry("m").key == key
    for changed in (replace(one, text=f"{one.text}."), replace(one, heading_path=("Magic",))):
        assert AskedPassage.of(changed).inquiry("m").key != key
    assert passages_prompt_version().startswith("passages-v1-")
    asked = AskedPassage.of(one).inquiry("m").asked
    assert asked.form is ModelPassage
    assert set(asked.body["response_format"]["json_schema"]["schema"]["required"]) == set(ModelPassage.model_fields)


def test_passages_that_say_nothing_or_too_much_are_not_sent(chunks: tuple[Chunk, ...]) -> None:
    one = under(chunks, "Fireball")
    assert why_unsent(one) is None
    assert why_unsent(under(chunks, "Short")) == "too short"
    assert why_unsent(replace(one, text="x" * LEAST)) is None
    assert why_unsent(replace(one, text="x" * (MOST + 1))) == "too long"
