from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from evals.evaluation import StaleGold
from evals.junit import junit_xml

if TYPE_CHECKING:
    from collections.abc import Callable

    from evals.acceptance import StrategyVerdict
    from evals.scored_questions import ScoredQuestion

    Row = Callable[..., ScoredQuestion]
    Make = Callable[..., StrategyVerdict]


def cases(verdict: StrategyVerdict) -> dict[str, ElementTree.Element]:
    return {case.get("name", ""): case for case in ElementTree.fromstring(junit_xml([verdict])).iter("testcase")}


def test_each_question_is_a_case_and_a_failure_says_rank_and_what_came_first(make_row: Row, make_verdict: Make) -> None:
    rows = (make_row("good"), make_row("bad", 4), make_row("lost", None), make_row("none", 0))
    result = cases(make_verdict(*rows, bound=0.4))
    assert list(result) == ["good", "bad", "lost", "none", "scores"]
    assert result["good"].get("classname") == "default.asked.people"
    assert [child.tag for name in result for child in result[name]] == ["failure", "failure", "skipped"]
    failure = result["bad"].find("failure")
    assert failure is not None
    assert str(failure.get("message")).startswith("gold at rank 4; first is b/d.md:1  ")
    assert str(failure.text).splitlines()[0] == "ask bad"
    assert "why: the first is another row of the same table" in str(failure.text)
    lost = result["lost"].find("failure")
    assert lost is not None
    assert str(lost.get("message")).startswith("no gold in the first 100; ")


def test_the_last_case_says_whether_it_passes(make_row: Row, make_verdict: Make) -> None:
    before = [make_row(f"q{number}") for number in range(30)]
    after = [make_row(f"q{number}", 3) for number in range(30)]
    (bound, *worse) = cases(make_verdict(*after, before=before))["scores"]
    assert bound.get("message") == "mrr is 0.333, and must be at least 0.5"
    assert [str(each.get("message")).split(" than")[0] for each in worse] == [
        "hit@1 is significantly worse",
        "mrr is significantly worse",
    ]
    assert list(cases(make_verdict(*before, before=before))["scores"]) == []


def test_stale_gold_is_an_error_of_its_question(make_row: Row, make_verdict: Make) -> None:
    stale = (StaleGold(Path("f.jsonl"), "old", "no such row", scored=False),)
    error = cases(make_verdict(make_row("q"), stale=stale))["old"].find("error")
    assert error is not None
    assert error.get("message") == "stale gold: no such row"


def test_what_xml_cannot_hold_is_left_out_and_the_rest_is_escaped(make_row: Row, make_verdict: Make) -> None:
    query = "a < b & \x1b[31m\x00 “c” \ud83d ?"
    failure = cases(make_verdict(make_row("q", 2, query)))["q"].find("failure")
    assert failure is not None
    assert str(failure.text).splitlines()[0] == "a < b & [31m “c”  ?"


def test_it_is_the_same_every_time(make_row: Row, make_verdict: Make) -> None:
    made = make_verdict(make_row("q", 2))
    assert junit_xml([made]) == junit_xml([made])
    assert b'failures="2"' in junit_xml([make_verdict(make_row("q", 3), bound=0.9)])
