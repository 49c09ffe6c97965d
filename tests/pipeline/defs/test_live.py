"""What the page of live_index tells of what readers get."""

import dagster as dg

from evals.evaluation import HEADLINE, evaluation_of
from pipeline.definitions import load
from pipeline.runs.in_process import dagster_instance
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES


def test_it_carries_the_numbers_of_what_went_live(sample: Home) -> None:
    with dagster_instance(sample) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("live_index"))
    assert event is not None
    assert event.asset_materialization is not None
    found = event.asset_materialization.metadata
    headline = evaluation_of(sample, sample.candidate, STRATEGIES["default"]).headline()["default"]
    assert {name: found[name].value for name in HEADLINE} == {
        name: None if headline[name] is None else round(headline[name] or 0.0, 4) for name in HEADLINE
    }
    assert found["n_questions"].value == 109


def test_its_numbers_are_explained_on_its_page() -> None:
    (spec,) = (spec for spec in load().resolve_all_asset_specs() if spec.key == dg.AssetKey("live_index"))
    table = spec.metadata["metrics"]
    assert isinstance(table, dg.TableMetadataValue)
    assert set(HEADLINE) <= {record.data["number"] for record in table.records}
