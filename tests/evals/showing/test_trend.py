"""From snapshot to snapshot."""

from evals.showing.curve import Curve
from evals.showing.trend import Judged, trend


def test_the_oldest_comes_first_and_a_snapshot_that_was_scored_twice_counts_once() -> None:
    newest_first = [Judged("b", "now", 0.5, 0.4), Judged("b", "2", 0.3, 0.4), Judged("a", "1", 0.4, None)]
    assert trend(newest_first) == Curve(["1", "now"], {"mrr": [0.4, 0.5], "mrr of live": [None, 0.4]}).image()


def test_without_scores_it_says_so() -> None:
    assert trend([Judged("a", "now", None, None)]) == "Nothing was scored yet."


def test_one_snapshot_is_a_sentence_and_no_picture_of_a_point() -> None:
    wanted = "mrr 0.500 on the first snapshot that was scored; a picture begins with the second."
    assert trend([Judged("a", "now", 0.5, None), Judged("a", "1", 0.4, None)]) == wanted
