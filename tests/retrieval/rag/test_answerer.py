from __future__ import annotations

import asyncio
import json
import random
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retrieval.errors import GenerationError, InvalidQueryError
from retrieval.home import Home
from retrieval.rag.answerer import Answerer, event_record
from retrieval.rag.live import LiveIndex
from retrieval.search.metadata_filter import read_filter
from retrieval.search.retriever import Retriever
from retrieval.understand.decompose.comparisons import ComparedNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from retrieval.rag.passages import Answer, AnswerEvent
    from retrieval.types import Chunk, Retrieval
    from tests.openai_server.server import FakeOpenAi


LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture(scope="module")
def answerer(sample: Home) -> Iterator[Answerer]:
    made = Answerer(sample.root, how="read")
    yield made
    made.close()


def names(title: str) -> set[str]:
    return {part.casefold() for part in title.split(" - ")}


def awaited(answerer: Answerer, query: str) -> list[AnswerEvent]:
    async def ask() -> list[AnswerEvent]:
        return [event async for event in answerer.answer_async(query)]

    return asyncio.run(ask())


def test_the_cell_of_a_matrix_is_read_and_said_to_be_read(answerer: Answerer) -> None:
    events = list(answerer.answer(LOOK_UP))
    assert list(dict.fromkeys(event.event for event in events)) == [
        *("search", "context", "generation", "token", "complete")
    ]
    answer = events[-1].answer
    assert answer.cells[0].column == "Level 7-9"
    assert answer.cells[0].text == "10"
    assert answer.mode == "read"
    assert answer.text.endswith("Read from the books, not generated.")
    assert answer.text == "".join(event.data for event in events if event.event == "token")
    assert answer.citations[0].chunk_id == answer.cells[0].chunk_id
    assert "[1]" in answer.text


def answered(home: Path, query: str) -> Answer | None:
    with closing(Answerer(home, how="read")) as answerer:
        return list(answerer.answer(query))[-1].answer


@pytest.mark.parametrize(
    ("query", "text"), [("数据节点的端口是多少", "10730"), ("谁可以恢复备份", "只有管理员可以恢复备份。")]
)
def test_a_question_in_a_script_without_blanks_is_answered(cards_home: Path, query: str, text: str) -> None:
    answer = answered(cards_home, query)

    assert answer.cells[0].text == text


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("what to do at a coma score below 9", "Score 3-8"),
        ("coma score <9", "Score 3-8"),
        ("action for a coma score above 12", "Score 13-15"),
        ("coma score of 8 or less", "Score 3-8"),
        ("treatment for an INR over 9", "INR >9"),
        ("dose of paracetamol at 30 kg", "Paracetamol - Weight 21-40 kg"),
        ("dose of ibuprofen at 30 kg", "Ibuprofen - Weight 21-40 kg"),
    ],
)
def test_the_row_on_the_right_side_of_a_bound_and_of_the_right_table_is_read(cards_home, query, row):
    answer = answered(cards_home, query)

    assert answer.citations[0].title.endswith(row)


def test_the_events_are_the_same_without_blocking(answerer: Answerer) -> None:
    assert awaited(answerer, LOOK_UP) == list(answerer.answer(LOOK_UP))


def test_a_comparison_reads_a_row_for_each_part(answerer: Answerer) -> None:
    answer = answerer.answered("Which costs more, a dagger or a long sword?")
    read = {cell.chunk_id for cell in answer.cells}
    assert len(read) >= 2
    assert {"dagger", "sword, long"} <= {cell for citation in answer.citations for cell in names(citation.title)}
    assert {citation.chunk_id for citation in answer.citations} == read
    assert {cell.column for cell in answer.cells} == {"Cost"}


