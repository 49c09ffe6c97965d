from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evals.acceptance_summary import summary
from evals.evaluation import StaleGold

if TYPE_CHECKING:
    from collections.abc import Callable

    from evals.acceptance import StrategyVerdict
    from evals.scored_questions import ScoredQuestion

    Row = Callable[..., ScoredQuestion]
    Make = Callable[..., StrategyVerdict]


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
        "### querymust: `default` failed\n\n- :x: mrr is 0.250, and must be at least 0.5\n- :x: stale"
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
