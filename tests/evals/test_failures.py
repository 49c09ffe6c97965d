"""What is reported of a question whose first result is not its gold."""

from dataclasses import replace

import pytest

from evals.experiment import run_experiment
from evals.failures import failures
from evals.noise import Relatives
from evals.questions.questions import Anchor, Question
from retrieval.language.canonical import canonical


@pytest.fixture
def failed(library, prefilter):
    """The failures of prefilter, by question; q0 asks for g0, q1 for g1, q2 for p."""

    def failed(ranking, unfiltered="g0/g1/p/u"):
        searcher = library.searcher(dense=unfiltered, prefilter=ranking)
        experiment = run_experiment(searcher, [prefilter], [library.set()], library.chunks, snapshot="s")
        result = failures(experiment.rows, Relatives.of(library.chunks), canonical)
        return {each.row.question_id: each for each in result}

    return failed


def test_a_failure_says_what_came_first_and_where_the_gold_was(failed):
    result = failed("u p g0/g1/p/u")["q0"]
    assert (result.first.id, result.row.gold_rank, [chunk.id for chunk in result.gold]) == ("u", 3, ["g0"])
    assert result.why == ()


def test_a_row_of_a_twin_and_another_book_are_named_as_such(library, failed):
    library.chunks[0] = replace(library.chunks[0], signature="s")
    library.chunks[10] = replace(library.chunks[10], signature="s")
    library.chunks[11] = replace(library.chunks[11], book="c")
    library.questions[2] = Question("q2", "ask q2", "b", gold=(Anchor(snippet="p", book="c"),))
    result = failed("u g0/p g1/u p/u")
    assert result["q0"].why == ("the first is a row of a table with the same columns",)
    assert result["q1"].why == ("the first is from another book",)


def test_gold_that_a_predicate_excluded_is_told_with_what_the_question_lacks(failed):
    result = failed("g0/u/p/u")["q1"]
    assert result.row.gold_rank is None
    assert result.why == ('the filter excluded gold, d.md - 1: contain_one_of failed group: ["ac 1"]',)


def test_only_questions_with_gold_that_is_not_first_fail(failed):
    assert failed("g0 u/g1/p/u") == {}
    assert failed("g0/g5 g1/p/u")["q1"].why == ("the first is another row of the same table",)
    result = failed("/g1/p/u", unfiltered="u/g1/p/u")["q0"]
    assert (result.first, result.row.gold_rank, result.why) == (None, None, ("nothing came back",))
