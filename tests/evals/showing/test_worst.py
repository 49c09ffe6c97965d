"""The worst questions of a strategy."""

from dataclasses import replace

from evals.evaluation import evaluation_of
from evals.noise import Relatives
from evals.showing.worst import MOST, worst_questions
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.strategies import STRATEGIES


def test_they_fail_and_the_lowest_gold_comes_first(sample: Home) -> None:
    scores = evaluation_of(sample, sample.candidate, STRATEGIES["dense"])
    rows = scores.rows("dense")
    with open_snapshot(sample.root, sample.candidate) as snapshot:
        relatives, read = Relatives.of(tuple(snapshot.chunks)), snapshot.asked
    found = worst_questions(rows, relatives, read)
    assert len(found) == MOST
    ranks = [each.rank or 101 for each in found]
    assert ranks == sorted(ranks, reverse=True)
    by_id = {row.question_id: row for row in rows}
    assert max(row.gold_rank or 101 for row in rows if row.gold) == ranks[0]
    assert all(by_id[each.question].values["hit@1"] == 0 and each.first != each.gold for each in found)
    lost = replace(by_id[found[-1].question], excluded_gold=by_id[found[-1].question].gold)
    again = worst_questions([lost, *(row for row in rows if row.question_id != lost.question_id)], relatives, read)
    assert again[0].question == lost.question_id
    assert "the filter excluded gold" in again[0].why
    assert worst_questions([row for row in rows if row.values.get("hit@1")], relatives, read) == ()
