"""."""

import re
from pathlib import Path

import numpy as np
import pytest

from evals.benchmarks.books import BenchmarkDataError
from evals.fit.weights import (
    PARTS,
    Bend,
    Fold,
    JudgedCandidates,
    Score,
    WeightsReport,
    cross_validate,
    curves,
    fit,
    fit_weights,
    score,
)
from retrieval.index.embedding.embedders import load_embedder
from retrieval.search.evidence import WEIGHTS
from retrieval.strategy import EvidenceWeights

ROOT = Path(__file__).parents[3]


def test_the_page_shows_the_weights_that_ship():
    page = (ROOT / "docs" / "results" / "weights.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| (\w+) \| (-?[\d.]+) \|(?: [\d.]+ \|){6}$", page, flags=re.MULTILINE))

    assert {name: float(weight) for name, weight in shown.items()} == dict(WEIGHTS.items())


def test_a_report_is_written_twice_alike(tmp_path):
    score = Score(0.5, 1.0, 0.75, 1.0, 3.0, 2)
    weights = EvidenceWeights(name=1.5)
    bends = tuple(Bend(part, factor, 0.5) for part, _ in weights.items() for factor in (0.0, 1.0))
    report = WeightsReport(weights, (Fold("book", score, score, score),), bends)

    report.write(tmp_path / "docs", tmp_path / "weights.json")
    first = (tmp_path / "docs" / "weights.md").read_bytes()
    report.write(tmp_path / "docs", tmp_path / "weights.json")

    assert (tmp_path / "docs" / "weights.md").read_bytes() == first
    assert b"| book | 2 | 0.500 / 1.000 / 0.750 / 3.0 |" in first
    assert '"name": 1.5' in (tmp_path / "weights.json").read_text("utf-8")


def test_a_folder_without_question_sets_is_refused(tmp_path):
    with pytest.raises(BenchmarkDataError, match="no set with the split"):
        fit_weights(tmp_path, tmp_path, "open", load_embedder("wordllama"))


def judged(seed, telling="name", kind="look-up"):
    """Ten candidates; the first is gold, and only the part `telling` says so."""
    random = np.random.default_rng(seed)
    evidence = random.random((len(PARTS), 10)).astype(np.float32)
    row = PARTS.index(telling)
    evidence[row] = 0.2
    evidence[row, 0] = 0.9
    gold = np.zeros(10, dtype=bool)
    gold[0] = True
    evidence[PARTS.index("sibling")] = 0
    return JudgedCandidates(kind, evidence, gold, np.zeros(10, dtype=bool))


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    """So little evidence has said what it says long before the last step of a real fit."""
    monkeypatch.setattr("evals.fit.weights.STEPS", 120)


@pytest.fixture(scope="module")
def groups():
    return {
        name: [judged(position + 100 * number) for position in range(30)]
        for number, name in enumerate(["one", "two", "three"])
    }


def test_the_part_that_tells_gets_the_weight(groups):
    weights = fit(groups)

    assert max(weights.items(), key=lambda item: item[1])[0] == "name"
    assert score(weights, groups["one"]).mrr > score(EvidenceWeights(lexical=1.0), groups["one"]).mrr


def test_no_weight_is_negative_and_a_second_fit_is_the_same(groups):
    weights = fit(groups, seed=3)

    assert min(weight for _, weight in weights.items()) >= 0
    assert fit(dict(reversed(groups.items())), seed=3) == weights


def test_a_group_is_scored_by_weights_that_have_not_seen_it(groups):
    misled = {**groups, "odd": [judged(number, telling="text") for number in range(30)]}
    folds = {fold.group: fold for fold in cross_validate(misled, fit(misled))}

    assert folds["odd"].held_out.mrr < folds["odd"].fitted.mrr
    assert folds["odd"].held_out.n == 30


def test_equal_scores_rank_by_position():
    evidence = np.zeros((len(PARTS), 3), dtype=np.float32)
    question = JudgedCandidates("x", evidence, np.asarray([False, False, True]), np.zeros(3, dtype=bool))

    assert question.rank(np.ones(len(PARTS))) == 3


def test_a_curve_bends_one_weight_and_leaves_the_rest(groups):
    weights = EvidenceWeights(name=1.0, text=0.1)
    bends = {(bend.part, bend.factor): bend.mrr for bend in curves(groups, weights, (0.0, 1.0))}

    assert (
        bends["name", 1.0]
        == bends["text", 1.0]
        == pytest.approx(np.mean([score(weights, groups[g]).mrr for g in groups]))
    )
    assert bends["name", 0.0] < bends["name", 1.0]
    assert bends["dense", 0.0] == bends["dense", 1.0]


def test_siblings_are_demoted_as_far_as_no_group_pays_for_it():
    def crowd(named):
        evidence = np.zeros((len(PARTS), 30), dtype=np.float32)
        evidence[PARTS.index("text")] = 0.5
        evidence[PARTS.index("name"), 0] = 0.4
        evidence[PARTS.index("text"), 20:] = 0.45
        evidence[PARTS.index("sibling"), 1:20] = 0.4
        gold = np.zeros(30, dtype=bool)
        gold[0 if named else 5] = True
        return JudgedCandidates(
            "x", evidence, gold, np.r_[False, np.ones(19, dtype=bool), np.zeros(10, dtype=bool)] & ~gold
        )

    wanted = {"names": [crowd(True)] * 20}
    mixed = wanted | {"neighbours": [crowd(False)] * 20}

    assert fit(wanted).sibling < 0
    assert score(fit(wanted), wanted["names"]).noise < score(EvidenceWeights(name=1.0, text=1.0), wanted["names"]).noise
    assert fit(mixed).sibling == 0


def test_of_one_group_alone_nothing_is_held_out(groups):
    alone = {"one": groups["one"]}
    assert cross_validate(alone, fit(alone)) == ()
