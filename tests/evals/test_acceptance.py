from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evals.acceptance import Bound, SavedScores, StrategyVerdict, changes, junit_xml, summary
from evals.errors import AcceptanceError
from evals.evaluation import StaleGold
from evals.scored_questions import ScoredQuestion
from retrieval.errors import UnknownNameError

Row = Callable[..., ScoredQuestion]
Make = Callable[..., StrategyVerdict]


def test_a_bound_is_the_least_where_more_is_better_and_the_most_where_less_is() -> None:
    least, most = Bound.parse("mrr=0.85"), Bound.parse(" noise@15 = 3 ")
    assert (least, str(least)) == (Bound("mrr", 0.85), "mrr at least 0.85")
    assert (most, str(most)) == (Bound("noise@15", 3), "noise@15 at most 3")
    assert [least.holds(score) for score in (0.85, 0.8499, 1.0)] == [True, False, True]
    assert [most.holds(score) for score in (3, 3.1, 0)] == [True, False, True]


def test_a_score_that_is_undefined_reaches_nothing() -> None:
    assert [Bound("hit@1", 0.5).holds(score) for score in (None, 0.5)] == [False, True]


@pytest.mark.parametrize("text", ["mrr", "mrr=", "mrr=high", "mrr=85", "mrr=-0.1", "mrr=nan", "noise@15=inf", "f1=1.1"])
def test_what_no_score_can_be_on_both_sides_of_is_one_sentence(text: str) -> None:
    with pytest.raises(AcceptanceError, match=r"write (METRIC=NUMBER|a number)") as caught:
        Bound.parse(text)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_metric_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"no metric is called 'mmr'; did you mean 'mrr'\? available: .*mrr"):
        Bound.parse("mmr=0.85")


def names(moved: object) -> list[tuple[str, int | None, int | None]]:
    return [(each.row.question_id, each.before, each.after) for each in moved]  # type: ignore[attr-defined]


def test_a_question_is_gained_lost_or_moved(make_row: Row) -> None:
    before = {"same": 1, "gained": 4, "lost": 1, "up": 9, "down": 2, "away": 3, "none": 0}
    after = {"same": 1, "gained": 1, "lost": 3, "up": 5, "down": None, "away": 3, "none": 0}
    result = changes("then", *([make_row(*each) for each in side.items()] for side in (after, before)))
    assert names(result.gained) == [("gained", 4, 1)]
    assert names(result.lost) == [("lost", 1, 3)]
    assert names(result.moved) == [("up", 9, 5), ("down", 2, None)]
    assert [each.better for each in result.moved] == [True, False]
    assert (result.n_shared, result.added, result.n_gone, result.baseline) == (7, (), 0, "then")


def test_few_lost_questions_are_not_told_from_chance_many_are_and_getting_better_is_never_worse(make_row: Row) -> None:
    def worse(lost: int) -> set[str]:
        before = [make_row(f"q{number}") for number in range(40)]
        after = [make_row(f"q{number}", 8 if number < lost else 1) for number in range(40)]
        return {each.metric for each in changes("then", after, before).worse}

    assert worse(2) == set()
    assert worse(12) == {"hit@1", "mrr"}
    before = [make_row(f"q{number}", 5) for number in range(40)]
    after = [make_row(f"q{number}") for number in range(40)]
    result = changes("then", after, before)
    assert len(result.gained) == 40
    assert result.worse == ()


def test_a_question_with_another_text_is_another_question(make_row: Row) -> None:
    before = [make_row("q1", 1), make_row("q2", 1), make_row("old", 1)]
    after = [make_row("q1", 1), make_row("q2", 9, "asked in other words")]
    result = changes("then", after, before)
    assert (result.n_shared, result.lost, result.n_gone) == (1, (), 2)
    assert [row.question_id for row in result.added] == ["q2"]


def test_a_baseline_of_other_questions_is_refused(make_row: Row) -> None:
    with pytest.raises(AcceptanceError, match="the baseline is about other questions") as caught:
        changes("then", [make_row("q1")], [make_row("p1")])
    assert "\n" not in str(caught.value)


def test_questions_without_gold_are_compared_with_nothing(make_row: Row) -> None:
    result = changes("then", [make_row("q1", 0)], [make_row("q1", 0)])
    assert (result.n_shared, result.comparisons, result.worse) == (1, (), ())