def test_answerers_of_one_index_read_its_names_once(sample: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []

    class Counted(ComparedNames):
        def __init__(self, chunks: Iterable[Chunk]) -> None:
            read.append(chunks)
            super().__init__(chunks)

    monkeypatch.setattr("retrieval.rag.passages.ComparedNames", Counted)
    live = LiveIndex(sample)
    for _ in range(2):
        assert Answerer(sample.root, how="read", live=live).answered("dagger or long sword, which costs more?").cells
    assert len(read) == 1
    live.close()


def test_no_question_is_searched_twice_for_an_answer(answerer: Answerer, monkeypatch: pytest.MonkeyPatch) -> None:
    request: list[str] = []
    retrieve = Retriever.retrieve

    def counting(self: Retriever, query: str, *arguments: Any, **options: Any) -> Retrieval:
        request.append(query)
        assert not options["decisions"], "nobody reads them"
        return retrieve(self, query, *arguments, **options)

    monkeypatch.setattr(Retriever, "retrieve", counting)
    for query in ("Which costs more, a dagger or a long sword?", "clerics, level 4, armor class 5: minimum roll?"):
        request.clear()
        assert answerer.answered(query).cells
        assert len(request) == len(set(request)) > 1


def test_a_list_of_what_picks_a_row_is_not_taken_apart(answerer: Answerer) -> None:
    context = answerer.context("clerics, level 4, armor class 5: minimum roll?")
    assert context.parts == ("clerics, level 4, armor class 5: minimum roll?",)
    assert answerer.answered(context.query).cells[0].text == "13"


def test_prose_is_quoted_as_it_stands(answerer: Answerer) -> None:
    answer = answerer.answered("Does a natural 20 always hit?")
    (passage, *_) = answerer.context("Does a natural 20 always hit?").passages
    assert all(not cell.column for cell in answer.cells)
    source = " ".join(passage.hit.chunk.text.split())
    assert all(cell.text in source for cell in answer.cells)


def test_what_no_book_answers_is_said_to_be_in_none(answerer: Answerer) -> None:
    events = list(answerer.answer("How do I cook pasta?"))
    assert [event.event for event in events] == ["search", "context", "complete"]
    assert "nothing in these books answers" in events[1].data
    assert events[-1].answer is not None
    assert events[-1].answer.mode == "none"
    assert events[-1].answer.text == "No answer found in these books."


def test_the_place_that_comes_nearest_is_named_where_no_model_is_asked(sample: Home, chat_server: FakeOpenAi) -> None:
    strict = Answerer(sample.root, environment=chat_server.environment)
    strict.settings = replace(strict.settings, min_relevance=1.0)
    events = list(strict.answer(LOOK_UP))
    strict.close()
    assert chat_server.asked == []
    assert [event.event for event in events] == ["search", "context", "complete"]
    assert "below 1" in events[1].data
    assert not events[1].passages
    answer = events[-1].answer
    assert answer.mode == "none"
    assert answer.text.startswith("No answer found in these books. The closest passage: ")
    assert answer.cells == ()
    assert [citation.title in answer.text for citation in answer.citations] == [True]


def test_an_answer_that_is_not_probable_enough_is_uncertain_or_none(sample: Home) -> None:
    careful = Answerer(sample.root, how="read")
    careful.settings = replace(careful.settings, min_probability=1.0, min_perhaps=0.0)
    uncertain = careful.answered(LOOK_UP)
    careful.settings = replace(careful.settings, min_perhaps=1.0)
    nothing = careful.answered(LOOK_UP)
    careful.close()
    assert uncertain.text.startswith("Perhaps: ")
    assert (uncertain.mode, uncertain.is_certain) == ("read", False)
    assert (nothing.mode, nothing.is_certain) == ("none", False)
    assert uncertain.probability is not None
    assert nothing.text.startswith("No answer found in these books. The closest passage: ")


def test_a_duel_reads_each_side_at_what_the_other_brings(answerer: Answerer) -> None:
    answer = answerer.answered("Who wins: 4th level fighter (AC 3) vs 7th level druid (AC 9)?")
    assert [(cell.column, cell.text) for cell in answer.cells] == [("Level 4-6", "8"), ("Level 7-9", "13")]
    assert [citation.title[-1] for citation in answer.citations] == ["9", "3"]


def test_only_passages_that_meet_the_conditions_are_read(answerer: Answerer) -> None:
    question = "Who hits AC 4 more easily, a 5th level fighter or a 5th level thief?"
    for query in (LOOK_UP, question):
        assert answerer.context(query, read_filter("kind=row")).passages
        prose = answerer.context(query, read_filter("kind=prose"))
        assert {passage.hit.chunk.kind for passage in prose.passages} <= {"prose"}
    nothing = answerer.context(LOOK_UP, read_filter("kind=poem"))
    assert (nothing.passages, nothing.reason) == ((), "no chunk has kind=poem; kind is one of: prose, record, row")


def test_what_goes_wrong_is_the_last_event(answerer: Answerer, tmp_path: Path) -> None:
    assert [event.event for event in answerer.answer("  ")] == ["search", "error"]
    assert awaited(answerer, "  ") == list(answerer.answer("  "))
    (*_, last) = Answerer(tmp_path / "nowhere").answer(LOOK_UP)
    assert last.event == "error"
    assert "querymust build" in last.data
    for text in ("  ", "1 " * 5000):
        with pytest.raises(InvalidQueryError):
            answerer.answered(text)


def test_a_model_words_the_answer_where_there_is_a_key(sample: Home, chat_server: FakeOpenAi) -> None:
    answerer = Answerer(sample.root, environment=chat_server.environment)
    events = list(answerer.answer(LOOK_UP))
    assert events == awaited(answerer, LOOK_UP)
    assert [event.data for event in events if event.event == "token"] == ["The answer ", "is 10 [1]."]
    answer = events[-1].answer
    assert answer.mode == "generated"
    assert 2 * answer.tokens == chat_server.counts.prompt + chat_server.counts.completion > 0
    assert answer.cells == ()
    assert answer.doubts == ()
    assert [citation.number for citation in answer.citations] == [1]
    assert LOOK_UP in chat_server.asked[0]["messages"][0]["content"]
    answerer.close()


def test_a_model_that_fails_is_told_after_what_it_said(sample: Home, chat_server: FakeOpenAi) -> None:
    chat_server.breaks = 1
    answerer = Answerer(sample.root, environment=chat_server.environment)
    assert [event.event for event in answerer.answer(LOOK_UP)][-2:] == ["token", "error"]
    with pytest.raises(GenerationError, match="stopped in the middle"):
        answerer.answered(LOOK_UP)
    answerer.close()


def test_without_a_key_nobody_is_told_that_something_is_sent(sample: Home) -> None:
    with closing(Answerer(sample.root, how="generate", environment={})) as answerer:
        events = [event.event for event in answerer.answer(LOOK_UP)]
        assert events == [event.event for event in awaited(answerer, LOOK_UP)] == ["search", "context", "error"]


def test_no_model_is_asked_what_no_book_answers(sample: Home, chat_server: FakeOpenAi) -> None:
    answerer = Answerer(sample.root, environment=chat_server.environment)
    assert answerer.answered("How do I cook pasta?").mode == "none"
    assert chat_server.asked == []
    answerer.close()


def test_events_are_json_values_by_the_names_of_their_fields(sample: Home) -> None:
    answerer = Answerer(sample.root, how="read")
    records = [event_record(event) for event in answerer.answer("What does a 7th level cleric need to hit AC 6?")]
    answerer.close()
    assert json.loads(json.dumps(records))[0] == {"event": "search", "data": "Searching the books..."}
    (context,) = (record for record in records if record["event"] == "context")
    assert context["passages"][0]["number"] == 1
    assert 0 < context["passages"][0]["relevance"] <= 1
    assert records[-1]["answer"]["citations"][0]["chunk_id"] == context["passages"][0]["chunk_id"]


CLASSES = {
    **dict.fromkeys(("cleric", "druid", "monk"), "Clerics"),
    **dict.fromkeys(("fighter", "paladin", "ranger"), "Fighters"),
    **dict.fromkeys(("magic-user", "illusionist"), "Magic-Users"),
    **dict.fromkeys(("thief", "assassin"), "Thieves"),
}
"""Matrices by the class that uses them."""


def lowest_roll(answerer: Answerer, name: str, level: int, armor_class: int) -> str:
    """What the sample's matrix says in the row of the armor class, by the book's text."""
    snapshot = answerer.context(LOOK_UP).snapshot
    row = next(
        chunk
        for chunk in snapshot.chunks
        if chunk.kind == "row"
        and chunk.row_key == str(armor_class)
        and chunk.heading_path[-1].partition(" for ")[2].startswith(CLASSES[name])
    )
    levels = [
        [int(number) for number in column.removeprefix("Level ").rstrip("+").split("-")] for column in row.columns[1:]
    ]
    return next(
        cell for bounds, cell in zip(levels, row.cells[1:], strict=True) if bounds[0] <= level <= (*bounds, 99)[1]
    )


@pytest.mark.slow
def test_duels_made_from_the_matrices_are_read_at_what_the_other_brings(answerer: Answerer) -> None:
    drawn = random.Random(7)
    for _ in range(20):
        (first, second), levels = drawn.sample(sorted(CLASSES), 2), (drawn.randint(4, 18), drawn.randint(4, 18))
        armor = drawn.randint(-3, 10), drawn.randint(-3, 10)
        question = (
            f"Who wins: {levels[0]}th level {first} (AC {armor[0]}) vs {levels[1]}th level {second} (AC {armor[1]})?"
        )
        wanted = [lowest_roll(answerer, first, levels[0], armor[1]), lowest_roll(answerer, second, levels[1], armor[0])]
        assert [cell.text for cell in answerer.answered(question).cells] == wanted, question
