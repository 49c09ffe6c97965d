"""Passages described by a fake model on a real socket; what is wrong leaves them as the rules described them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from retrieval.errors import ModelKeyError
from retrieval.ingest.enrichment import known_words, traits_in
from retrieval.ingest.model_passages.describing import (
    LEAST,
    MOST,
    AskedPassage,
    DescribedChunks,
    ModelPassage,
    ModelPassages,
    believed,
    passages_prompt_version,
    why_unsent,
)
from retrieval.ingest.model_tables.transforming import reasons
from retrieval.types import Chunk, Metadata
from tests.openai_server.faults import FAULTS, AtRandom, Fault, InTurn
from tests.openai_server.passage_model import answer_about
from tests.openai_server.server import KEY, FakeOpenAi
from tests.retrieval.ingest.model_passages.conftest import BOOK, PATH, chunks_of, under

Models = Callable[..., ModelPassages]
HEADINGS = ("Fireball", "Prone [Condition]", "The Fall of Oldtown")
"""Of the passages that are sent."""


def described(models: ModelPassages, chunks: tuple[Chunk, ...], author: Metadata | None = None) -> DescribedChunks:
    done = models.describe(chunks, {PATH: author or {}})
    assert done.offline == chunks
    assert [replace(chunk, metadata={}) for chunk in done.chunks] == [replace(chunk, metadata={}) for chunk in chunks]
    kept = [(one, other) for one, other in zip(done.chunks, chunks, strict=True) if one.id not in done.by_model]
    assert all(one == other for one, other in kept)
    assert all(chunk.kind == "prose" for chunk in done.chunks if chunk.id in done.by_model)
    return done


def test_what_is_believed_becomes_metadata_and_nothing_else_changes(models, chunks, chat_server):
    done = described(models(), chunks)
    assert len(done.by_model) == len(chat_server.asked) == len(HEADINGS)
    fireball = under(done.chunks, "Fireball").metadata
    assert fireball["summary"] == "_Evocation [Fire]_ **Casting Time:** 1 action"
    assert (fireball["content_kind"], fireball["traits"]) == ("spell", ("evocation", "fire"))
    assert under(done.chunks, "The Fall of Oldtown").metadata["content_kind"] == "rule"
    assert [each.why for each in done.dropped] == ["rule, and condition in its heading"]
    assert done.agreement == pytest.approx(2 / 3)
    assert reasons(done.outcomes) == {"not sent": 1}
    assert [outcome.said for outcome in done.outcomes if outcome.reason] == ["too short"]
    assert done.bill.used.total == chat_server.counts.prompt + chat_server.counts.completion
    assert done.bill.usd == pytest.approx(chat_server.counts.usd(0.15, 0.60)) == done.bill.usd_in_all


def test_an_answer_is_paid_once_also_for_words_that_stand_twice(models: Models, chat_server: FakeOpenAi) -> None:
    twice = chunks_of(f"{BOOK}\n\n{BOOK}")
    first, second = described(models(), twice), described(models(), twice)
    assert (first.chunks, second.bill.used.total) == (second.chunks, 0)
    assert len(first.by_model) == 2 * len(chat_server.asked) == 2 * len(HEADINGS)
    assert models().unanswered(twice) == ()


def test_what_the_author_says_wins(models: Models) -> None:
    author = {"content_kind": "lore", "summary": "Mine.", "tags": ("my own",), "ruleset_id": "old-1"}
    done = described(models(), chunks_of(BOOK, author), author)
    assert len(done.by_model) == len(HEADINGS)
    for chunk in done.chunks:
        tags = chunk.metadata["tags"]
        assert isinstance(tags, tuple)
        assert tags[0] == "my own", "a chunk's own come behind the author's"
        assert {key: chunk.metadata[key] for key in author} == {**author, "tags": tags}


def test_a_tag_of_the_model_takes_the_place_of_the_rules(models: Models) -> None:
    author = {"ruleset_id": "old-1"}
    by_rules = chunks_of(BOOK, author)
    assert "magic" in under(by_rules, "Fireball").metadata["tags"]  # type: ignore[operator]
    assert under(described(models(), by_rules, author).chunks, "Fireball").metadata["tags"] == ("combat",)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("refusal", "refused or wrong"),
        ("truncated", "refused or wrong"),
        ("malformed", "refused or wrong"),
        ("dropped_row", "refused or wrong"),
        ("broken", "not reached"),
        ("cut", "not reached"),
    ],
)
def test_without_an_answer_of_use_a_passage_is_as_the_rules_describe_it_and_it_is_said(
    models: Models, chunks: tuple[Chunk, ...], chat_server: FakeOpenAi, fault: Fault, reason: str
) -> None:
    fireball = (under(chunks, "Fireball"),)
    chat_server.plan = InTurn([fault] * 2)
    done = described(models(), fireball)
    assert (done.chunks, reasons(done.outcomes), done.agreement) == (fireball, {reason: 1}, None)
    assert done.outcomes[0].said
    assert done.n_waiting == (reason == "not reached")
    # What was answered twice and was of no use is not asked for again.
    described(models(), fireball)
    assert len(chat_server.asked) == (3 if reason == "not reached" else 2)


def test_a_value_that_is_on_no_list_and_in_no_passage_is_dropped_and_told(models, chunks, chat_server):
    fireball = (under(chunks, "Fireball"),)
    chat_server.plan = InTurn(["changed_value"])
    done = described(models(), fireball)
    assert done.chunks == fireball
    assert [each.part for each in done.dropped] == ["content_kind", "tags", "traits", "summary"]
    assert (done.n_waiting, len(done.by_model), reasons(done.outcomes)) == (0, 1, {})


def test_without_a_key_it_is_said_and_what_was_paid_for_counts(models: Models, chunks: tuple[Chunk, ...]) -> None:
    without = described(models({}), chunks)
    assert (without.chunks, reasons(without.outcomes)) == (chunks, {"not sent": 1, "no key": 3})
    assert {outcome.said for outcome in without.outcomes if outcome.reason == "no key"} == {
        "there is no OPENAI_API_KEY"
    }
    assert without.n_waiting == 3
    paid = described(models(), chunks)
    assert described(models({}), chunks).chunks == paid.chunks


def test_a_refused_key_is_one_line_without_the_key(models, chunks, chat_server):
    chat_server.plan = lambda _: "key"
    with pytest.raises(ModelKeyError, match="was rejected") as refused:
        described(models(), chunks)
    assert KEY not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_batch_costs_half(models: Models, chunks: tuple[Chunk, ...], chat_server: FakeOpenAi) -> None:
    done = described(models(batch=True, pause=0.01), chunks)
    assert (len(done.by_model), chat_server.asked) == (3, [])
    assert done.bill.usd == pytest.approx(chat_server.counts.usd(0.15, 0.60))
    assert chat_server.counts.batch_prompt > 0


COUNT = 200
HARMFUL = [fault for fault in FAULTS if fault not in ("key", "stall", "dropped_result")]


def many() -> tuple[Chunk, ...]:
    parts = [
        f"# Spell of {n}\n\n_Evocation_\n\nWhoever casts the spell of {n} in the rain must roll {n + 3} or more on two "
        f"dice, or the fire goes out and {n + 7} creatures see it.\n"
        for n in range(COUNT)
    ]
    return chunks_of("\n".join(parts))


def test_of_two_hundred_passages_and_all_faults_none_is_lost_no_wrong_value_is_taken_and_no_budget_is_passed(
    models: Models, chat_server: FakeOpenAi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.models.access._FIRST_PAUSE", 0.02)
    chunks = many()
    assert len(chunks) == COUNT
    plan = AtRandom(20, 0.4, HARMFUL)
    chat_server.plan = plan
    environment = chat_server.environment | {"QUERYMUST_MODEL_CONCURRENCY": "24"}
    budget = 0.02
    first = described(models(environment, budget_usd=budget, timeout=1.5, retries=3), chunks)
    assert 20 < len(first.by_model) < 190
    assert reasons(first.outcomes)["budget"] > 0
    assert chat_server.counts.usd(0.15, 0.60) <= first.bill.usd_in_all <= budget
    second = described(models(environment, budget_usd=10.0, timeout=1.5, retries=3), chunks)
    assert set(plan.happened) == set(HARMFUL)
    assert set(reasons(second.outcomes)) <= {"refused or wrong", "not reached"}
    assert len(second.by_model) > 150
    assert chat_server.counts.usd(0.15, 0.60) <= second.bill.usd_in_all
    for done in (first, second):
        assert len(done.chunks) == len(done.outcomes) == COUNT
        for chunk in done.chunks:
            metadata = chunk.metadata
            assert metadata["content_kind"] in known_words().kinds
            assert set(metadata["traits"]) <= set(traits_in(chunk.text))  # type: ignore[arg-type]
            if "summary" in metadata:
                truth = answer_about({"headings": [], "text": chunk.text, "tags": [], "traits": []})
                assert metadata["summary"] == truth["summary"]
    assert "987654321" not in json.dumps([dict(chunk.metadata) for chunk in second.chunks])
    assert second.dropped


def told(chunk: Chunk) -> dict[str, object]:
    _, (role, output) = AskedPassage.of(chunk).inquiry("m").request.messages
    assert role == "user"
    return json.loads(output)  # type: ignore[no-any-return]


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
    query = AskedPassage.of(one).inquiry("m").request
    assert query.form is ModelPassage
    assert set(query.body["response_format"]["json_schema"]["schema"]["required"]) == set(ModelPassage.model_fields)


def test_passages_that_say_nothing_or_too_much_are_not_sent(chunks: tuple[Chunk, ...]) -> None:
    one = under(chunks, "Fireball")
    assert why_unsent(one) is None
    assert why_unsent(under(chunks, "Short")) == "too short"
    assert why_unsent(replace(one, text="x" * LEAST)) is None
    assert why_unsent(replace(one, text="x" * (MOST + 1))) == "too long"


GOOD: dict[str, Any] = {
    "content_kind": "spell",
    "is_rule_bearing": True,
    "tags": ["magic"],
    "traits": ["fire"],
    "summary": "Within 20 feet of it creatures burn unless they save.",
}


@pytest.fixture
def asked_passage() -> AskedPassage:
    return AskedPassage.of(under(chunks_of(BOOK, {"ruleset_id": "old-1"}), "Fireball"))


def test_what_is_on_the_lists_and_in_the_passage_is_taken(asked_passage: AskedPassage) -> None:
    result = believed(ModelPassage(**GOOD), asked_passage)
    assert result.dropped == ()
    assert result.metadata == GOOD | {"tags": ("magic",), "traits": ("evocation", "fire")}


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
        ({"summary": "This passage tells of burns."}, "summary", "it is about the passage, not about its content"),
    ],
)
def test_a_part_that_cannot_be_right_is_dropped_and_the_others_stay(asked_passage, said, part, why):
    result = believed(ModelPassage(**GOOD | said), asked_passage)
    assert [(each.part, each.why) for each in result.dropped] == [(part, why)]
    whole = believed(ModelPassage(**GOOD), asked_passage).metadata
    gone = {"content_kind": {"content_kind", "is_rule_bearing"}, "summary": {"summary"}}.get(part, set())
    assert result.metadata == {key: value for key, value in whole.items() if key not in gone}


def test_a_name_is_the_passages_own_however_it_is_bent(asked_passage: AskedPassage) -> None:
    chunk = replace(
        asked_passage.chunk, text="Merlin's fire burns whoever is near, and it does not matter how they came there."
    )
    result = believed(ModelPassage(**GOOD | {"summary": "The fire of Merlin burns all."}), AskedPassage.of(chunk))
    assert result.metadata["summary"] == "The fire of Merlin burns all."


def test_the_kind_that_a_heading_says_stays(chunks: tuple[Chunk, ...]) -> None:
    query = AskedPassage.of(under(chunks, "Prone [Condition]"))
    output = GOOD | {"summary": "Prone creatures crawl.", "tags": [], "traits": []}
    result = believed(ModelPassage(**output), query)
    assert [each.why for each in result.dropped] == ["spell, and condition in its heading"]
    assert believed(ModelPassage(**output | {"content_kind": "condition"}), query).dropped == ()


def test_no_tag_that_is_known_leaves_the_tags_and_none_at_all_takes_them_away(asked_passage: AskedPassage) -> None:
    assert "tags" not in believed(ModelPassage(**GOOD | {"tags": ["cooking"]}), asked_passage).metadata
    assert believed(ModelPassage(**GOOD | {"tags": []}), asked_passage).metadata["tags"] == ()
