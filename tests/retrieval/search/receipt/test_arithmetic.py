"""What is printed about a score: a sum that a person with a pencil gets too."""

import json
import re

import pytest

from evals.sample import SAMPLE_QUESTIONS
from retrieval.home import Home
from retrieval.search.explanation import explain
from retrieval.search.receipt.arithmetic import DIGITS, Sum
from retrieval.search.receipt.transcript import debug_lines
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES, VARIANTS
from retrieval.types import Addend

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
        found = opened.retrieve(question, 15, name, debug=True)
        lines = [line for line in debug_lines(found) if line.startswith("[SCORE] ")]
        assert len(lines) == len(found.hits)
        for hit, line in zip(found.hits, lines, strict=True):
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
            assert sum(each.contribution for each in hit.addends) == pytest.approx(hit.score, abs=1e-9)


def test_a_hybrid_shows_its_weights_and_what_was_measured_before_scaling(opened: Retriever) -> None:
    (best, *_) = opened.retrieve(QUESTIONS[0], 5, "hybrid").hits
    assert {each.name: each.weight for each in best.addends} == {"lexical": 0.4, "dense": 0.6}
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