def test_what_is_read_is_what_was_written_without_long_rankings_and_times(make_row, tmp_path):
    rows = [make_row("q1", 3), make_row("q2", strategy="bm25"), make_row("größer")]
    SavedScores.of("snap", rows).write(tmp_path / "one.json")
    SavedScores.of("snap", [replace(row, milliseconds=9.0) for row in rows]).write(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    result = SavedScores.read(tmp_path / "one.json")
    assert result.snapshot == "snap"
    assert [row.gold_rank for row in result.rows] == [3, 1, 1]
    assert result.rows[0].chunk_ids == ("a",)
    assert result.rows[0].deep_chunk_ids == ()
    assert [row.question_id for row in result.of_strategy("default")] == ["q1", "größer"]


@pytest.mark.parametrize("content", ["", "{}", "[1, 2]", '{"format": "querymust scores 1", "snapshot": 3}', "\x00"])
def test_another_file_is_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(AcceptanceError, match="does not hold saved scores") as caught:
        SavedScores.read(path)
    assert "\n" not in str(caught.value)


def test_a_folder_and_another_format_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(AcceptanceError, match="cannot be read"):
        SavedScores.read(tmp_path)
    replace(SavedScores.of("snap", []), format="querymust scores 99").write(tmp_path / "new.json")
    with pytest.raises(AcceptanceError, match="holds 'querymust scores 99'"):
        SavedScores.read(tmp_path / "new.json")


def test_it_says_whether_it_passed_and_what_changed(make_row: Row, make_verdict: Make) -> None:
    before = [make_row("up", 3), make_row("down", 1), make_row("same", 1), make_row("gone", 1)]
    text = summary(
        [make_verdict(make_row("up"), make_row("down", 4), make_row("same"), make_row("new"), before=before)]
    )
    assert text.startswith("### querymust: `default` passed\n")
    assert "- :white_check_mark: mrr is 0.812, at least 0.5" in text
    assert "- gold comes first for 3 of 4 questions with gold" in text
    assert "Against `then`, on 3 questions: 1 gained, 1 lost, 1 new, 1 gone." in text
    head = "| question | asked | rank before | rank now |\n| --- | --- | --- | --- |"
    assert f"**Lost**\n\n{head}\n| down | ask down | 1 | 4 |\n" in text
    assert "| up | ask up | 3 | 1 |" in text
    assert "**Moved**" not in text


def test_what_fails_is_said_first(make_row: Row, make_verdict: Make) -> None:
    stale = (StaleGold(Path("f.jsonl"), "old", "no such row", scored=False),)
    text = summary([make_verdict(make_row("q", 4), stale=stale)])
    assert text.startswith(
        "### querymust: `default` failed\n\n- :x: mrr is 0.250, but must be at least 0.5\n- :x: stale"
    )
    assert "| old | no such row |" in text


def test_the_words_of_a_question_are_no_markup_and_stay_on_their_line(make_row: Row, make_verdict: Make) -> None:
    text = summary([make_verdict(make_row("q|1", 4, "a | b\n<img src=x> @someone `c` *d* [e](f)"))])
    (line,) = [line for line in text.splitlines() if "gold at rank 4" in line]
    assert line.startswith(
        "| q\\|1 | a \\| b &lt;img src=x&gt; @\u200bsomeone \\`c\\` \\*d\\* \\[e\\](f) | gold at rank 4 | "
    )


def test_it_fits_into_a_comment_however_many_questions_there_are(make_row: Row, make_verdict: Make) -> None:
    before = [make_row(f"q{number}", 1, "|" * 2_000) for number in range(400)]
    after = [make_row(f"q{number}", 2 if number % 2 else 1, "|" * 2_000) for number in range(400)]
    text = summary([make_verdict(*after, before=before), make_verdict(*before, before=after)])
    assert len(text) < 65_536
    assert "and 175 more" in text


def cases(verdict: StrategyVerdict) -> dict[str, ElementTree.Element]:
    return {case.get("name", ""): case for case in ElementTree.fromstring(junit_xml([verdict])).iter("testcase")}


def test_each_question_is_a_case_and_a_failure_says_rank_and_what_came_first(make_row: Row, make_verdict: Make) -> None:
    rows = (make_row("good"), make_row("bad", 4), make_row("lost", None), make_row("none", 0))
    result = cases(make_verdict(*rows, bound=0.4))
    assert list(result) == ["good", "bad", "lost", "none", "scores"]
    assert result["good"].get("classname") == "default.asked.people"
    assert [child.tag for name in result for child in result[name]] == ["failure", "failure", "skipped"]
    failure = result["bad"].find("failure")
    assert str(failure.get("message")).startswith("gold at rank 4; first is b/d.md:1  ")
    assert str(failure.text).splitlines()[0] == "ask bad"
    assert "why: the first is another row of the same table" in str(failure.text)
    lost = result["lost"].find("failure")
    assert str(lost.get("message")).startswith("no gold in the first 100; ")


def test_the_last_case_says_whether_it_passes(make_row: Row, make_verdict: Make) -> None:
    before = [make_row(f"q{number}") for number in range(30)]
    after = [make_row(f"q{number}", 3) for number in range(30)]
    (bound, *worse) = cases(make_verdict(*after, before=before))["scores"]
    assert bound.get("message") == "mrr is 0.333, but must be at least 0.5"
    assert [str(each.get("message")).split(" than")[0] for each in worse] == [
        "hit@1 is significantly worse",
        "mrr is significantly worse",
    ]
    assert list(cases(make_verdict(*before, before=before))["scores"]) == []


def test_stale_gold_is_an_error_of_its_question(make_row: Row, make_verdict: Make) -> None:
    stale = (StaleGold(Path("f.jsonl"), "old", "no such row", scored=False),)
    error = cases(make_verdict(make_row("q"), stale=stale))["old"].find("error")
    assert error.get("message") == "stale gold: no such row"
    partly = (StaleGold(Path("f.jsonl"), "q", "no such row", scored=True),)
    for anchors in (stale, partly):
        made = make_verdict(make_row("q"), stale=anchors)
        assert not made.passed
        assert cases(made)["scores"].find("failure") is not None


def test_what_xml_cannot_hold_is_left_out_and_the_rest_is_escaped(make_row: Row, make_verdict: Make) -> None:
    query = "a < b & \x1b[31m\x00 “c” \ud83d ?"
    failure = cases(make_verdict(make_row("q", 2, query)))["q"].find("failure")
    assert str(failure.text).splitlines()[0] == "a < b & [31m “c”  ?"


def test_it_is_the_same_every_time(make_row: Row, make_verdict: Make) -> None:
    made = make_verdict(make_row("q", 2))
    assert junit_xml([made]) == junit_xml([made])
    assert b'failures="2"' in junit_xml([make_verdict(make_row("q", 3), bound=0.9)])
