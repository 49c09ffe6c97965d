from datetime import UTC, datetime, timedelta

import pytest

from evals.judging.verdicts import GateState
from pipeline.console.gate import ago, gate_lines

NOW = datetime(2030, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (-5, "just now"),
        (60, "1 minute ago"),
        (7_199, "1 hour ago"),
        (3 * 86_400, "3 days ago"),
        (15 * 86_400, "2 weeks ago"),
    ],
)
def test_an_age_is_told_in_words(seconds: int, said: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == said


def test_each_verdict_is_a_line_and_each_reason_another() -> None:
    assert list(gate_lines(GateState("refused", "one", None, ("a: it is",)))) == [
        ("gate", "refused; what was live stays live"),
        ("", "a: it is"),
    ]
    forced = GateState("forced", "one", None, ("a: it is",), "the edition changed")
    assert next(gate_lines(forced)) == ("gate", "live by force: the edition changed")
    assert list(gate_lines(GateState("held", "one", None, ()))) == [("gate", "every blocking check held for it")]
    assert list(gate_lines(GateState("not judged", None, None, ()))) == []
