"""Answers as JSON values: what the command and the server send."""

from dataclasses import asdict
from typing import Any

from retrieval.answer.answers import Answer, AnswerEvent, Passage


def answer_record(answer: Answer) -> dict[str, Any]:
    """An answer, by the names of its fields."""
    return asdict(answer)


def event_record(event: AnswerEvent) -> dict[str, Any]:
    """An event: `event`, `data`, and of some `passages` or `answer`."""
    record: dict[str, Any] = {"event": event.event, "data": event.data}
    if event.passages:
        record["passages"] = [_passage_record(each) for each in event.passages]
    if event.answer:
        record["answer"] = answer_record(event.answer)
    return record


def _passage_record(passage: Passage) -> dict[str, Any]:
    chunk = passage.hit.chunk
    return {
        "number": passage.number,
        "chunk_id": chunk.id,
        "title": chunk.title,
        "book": chunk.book,
        "document": chunk.document,
        "text": chunk.text,
        "relevance": passage.hit.relevance,
        "question": passage.question,
    }
