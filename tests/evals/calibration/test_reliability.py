import numpy as np
import pytest

from evals.calibration.diagram import diagram
from evals.calibration.reliability import Bin, area, reliability, share_above


def test_what_is_always_true_has_no_error() -> None:
    found = reliability(np.asarray([1.0, 1.0, 0.0]), np.asarray([True, True, False]))
    assert (found.ece, found.auc) == (0.0, 1.0)
    assert found.bins == (Bin(1, 0.0, 0.0), Bin(2, 1.0, 1.0))


def test_both_kinds_weigh_the_same_whatever_their_number() -> None:
    relevance, answered = np.full(10, 0.8), np.asarray([True] * 8 + [False] * 2)
    found = reliability(relevance, answered)
    assert found.bins == (Bin(10, pytest.approx(0.8), pytest.approx(0.5)),)
    assert found.ece == pytest.approx(0.3)
    assert found.auc == 0.5
    assert (found.n_answered, found.n_unanswered) == (8, 2)


def test_the_error_is_worked_out_by_hand() -> None:
    relevance = np.asarray([0.95, 0.65, 0.62, 0.05])
    answered = np.asarray([True, True, False, False])
    # bins 0.9: 1/4 x 0.05, 0.6: 1/2 x |0.635 - 0.5|, 0.0: 1/4 x 0.05
    assert reliability(relevance, answered).ece == pytest.approx(0.25 * 0.05 + 0.5 * 0.135 + 0.25 * 0.05)
    assert area(relevance, answered) == 1.0


def test_a_share_of_nothing_is_none() -> None:
    assert share_above(np.asarray([0.6, 0.59]), [True, True], 0.6) == 0.5
    assert share_above(np.asarray([0.6]), [False], 0.6) is None


def test_the_diagram_has_a_point_for_each_bin_and_the_true_ones_on_its_diagonal() -> None:
    drawn = diagram((Bin(1, 0.0, 0.0), Bin(4, 1.0, 1.0)), "Reliability")
    assert drawn.count("<circle") == 2
    assert 'cx="46.0" cy="274.0"' in drawn
    assert 'cx="306.0" cy="14.0"' in drawn
    assert "4 questions: said 1.00, true 1.00" in drawn
    assert drawn == diagram((Bin(1, 0.0, 0.0), Bin(4, 1.0, 1.0)), "Reliability")
