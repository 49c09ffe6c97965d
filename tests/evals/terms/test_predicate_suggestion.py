import json
from pathlib import Path

from evals.terms.effect import Trial
from evals.terms.predicate_suggestion import suggest_predicates
from retrieval.ingest.library.table_rules import read_table_rules
from retrieval.search.retriever import Retriever
from retrieval.serve.feedback import Feedback, Verdict
from retrieval.types import Chunk

ASKED = "Which weapon is cheap?"


def said(chunk: Chunk, query: str = ASKED, verdict: Verdict = "irrelevant") -> Feedback:
    return Feedback("2026-01-01T00:00:00+00:00", "s", query, chunk.id, verdict)


def by_key(live: Retriever) -> dict[str, Chunk]:
    return {chunk.row_key or "": chunk for chunk in live.snapshot.chunks}


def test_a_row_that_does_not_belong_must_be_named(live: Retriever) -> None:
    chunks, row = {chunk.id: chunk for chunk in live.snapshot.chunks}, by_key(live)["Long sword"]
    (found,), unhelped = suggest_predicates([said(row)], live.snapshot, chunks)
    assert (found.chunk, found.questions, unhelped) == (row, (ASKED,), ())
    assert "long sword" in found.names
    assert json.loads(found.guarded.query_must or "").keys() == {"contain_one_of", "contain_no_rival"}
    changed = [found.guarded if chunk.id == row.id else chunk for chunk in live.snapshot.chunks]
    effect = Trial(live, [ASKED, "What does a long sword cost?"], []).of(chunks=changed)
    assert (effect.excluded, effect.admitted) == ((ASKED,), ())


def test_the_entry_is_one_that_a_book_can_have(live: Retriever, tmp_path: Path) -> None:
    chunks, row = {chunk.id: chunk for chunk in live.snapshot.chunks}, by_key(live)["Long sword"]
    (found,), _ = suggest_predicates([said(row)], live.snapshot, chunks)
    (tmp_path / "tables.toml").write_text(found.entry)
    (rule,) = read_table_rules(tmp_path)
    assert (rule.find.heading, rule.find.document) == ("Weapons", "01.md")
    assert json.loads(rule.row_query_must["Long sword"]) == {"contain_one_of": [list(found.names)]}


def test_what_a_question_names_and_what_is_no_row_gets_no_predicate(live: Retriever) -> None:
    chunks, rows = {chunk.id: chunk for chunk in live.snapshot.chunks}, by_key(live)
    named, prose = "Is a mace heavy?", rows[""]
    found, unhelped = suggest_predicates([said(rows["Mace"], named), said(prose)], live.snapshot, chunks)
    assert found == ()
    assert [(each.chunk, each.why) for each in unhelped] == [
        (rows["Mace"], "the question names it"),
        (prose, "it is no row of a table"),
    ]


def test_a_change_of_mind_takes_it_back(live: Retriever) -> None:
    chunks, row = {chunk.id: chunk for chunk in live.snapshot.chunks}, by_key(live)["Mace"]
    assert suggest_predicates([said(row), said(row, verdict="relevant")], live.snapshot, chunks) == ((), ())
