"""A change is tried on a copy of the index: who may come back, what comes first, what the gate says."""

import json
from pathlib import Path

import pytest

from evals.questions.gold import ChunkPlaces, resolve
from evals.questions.questions import Anchor, Question, load_questions, write_questions
from evals.term_effects import VocabularyTrial, questions_of, suggest_predicates
from evals.terms import with_alias
from retrieval.home import Home
from retrieval.ingest.library.table_rules import read_table_rules
from retrieval.search.retriever import Retriever
from retrieval.serve.logs import Feedback, FeedbackFile, Verdict, read_feedback
from retrieval.types import Chunk

APART, OTHER = "What does a longsword cost?", "Daggers are short, are they not?"


@pytest.fixture
def gold(live: Retriever, tmp_path: Path) -> Path:
    """Questions that the index answers."""
    rows = [chunk for chunk in live.snapshot.chunks if chunk.row_key]
    questions = [
        Question(f"q{position}", f"What does a {row.row_key} cost?", "tiny", gold=(Anchor.of(row),))
        for position, row in enumerate(rows)
    ]
    write_questions(tmp_path / "gold.jsonl", questions)
    return tmp_path / "gold.jsonl"


def test_an_alias_keeps_out_what_a_question_did_not_name_before(live: Retriever, gold: Path, tiny_built: Home) -> None:
    before = sorted(path for path in tiny_built.root.rglob("*") if "evaluations" not in path.parts)
    effect = VocabularyTrial(live, [APART, OTHER, APART], [gold]).of(
        with_alias(live.snapshot.vocabulary, "longsword", "long sword")
    )
    assert (effect.admitted, effect.excluded) == ((), (APART,))
    assert effect.passes
    assert (effect.n_scored, effect.mrr_before, effect.mrr_after) == (3, 1.0, 1.0)
    assert effect.scores == "mrr 1.0000 to 1.0000 on 3 questions; the gate lets it pass"
    assert sorted(path for path in tiny_built.root.rglob("*") if "evaluations" not in path.parts) == before


def test_an_alias_that_hides_answers_is_refused_by_the_gate(live: Retriever, gold: Path) -> None:
    row = next(chunk for chunk in live.snapshot.chunks if chunk.row_key == "Long sword")
    write_questions(gold, [Question("q", APART, "tiny", gold=(Anchor.of(row),))])
    effect = VocabularyTrial(live, [], [gold]).of(with_alias(live.snapshot.vocabulary, "longsword", "mace"))
    assert not effect.passes
    assert "the gate refuses it: no_false_exclusions" in effect.scores


def test_an_alias_that_nobody_says_does_nothing(live: Retriever, gold: Path) -> None:
    trial = VocabularyTrial(live, [APART, OTHER], [gold])
    assert trial.of(with_alias(live.snapshot.vocabulary, "zeppelin", "long sword")).is_none


def test_without_gold_it_says_that_nothing_was_scored(live: Retriever) -> None:
    effect = VocabularyTrial(live, [APART], []).of(with_alias(live.snapshot.vocabulary, "longsword", "long sword"))
    assert effect.excluded == (APART,)
    assert effect.scores == "nothing was scored: there are no questions with gold"


ASKED = "Which weapon is cheap?"


def give_feedback(chunk: Chunk, query: str = ASKED, verdict: Verdict = "irrelevant") -> Feedback:
    return Feedback("2026-01-01T00:00:00+00:00", "s", query, chunk.id, verdict)


def by_key(live: Retriever) -> dict[str, Chunk]:
    return {chunk.row_key or "": chunk for chunk in live.snapshot.chunks}


def test_a_row_that_does_not_belong_must_be_named(live: Retriever) -> None:
    chunks, row = {chunk.id: chunk for chunk in live.snapshot.chunks}, by_key(live)["Long sword"]
    (result,), unhelped = suggest_predicates([give_feedback(row)], live.snapshot, chunks)
    assert (result.chunk, result.questions, unhelped) == (row, (ASKED,), ())
    assert "long sword" in result.names
    assert json.loads(result.guarded.query_must or "").keys() == {"contain_one_of", "contain_no_rival"}
    changed = [result.guarded if chunk.id == row.id else chunk for chunk in live.snapshot.chunks]
    effect = VocabularyTrial(live, [ASKED, "What does a long sword cost?"], []).of(chunks=changed)
    assert (effect.excluded, effect.admitted) == ((ASKED,), ())


def test_the_entry_is_one_that_a_book_can_have(live: Retriever, tmp_path: Path) -> None:
    chunks, row = {chunk.id: chunk for chunk in live.snapshot.chunks}, by_key(live)["Long sword"]
    (result,), _ = suggest_predicates([give_feedback(row)], live.snapshot, chunks)
    (tmp_path / "tables.toml").write_text(result.entry)
    (rule,) = read_table_rules(tmp_path)
    assert (rule.find.heading, rule.find.document) == ("Weapons", "01.md")
    assert json.loads(rule.row_query_must["Long sword"]) == {"contain_one_of": [list(result.names)]}


def test_what_a_question_names_and_what_is_no_row_gets_no_predicate(live: Retriever) -> None:
    chunks, rows = {chunk.id: chunk for chunk in live.snapshot.chunks}, by_key(live)
    named, prose = "Is a mace heavy?", rows[""]
    result, unhelped = suggest_predicates(
        [give_feedback(rows["Mace"], named), give_feedback(prose)], live.snapshot, chunks
    )
    assert result == ()
    assert [(each.chunk, each.why) for each in unhelped] == [
        (rows["Mace"], "the question names it"),
        (prose, "it is not a row of a table"),
    ]


def test_a_change_of_mind_takes_it_back(live: Retriever) -> None:
    chunks, row = {chunk.id: chunk for chunk in live.snapshot.chunks}, by_key(live)["Mace"]
    assert suggest_predicates([give_feedback(row), give_feedback(row, verdict="relevant")], live.snapshot, chunks) == (
        (),
        (),
    )


FEEDBACK_QUESTIONS_ASKED = "Which weapon is for me?"


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
        kept.add("s", FEEDBACK_QUESTIONS_ASKED, chunk.id, verdict, "")
    kept.add("s", "Are daggers short?", prose.id, "relevant", "")
    kept.add("s", "Of an index that is gone?", "no-such-chunk", "relevant", "")
    write_questions(tmp_path / "q.jsonl", questions_of(read_feedback(tmp_path), chunks))
    several, one = load_questions(tmp_path / "q.jsonl")
    result = resolve([several, one], ChunkPlaces(tuple(chunks.values())))
    assert set(result.gold[several.id]) == {rows[0].id, rows[1].id}
    assert result.gold[one.id] == (prose.id,)
    assert not result.stale
    assert (several.book, several.kind, several.tags) == ("tiny", "feedback", ("feedback",))
    assert {anchor.group for anchor in several.gold} == {0}
