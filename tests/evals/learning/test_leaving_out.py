import pytest

from evals.learning.lambdarank import learn
from evals.learning.leaving_out import GENERATED, LeftOut, Score, leave_out, pooled


def row(group, kind, n, value):
    score = Score(n, value, value, value, value)
    return LeftOut(group, kind, score, score, Score(n, 0.0, 0.0, 0.0, 0.0))


def test_scores_are_means_over_ranks_and_what_is_not_found_counts_0():
    score = Score.of([1, 6, None, 2])

    assert (score.n, score.hit_1, score.hit_5, score.hit_10) == (4, 0.25, 0.5, 0.75)
    assert score.mrr == pytest.approx((1 + 1 / 6 + 1 / 2) / 4)


def test_pooled_means_count_every_question_the_same():
    found = pooled([row("a", "rule", 10, 0.5), row("b", "rule", 30, 0.9), row("b", "lookup", 99, 0.1)], "rule")

    assert (found.group, found.kind, found.left_out.n) == ("all", "rule", 40)
    assert found.left_out.hit_1 == found.left_out.mrr == found.shipped.hit_10 == pytest.approx(0.8)
    assert found.first_look.mrr == 0


def test_a_kind_that_nobody_asked_has_no_mean():
    assert pooled([row("a", "rule", 10, 0.5)], "lookup") is None
    assert pooled([], "rule") is None


def test_of_one_group_alone_nothing_is_left_out(make_example, names, small):
    assert leave_out({"one": [make_example(1)]}, names, None, small) == ()
    assert leave_out({}, names, None, small) == ()


def test_a_group_is_scored_by_trees_that_have_not_seen_it(lightgbm, make_example, names, small):
    groups = {
        "odd": [make_example(place, "length") for place in range(40)],
        "one": [make_example(100 + place) for place in range(40)],
        "two": [make_example(200 + place) for place in range(40)],
    }
    told = []
    shipped = learn(groups, names, small)
    found = {each.group: each for each in leave_out(groups, names, shipped, small, tell=told.append)}

    assert told == ["odd", "one", "two"]
    assert found["odd"].left_out.mrr < found["odd"].shipped.mrr
    assert found["one"].left_out.mrr > found["one"].first_look.mrr
    without = learn({name: groups[name] for name in ("one", "two")}, names, small)
    expected = Score.of([each.rank(without.scores(each.values)) for each in groups["odd"]])
    assert found["odd"].left_out == expected


def test_generated_questions_are_scored_apart_from_those_of_people(lightgbm, make_example, names, small):
    mixed = [make_example(place, kind="rule" if place % 2 else "lookup", generated=place < 4) for place in range(10)]
    groups = {"one": mixed, "two": [make_example(50 + place) for place in range(10)]}
    shipped = learn(groups, names, small)
    found = [(each.group, each.kind, each.left_out.n) for each in leave_out(groups, names, shipped, small)]

    assert found == [("one", GENERATED, 4), ("one", "lookup", 3), ("one", "rule", 3), ("two", "lookup", 10)]
