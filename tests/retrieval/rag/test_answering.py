"""."""

import threading
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot
from retrieval.rag.answering import AnswerKey, Answers, section_of
from retrieval.rag.contract import DocumentChunk, RAGContext, RetrieveRequest
from retrieval.types import Chunk

ASKED = AnswerKey("0123456789abcdef", RetrieveRequest("what", "a:b"))
ID = UUID(int=1)
CHUNK = DocumentChunk(ID, ID, "text", {"source": "S"}, 0.9, 0)
ANSWER = RAGContext(ID, ID, [CHUNK], [0.9], 1, 0.9, True)


class Hand:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_answer_is_kept_for_its_time_and_no_longer() -> None:
    hand = Hand()
    answers = Answers(300, hand)
    assert answers.get(ASKED) is None
    answers.keep(ASKED, ANSWER)
    hand.now = 299.9
    assert answers.get(ASKED) == ANSWER
    hand.now = 300.1
    assert answers.get(ASKED) is None
    assert len(answers) == 0


def test_another_snapshot_conversation_or_threshold_is_another_question() -> None:
    answers = Answers(300, Hand())
    answers.keep(ASKED, ANSWER)
    for other in (
        replace(ASKED, snapshot="f" * 16),
        replace(ASKED, request=replace(ASKED.request, context_key="a:c")),
        replace(ASKED, request=replace(ASKED.request, min_relevance=0.5)),
        replace(ASKED, request=replace(ASKED.request, max_chunks=4)),
    ):
        assert answers.get(other) is None


def test_a_time_of_nothing_keeps_nothing() -> None:
    answers = Answers(0, Hand())
    assert answers.keep(ASKED, ANSWER) == ANSWER
    assert answers.get(ASKED) is None


def test_only_so_many_are_kept() -> None:
    answers = Answers(300, Hand(), most=2)
    for number in range(5):
        answers.keep(AnswerKey("s", RetrieveRequest(str(number), "a:b")), ANSWER)
    assert len(answers) == 2


def test_what_a_caller_does_to_its_answer_reaches_no_other_caller() -> None:
    answers = Answers(300, Hand())
    mine = answers.keep(ASKED, ANSWER)
    mine.document_chunks[0].metadata["source"] = "mine"  # type: ignore[index]
    mine.document_chunks.clear()
    mine.relevance_scores.append(0.1)
    assert answers.get(ASKED) == ANSWER
    assert ANSWER.document_chunks[0].metadata == {"source": "S"}


def test_threads_that_ask_at_once_get_the_first_answer() -> None:
    answers = Answers(300, Hand())
    got: list[RAGContext] = []
    ready = threading.Barrier(8)

    def ask(number: int) -> None:
        ready.wait()
        got.extend(answers.keep(ASKED, replace(ANSWER, context_id=UUID(int=number))) for _ in range(200))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.context_id for each in got}) == 1
    assert len(got) == 1600


WHOLE = """# Rules

Both players roll a die.

## Movement Phase

A member may walk or dash.

**Falling back.**

A member leaves the reach of an enemy.

## Strike Phase

A member may shoot its long rifle.
"""


@pytest.fixture(scope="module")
def snapshot(skirmish_home: Path) -> Snapshot:
    return open_snapshot(skirmish_home)


def chunk(text: str, *headings: str) -> Chunk:
    return Chunk("", "b", "d", "prose", text, text, text, (1, 1), headings)


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("What can I do during movement?", "Movement Phase"),
        ("who may walk", "Movement Phase"),
        ("leave the reach of an enemy", "Falling back."),
        ("shoot the long rifle", "Strike Phase"),
        ("which die do players roll", "Rules"),
        ("pasta", "Rules"),
    ],
)
def test_the_section_is_the_one_that_the_question_is_about(snapshot: Snapshot, question: str, section: str) -> None:
    assert section_of(snapshot, question, chunk(WHOLE, "Rules")) == section


def test_a_chunk_without_headings_is_under_the_last_one_above_it(snapshot: Snapshot) -> None:
    assert section_of(snapshot, "walk", chunk("A member may walk.", "Rules", "Movement Phase")) == "Movement Phase"
    assert section_of(snapshot, "walk", chunk("A member may walk.")) is None


def test_a_row_is_in_the_section_of_its_table(snapshot: Snapshot) -> None:
    row = replace(chunk("{}", "Weapons", "Ranged Weapons"), kind="row", caption="Guns")
    assert section_of(snapshot, "rifle", row) == "Ranged Weapons"
    assert section_of(snapshot, "rifle", replace(row, heading_path=())) == "Guns"
