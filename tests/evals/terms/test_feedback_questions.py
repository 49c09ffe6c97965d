from pathlib import Path

from evals.questions.chunk_places import ChunkPlaces
from evals.questions.gold import resolve
from evals.questions.questions import load_questions, write_questions
from evals.terms.feedback_questions import questions_of
from retrieval.search.retriever import Retriever
from retrieval.serve.feedback import FeedbackFile, read_feedback

ASKED = "Which weapon is for me?"


def test_the_one_is_gold_that_is_found_again_and_the_last_word_counts(live: Retriever, tmp_path: Path) -> None:
    chunks = {chunk.id: chunk for chunk in live.snapshot.chunks}
    rows = [chunk for chunk in chunks.values() if chunk.row_key]
    prose = next(chunk for chunk in chunks.values() if chunk.kind == "prose")
    kept = FeedbackFile(tmp_path)
    for chunk, verdict in (
        (rows[0], "relevant"),
        (rows[1], "relevant"),
        (rows[2], "relevant"),
        (rows[2], "irrelevant"),
    ):
        kept.add("s", ASKED, chunk.id, verdict, "")
    kept.add("s", "Are daggers short?", prose.id, "relevant", "")
    kept.add("s", "Of an index that is gone?", "no-such-chunk", "relevant", "")
    write_questions(tmp_path / "q.jsonl", questions_of(read_feedback(tmp_path), chunks))
    several, one = load_questions(tmp_path / "q.jsonl")
    found = resolve([several, one], ChunkPlaces(tuple(chunks.values())))
    assert set(found.gold[several.id]) == {rows[0].id, rows[1].id}
    assert found.gold[one.id] == (prose.id,)
    assert not found.stale
    assert (several.book, several.kind, several.tags) == ("tiny", "feedback", ("feedback",))
    assert {anchor.group for anchor in several.gold} == {0}
