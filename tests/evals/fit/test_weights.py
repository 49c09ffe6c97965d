import re
from pathlib import Path

import pytest

from evals.benchmarks.data_files import BenchmarkDataError
from evals.fit.weights import WeightsReport, fit_weights
from evals.fitting import Bend, Fold, Score
from retrieval.index.embedding.embedders import load_embedder
from retrieval.search.evidence.weights import WEIGHTS
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
