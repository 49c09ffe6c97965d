"""What the page of live_index tells of what readers get."""

import dagster as dg

from evals.evaluation import HEADLINE, evaluation_of
from pipeline.defs.live import NUMBERS, metrics_dashboard
from pipeline.runs.in_process import dagster_instance
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES


def test_it_carries_the_numbers_of_what_went_live(sample: Home) -> None:
    with dagster_instance(sample) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("live_index"))
    assert event.asset_materialization is not None
    metadata = event.asset_materialization.metadata
    headline = evaluation_of(sample, sample.candidate, STRATEGIES["default"]).headline()["default"]
    assert {name: metadata[name].value for name in HEADLINE} == {
        name: None if headline[name] is None else round(headline[name] or 0.0, 4) for name in HEADLINE
    }
    assert metadata["n_questions"].value == 109


def metadata_of(home: Home) -> dict[str, object]:
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([metrics_dashboard], resources={"home": home}, instance=instance)
    (event,) = result.asset_materializations_for_node("metrics_dashboard")
    return {name: value.value for name, value in event.metadata.items()}


def test_it_writes_the_page_and_reports_the_headline(sample, monkeypatch, tmp_path):
    monkeypatch.setattr("pipeline.defs.live.default_path", lambda _: tmp_path / "report.html")
    monkeypatch.setattr("pipeline.report.questions.RANKINGS", 12)
    metadata = metadata_of(sample)
    assert metadata["path"] == str(tmp_path / "report.html")
    assert metadata["n_bytes"] == (tmp_path / "report.html").stat().st_size
    headline = evaluation_of(sample, sample.candidate, STRATEGIES["default"]).headline()["default"]
    assert {name: metadata[name] for name in NUMBERS} == {name: round(headline[name] or 0, 4) for name in NUMBERS}
    assert metadata["snapshot"] == sample.candidate
    assert metadata["n_failed"] == round((1 - (headline["hit@1"] or 0)) * 102)


def test_without_questions_its_numbers_are_null(tiny: Home) -> None:
    metadata = metadata_of(tiny)
    assert {metadata[name] for name in NUMBERS} == {None}
    assert (tiny.root / "report.html").is_file()
