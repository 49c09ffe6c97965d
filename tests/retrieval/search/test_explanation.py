import pytest

from retrieval.errors import UnknownNameError
from retrieval.search.explanation import explain
from retrieval.search.receipt import debug_lines
from retrieval.search.retriever import Retriever

QUESTION = "What does a cleric need to hit armor class 6?"


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid", "hybrid_graph", "prefilter", "default"])
def test_the_explained_rank_is_the_rank_of_the_search(retriever: Retriever, name: str) -> None:
    for hit in retriever.retrieve(QUESTION, 10, name).hits:
        explanation = explain(retriever, QUESTION, hit.chunk.id, name)
        assert (explanation.rank, explanation.excluded) == (hit.rank, False)
        assert explanation.score == pytest.approx(hit.score)
        assert explanation.evidence == pytest.approx(hit.evidence)


def test_an_excluded_chunk_has_no_rank_but_the_operator_and_group_that_failed(retriever: Retriever) -> None:
    explanation = explain(retriever, QUESTION, "cleric-27")
    assert explanation.excluded
    assert explanation.rank is None
    assert explanation.rank_unfiltered >= 1
    assert "contain_one_of" in explanation.verdict
    assert "ac 7" in explanation.verdict
    assert explanation.lines()[0].startswith("OUT: ")
    assert explanation.in_words.endswith('; your question names "armor class 6".')
    assert f"  in words    {explanation.in_words}" in explanation.lines()


@pytest.mark.parametrize("strategy", ["prefilter", "iterative", "default"])
def test_a_receipt_and_an_explanation_say_the_same_sentence(retriever: Retriever, strategy: str) -> None:
    decisions = retriever.retrieve(QUESTION, 40, strategy, debug=True).receipt.decisions
    excluded = [decision for decision in decisions if not decision.kept]
    assert excluded
    for each in excluded[:3]:
        explained = explain(retriever, QUESTION, each.chunk_id)
        assert each.in_words
        assert (each.reason, each.in_words) == (explained.verdict, explained.in_words)
    assert not any(decision.in_words for decision in decisions if decision.kept)


def test_a_filter_that_is_off_excludes_nothing_but_the_verdict_is_said(retriever: Retriever) -> None:
    explanation = explain(retriever, QUESTION, "cleric-27", "dense")
    assert not explanation.excluded
    assert explanation.rank == explanation.rank_unfiltered
    assert "contain_one_of" in explanation.verdict


def test_an_admitted_chunk_says_why(retriever: Retriever) -> None:
    explanation = explain(retriever, QUESTION, "cleric-26")
    assert explanation.verdict == "satisfies query_must"
    assert explanation.in_words == ""
    assert explanation.lines()[0].startswith("IN: ")


def test_an_unknown_chunk_is_one_clear_error(retriever: Retriever) -> None:
    with pytest.raises(UnknownNameError, match="no chunk is called 'nobody'"):
        explain(retriever, QUESTION, "nobody")


def test_debug_lines_show_each_decision_once_and_the_rounds(retriever: Retriever) -> None:
    result = retriever.retrieve("tavern level price, attack matrix for clerics, armor class", 40, "iterative")
    lines = debug_lines(result)
    assert sum("KEEP" in line for line in lines) + sum("EXCLUDE" in line for line in lines) == len(
        result.receipt.decisions
    )
    assert any(line.startswith("[Iteration 2] Excluding 40 chunks") for line in lines)
    assert f"[FINAL] Returning {len(result.hits)} chunks after {result.receipt.rounds} iterations" in lines
    assert any(line.endswith("(no restrictions)") for line in lines)


def test_debug_lines_of_prefilter_name_what_was_kept_out(retriever: Retriever) -> None:
    result = retriever.retrieve("attack matrix for clerics, armor class 6", 15, "prefilter", debug=True)
    lines = "\n".join(debug_lines(result))
    assert "EXCLUDE: " in lines
    assert "Reason: contain_one_of" in lines
