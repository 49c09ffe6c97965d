"""What debugging prints, line by line, against the lines of the published plan."""

import re
from dataclasses import replace

import pytest

from retrieval.decision import Decision
from retrieval.iteration import Iteration, StopReason
from retrieval.search.dense.iterative import IterativeOutcome, Neighbour
from retrieval.search.receipt.transcript import debug_lines
from retrieval.types import Receipt, Retrieval, Stage

KEPT = Decision("a", "Strength", True, "no restrictions", 1, "rules")
OUT = Decision("b", "AC 7", False, 'contain failed: "ac 7"', 1, "rules", in_words="This row is about AC 7.")
LATE = Decision("c", "AC 6", True, "satisfies query_must", 2, "rules")
RECEIPT = Receipt(
    canonical="ac 6",
    decisions=(KEPT, OUT, LATE),
    rounds=2,
    excluded=1,
    stages=(Stage("embed", 1.25), Stage("dense", 3.0)),
    iterations=(Iteration(1, 2, 1, 2.0), Iteration(2, 1, 0, 0.5)),
    stopped="Target k reached",
    milliseconds=4.56,
)
OUTCOME = IterativeOutcome((Neighbour("c", 0.1, "AC 6"), Neighbour("a", 0.2, "Strength")), RECEIPT, {"rules": "ac 6"})


def test_an_outcome_is_printed_round_by_round() -> None:
    assert debug_lines(OUTCOME) == (
        "[Question] ac 6",
        "  ✅ KEEP: Strength (no restrictions)",
        "  ❌ EXCLUDE: AC 7",
        "     This row is about AC 7.",
        '     Reason: contain failed: "ac 7"',
        "[Iteration 1] Kept 1, excluded 1, 2.0 ms",
        "[Iteration 2] Excluding 2 chunks already seen",
        "  ✅ KEEP: AC 6",
        "[Iteration 2] Kept 1, excluded 0, 0.5 ms",
        "[Iteration 2] Target k=2 reached (2 chunks)",
        "[FINAL] Returning 2 chunks after 2 iterations",
        "[FINAL] Excluded 1 chunks total",
        "[TIME] embed 1.2 ms, dense 3.0 ms, total 4.6 ms",
    )


@pytest.mark.parametrize(
    ("stopped", "line"),
    [
        ("Target k reached", "[Iteration 2] Target k=2 reached (2 chunks)"),
        ("No exclusions, stopping", "[Iteration 2] No exclusions, stopping"),
        ("No more results", "[Iteration 2] No more results available"),
        ("Iteration limit reached", "[Iteration 2] Iteration limit reached (2 chunks)"),
    ],
)
def test_why_no_further_round_followed_is_a_line(stopped: StopReason, line: str) -> None:
    lines = debug_lines(replace(OUTCOME, receipt=replace(RECEIPT, stopped=stopped)))
    assert [each for each in lines if re.match(r"\[Iteration 2\] (?!Excluding|Kept)", each)] == [line]


def test_a_round_that_found_nothing_is_shown_last() -> None:
    empty = replace(RECEIPT, iterations=(*RECEIPT.iterations, Iteration(3, 0, 0, 0.25)), stopped="No more results")
    lines = debug_lines(replace(OUTCOME, receipt=empty))
    place = lines.index("[Iteration 3] Kept 0, excluded 0, 0.2 ms")
    assert lines[place + 1 : place + 3] == (
        "[Iteration 3] No more results available",
        "[FINAL] Returning 2 chunks after 2 iterations",
    )


def test_several_collections_are_named_in_every_line() -> None:
    several = replace(RECEIPT, decisions=(KEPT, OUT, replace(LATE, collection="monsters")))
    lines = debug_lines(replace(OUTCOME, receipt=several, readings={"rules": "ac 6", "monsters": "defence 6"}))
    assert [line for line in lines if "[rules]" in line or "[monsters]" in line] == [
        "[Question] ac 6 [rules]",
        "[Question] defence 6 [monsters]",
        "  ✅ KEEP: Strength [rules] (no restrictions)",
        "  ❌ EXCLUDE: AC 7 [rules]",
        "  ✅ KEEP: AC 6 [monsters]",
    ]
    alike = debug_lines(replace(OUTCOME, readings={"rules": "ac 6", "monsters": "ac 6"}))
    assert alike[:2] == ("[Question] ac 6", "  ✅ KEEP: Strength [rules] (no restrictions)")


def test_a_retrieval_without_rounds_has_a_total_and_no_iterations() -> None:
    receipt = replace(RECEIPT, decisions=(KEPT,), rounds=1, excluded=None, iterations=(), stopped=None)
    lines = debug_lines(Retrieval("AC 6", "prefilter", (), receipt))
    assert not any(line.startswith("[Iteration") for line in lines)
    assert lines[-2:] == (
        "[FINAL] Excluded chunks were not counted; ask with debug",
        "[TIME] embed 1.2 ms, dense 3.0 ms, total 4.6 ms",
    )
