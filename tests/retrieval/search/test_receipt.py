"""What is printed about a score: a sum that a person with a pencil gets too."""

import json
import re
from dataclasses import replace

import pytest

from evals.sample import SAMPLE_QUESTIONS
from retrieval.home import Home
from retrieval.search.explanation import explain
from retrieval.search.iterative import IterativeOutcome, Neighbour
from retrieval.search.receipt import DIGITS, Sum, debug_lines
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES, VARIANTS
from retrieval.types import Addend, Decision, Iteration, Receipt, Retrieval, Stage, StopReason

ROUNDING = 0.5 * 10**-DIGITS
NUMBER = r"-?\d+\.\d+"
QUESTIONS = [json.loads(line)["query"] for line in SAMPLE_QUESTIONS.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def opened(sample: Home) -> Retriever:
    return Retriever.open(sample.root)


def assert_adds_up(score: float, terms: list[tuple[float, float, float]]) -> None:
    """Terms are (value, weight, contribution), each rounded to what is printed."""
    assert abs(sum(contribution for _, _, contribution in terms) - score) <= ROUNDING * (len(terms) + 1) + 1e-9
    for value, weight, contribution in terms:
        assert abs(value * weight - contribution) <= ROUNDING * (1 + abs(value) + abs(weight)) + 1e-9


@pytest.mark.parametrize("name", [*STRATEGIES, *VARIANTS])
def test_the_printed_parts_of_every_hit_sum_up_to_its_printed_score(opened: Retriever, name: str) -> None:
    checked = 0
    for question in QUESTIONS[::8]:
        result = opened.retrieve(question, 15, name, debug=True)
        lines = [line for line in debug_lines(result) if line.startswith("[SCORE] ")]
        assert len(lines) == len(result.hits)
        for hit, line in zip(result.hits, lines, strict=True):
            rank, score, terms = re.fullmatch(rf"\[SCORE\] (\d+): ({NUMBER}) = (.+)", line).groups()
            assert (int(rank), float(score)) == (hit.rank, round(hit.score, DIGITS))
            parts = re.findall(rf"({NUMBER}) \w+ \(({NUMBER}) x ({NUMBER})\)", terms)
            assert len(parts) == len(terms.split(" + ")) or terms == "0"
            assert_adds_up(float(score), [(float(v), float(w), float(c)) for c, v, w in parts])
            checked += len(parts)
    assert checked > 100


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid", "hybrid_graph", "default"])
def test_the_printed_parts_of_an_explanation_sum_up_to_its_score(opened: Retriever, name: str) -> None:
    for question in QUESTIONS[::30]:
        for hit in opened.retrieve(question, 40, "dense").hits[::9]:
            lines = "\n".join(explain(opened, question, hit.chunk.id, name).lines())
            score = float(re.search(rf", score ({NUMBER})$", lines, re.MULTILINE)[1])
            assert float(re.search(rf" sum +=\s+({NUMBER})$", lines, re.MULTILINE)[1]) == score
            terms = re.findall(rf" \w+\s+({NUMBER}) x\s+({NUMBER}) =\s+({NUMBER})", lines)
            assert_adds_up(score, [(float(v), float(w), float(c)) for v, w, c in terms])


def test_addends_sum_up_to_the_score_beyond_what_is_printed(opened: Retriever) -> None:
    for name in (*STRATEGIES, *VARIANTS):
        for hit in opened.retrieve(QUESTIONS[0], 15, name).hits:
            assert sum(addend.contribution for addend in hit.addends) == pytest.approx(hit.score, abs=1e-9)


def test_a_hybrid_shows_its_weights_and_what_was_measured_before_scaling(opened: Retriever) -> None:
    (best, *_) = opened.retrieve(QUESTIONS[0], 5, "hybrid").hits
    assert {addend.name: addend.weight for addend in best.addends} == {"lexical": 0.4, "dense": 0.6}
    lines = Sum(best.score, best.addends, best.evidence).lines()
    assert f"(measured {best.evidence['lexical']:.4f}, then scaled)" in lines[0]


def test_what_adds_nothing_is_named_apart() -> None:
    lines = Sum(0.5, (Addend("dense", 0.5, 1.0), Addend("quote", 0.0, 3.0)), {"dense": 0.5, "quote": 0.0}).lines()
    assert [line.split() for line in lines] == [
        ["dense", "0.5000", "x", "1.0000", "=", "0.5000"],
        ["sum", "=", "0.5000"],
        ["nothing", "from", "quote"],
    ]
    assert Sum(0.0, (), {}).line() == "0.0000 = 0"


@pytest.mark.parametrize("strategy", ["default", "prefilter", "dense"])
def test_hits_are_the_same_where_nobody_asks_why(retriever: Retriever, strategy: str) -> None:
    told = retriever.retrieve("What does a cleric need to hit armor class 6?", 12, strategy)
    short = retriever.retrieve("What does a cleric need to hit armor class 6?", 12, strategy, decisions=False)
    assert short.hits == told.hits
    assert told.receipt.decisions
    assert (short.receipt.decisions, short.receipt.excluded) == ((), None)


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
    assert [line for line in lines if re.match(r"\[Iteration 2\] (?!Excluding|Kept)", line)] == [line]


def test_a_round_that_found_nothing_is_shown_last() -> None:
    empty = replace(RECEIPT, iterations=(*RECEIPT.iterations, Iteration(3, 0, 0, 0.25)), stopped="No more results")
    lines = debug_lines(replace(OUTCOME, receipt=empty))
    index = lines.index("[Iteration 3] Kept 0, excluded 0, 0.2 ms")
    assert lines[index + 1 : index + 3] == (
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
        "[FINAL] Excluded chunks were not counted; use debug",
        "[TIME] embed 1.2 ms, dense 3.0 ms, total 4.6 ms",
    )
