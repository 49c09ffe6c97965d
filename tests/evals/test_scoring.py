from dataclasses import replace

from evals.noise import Relatives
from evals.scoring import Asked, Scorer
from retrieval.iteration import Iteration


def test_rounds_are_counted_for_a_search_that_had_some_and_for_no_other(library, make_retrieval):
    chunks = {chunk.id: chunk for chunk in library.chunks}
    plain = make_retrieval("g1 p", chunks)
    iterations = (Iteration(1, 15, 9, 1.0), Iteration(2, 15, 2, 1.0), Iteration(3, 0, 0, 1.0))
    asked_again = replace(plain, receipt=replace(plain.receipt, rounds=2, iterations=iterations))
    scorer, questions = Scorer(Relatives.of(library.chunks)), library.set()
    rows = [
        scorer.row(Asked(questions.scored[1], "s", shown, plain, 1.0), questions, None)
        for shown in (plain, asked_again)
    ]
    assert {"rounds", "excluded"}.isdisjoint(rows[0].values)
    assert (rows[1].values["rounds"], rows[1].values["excluded"]) == (2.0, 11.0)
