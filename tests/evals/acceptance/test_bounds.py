import pytest

from evals.acceptance.bounds import Bound, judged
from evals.errors import AcceptanceError
from retrieval.errors import UnknownNameError


def test_a_bound_is_the_least_where_more_is_better_and_the_most_where_less_is() -> None:
    least, most = Bound.parse("mrr=0.85"), Bound.parse(" noise@15 = 3 ")
    assert (least, str(least)) == (Bound("mrr", 0.85), "mrr at least 0.85")
    assert (most, str(most)) == (Bound("noise@15", 3), "noise@15 at most 3")
    assert [least.holds(score) for score in (0.85, 0.8499, 1.0)] == [True, False, True]
    assert [most.holds(score) for score in (3, 3.1, 0)] == [True, False, True]


def test_a_score_that_is_undefined_reaches_nothing() -> None:
    bounds = (Bound("mrr", 0.0), Bound("hit@1", 0.5))
    assert [each.holds for each in judged(bounds, {"hit@1": 0.5})] == [False, True]


@pytest.mark.parametrize("text", ["mrr", "mrr=", "mrr=high", "mrr=85", "mrr=-0.1", "mrr=nan", "noise@15=inf", "f1=1.1"])
def test_what_no_score_can_be_on_both_sides_of_is_one_sentence(text: str) -> None:
    with pytest.raises(AcceptanceError, match=r"write (METRIC=NUMBER|a number)") as caught:
        Bound.parse(text)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_metric_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"no metric is called 'mmr'; did you mean 'mrr'\? there are: .*mrr"):
        Bound.parse("mmr=0.85")
