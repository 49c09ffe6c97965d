"""The page as an asset."""

from pathlib import Path

import dagster as dg
import pytest

from evals.evaluation import evaluation_of
from pipeline.defs.dashboard import NUMBERS, metrics_dashboard
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES


def metadata_of(home: Home) -> dict[str, object]:
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([metrics_dashboard], resources={"home": home}, instance=instance)
    (event,) = result.asset_materializations_for_node("metrics_dashboard")
    return {name: value.value for name, value in event.metadata.items()}


def test_it_writes_the_page_and_reports_the_headline(
    sample: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pipeline.defs.dashboard.default_path", lambda _: tmp_path / "report.html")
    monkeypatch.setattr("pipeline.report.questions.RANKINGS", 12)
    found = metadata_of(sample)
    assert found["path"] == str(tmp_path / "report.html")
    assert found["n_bytes"] == (tmp_path / "report.html").stat().st_size
    headline = evaluation_of(sample, sample.candidate, STRATEGIES["default"]).headline()["default"]
    assert {name: found[name] for name in NUMBERS} == {name: round(headline[name] or 0, 4) for name in NUMBERS}
    assert found["snapshot"] == sample.candidate
    assert found["n_failed"] == round((1 - (headline["hit@1"] or 0)) * 102)


def test_without_questions_its_numbers_are_null(tiny: Home) -> None:
    found = metadata_of(tiny)
    assert {found[name] for name in NUMBERS} == {None}
    assert (tiny.root / "report.html").is_file()
