from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot
from retrieval.rag.contract import DocumentChunk, RAGContext
from retrieval.rag.rag_context import section_of, with_own_lists
from retrieval.types import Chunk

ID = UUID(int=1)
CHUNK = DocumentChunk(ID, ID, "text", {"source": "S"}, 0.9, 0)
ANSWER = RAGContext(ID, ID, [CHUNK], [0.9], 1, 0.9, True)


def test_what_a_caller_does_to_its_answer_reaches_no_other_caller() -> None:
    mine = with_own_lists(ANSWER)
    assert mine == ANSWER
    mine.document_chunks[0].metadata["source"] = "mine"  # type: ignore[index]
    mine.document_chunks.clear()
    mine.relevance_scores.append(0.1)
    assert ANSWER.document_chunks == [CHUNK]
    assert (CHUNK.metadata, ANSWER.relevance_scores) == ({"source": "S"}, [0.9])


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
