"""What people say of hits, as questions with gold: "this is the one" is an answer, whoever ranks it."""

from collections.abc import Iterable, Mapping
from hashlib import sha256

from evals.questions.anchors import Anchor
from evals.questions.questions import Question
from retrieval.serve.feedback import Feedback, Verdict
from retrieval.types import Chunk

TAG = "feedback"


def last_words(feedback: Iterable[Feedback]) -> Mapping[tuple[str, str], Verdict]:
    """(question, chunk id) and what was said of it last."""
    return {(each.query, each.chunk_id): each.verdict for each in feedback}


def questions_of(feedback: Iterable[Feedback], chunks: Mapping[str, Chunk]) -> tuple[Question, ...]:
    """A question for each that somebody found the answer of; where there are several, any of them is enough.

    Args:
        feedback: in the order in which it came.
        chunks: by id; what was said of others is of an index that is gone.
    """
    answers: dict[str, list[Chunk]] = {}
    for (query, chunk_id), verdict in last_words(feedback).items():
        if verdict == "relevant" and chunk_id in chunks:
            answers.setdefault(query, []).append(chunks[chunk_id])
    return tuple(_question(query, found) for query, found in answers.items())


def _question(query: str, chunks: list[Chunk]) -> Question:
    group = 0 if len(chunks) > 1 else None
    gold = tuple(Anchor.of(chunk, group=group) for chunk in chunks)
    book = chunks[0].book if len({chunk.book for chunk in chunks}) == 1 else None
    return Question(f"{TAG}-{sha256(query.encode()).hexdigest()[:10]}", query, book, TAG, gold, tags=(TAG,))
