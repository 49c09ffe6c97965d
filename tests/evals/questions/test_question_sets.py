import math

import ir_measures
import pytest

from evals.metrics import STANDARD, hit, judge, mrr
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Anchor, Question
from evals.trec_files import Scored, write_qrels, write_run


@pytest.fixture
def question_set(library):
    """A set whose only question needs `p`, and one of the equal rows `g1` and `g2`."""
    gold = (Anchor("b", snippet="p"), *(Anchor("b", snippet=name, group=1) for name in ("g1", "g2")))
    return QuestionSet.of("tiny", "open", [Question("q", "x", "b", gold=gold)], library.chunks)


def value(question_set, name, ranking):
    (metric,) = (each for each in STANDARD if str(each) == name)
    return metric(question_set.judge(question_set.questions[0], ranking.split()))


def test_any_chunk_of_a_group_is_gold(question_set):
    assert question_set.gold(question_set.questions[0]) == ("p", "g1", "g2")
    for first in ("p", "g1", "g2"):
        assert value(question_set, "hit@1", f"{first} g5") == 1
    assert value(question_set, "mrr", "g5 g2 g1") == 1 / 2


def test_a_group_is_one_answer_for_recall(question_set):
    assert value(question_set, "recall@10", "p g2") == 1
    assert value(question_set, "recall@10", "g1 g2") == 1 / 2


def test_ndcg_is_1_with_one_chunk_of_the_group_and_never_above(question_set):
    assert value(question_set, "ndcg@10", "g2 p") == value(question_set, "ndcg@10", "p g1 g2") == 1
    late = (1 + 1 / 2) / (1 + 1 / math.log2(3))
    assert value(question_set, "ndcg@10", "g1 g2 p") == pytest.approx(late), (
        "the second chunk of the group keeps its place"
    )


def test_precision_and_f1_count_answers(question_set):
    assert value(question_set, "precision@15", "g1 g2 p") == 2 / 15
    assert value(question_set, "f1", "g1 p") == 1
    assert value(question_set, "f1", "g1 g2 p") == 2 * 2 / (3 + 2)


def test_a_group_and_an_entry_that_meet_in_a_chunk_are_one_answer(library):
    gold = (Anchor("b", snippet="g1"), *(Anchor("b", snippet=name, group=1) for name in ("g1", "g2")))
    query = QuestionSet.of("tiny", "open", [Question("q", "x", "b", gold=gold)], library.chunks)
    for result in ("g1", "g2", "g1 g2"):
        assert value(query, "recall@10", result) == value(query, "ndcg@10", result) == 1


def test_trec_eval_agrees_on_the_first_chunk_of_a_group_and_counts_each_for_recall(question_set, tmp_path):
    ranking = ["g5", "g2", "p"]
    write_qrels(tmp_path / "q", {"q": question_set.gold(question_set.questions[0])})
    write_run(tmp_path / "r", {"q": [Scored(name, -rank) for rank, name in enumerate(ranking)]}, "t")
    theirs = ir_measures.calc_aggregate(
        [ir_measures.RR, ir_measures.Success @ 5, ir_measures.R @ 10],
        ir_measures.read_trec_qrels(str(tmp_path / "q")),
        ir_measures.read_trec_run(str(tmp_path / "r")),
    )
    ours = {name: value(question_set, name, " ".join(ranking)) for name in ("mrr", "hit@5", "recall@10")}
    assert (theirs[ir_measures.RR], theirs[ir_measures.Success @ 5]) == (ours["mrr"], ours["hit@5"])
    assert theirs[ir_measures.R @ 10] == pytest.approx(2 / 3)
    assert ours["recall@10"] == 1


def test_without_groups_the_judgement_is_that_of_the_plain_ranking(library):
    questions = QuestionSet.of("tiny", "open", library.questions, library.chunks)
    ranking = ["g3", "g0", "p", "g1", "g0"]
    for question in questions.questions[:3]:
        plain = judge(ranking, questions.gold(question))
        assert questions.judge(question, ranking) == plain
        assert all(each(questions.judge(question, ranking)) == each(plain) for each in STANDARD)
    assert {hit(1), mrr()} <= set(STANDARD)
