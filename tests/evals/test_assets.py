"""What the assets of the scores show in Dagster: real runs over the sample."""

from collections.abc import Iterator
from dataclasses import replace

import dagster as dg
import pytest

from evals import assets
from evals.evaluation import HEADLINE, evaluation_of
from evals.metric_table import meaning
from evals.showing import MOST
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def shown(asset, home, instance, key=None):
    done = dg.materialize([asset], resources={"home": home}, instance=instance, partition_key=key)
    (event,) = done.asset_materializations_for_node(asset.op.name)
    return {
        name: value.value if not isinstance(value, dg.TableMetadataValue) else value
        for name, value in event.metadata.items()
    }


def test_the_leaderboard_begins_with_a_table_and_a_picture(sample: Home, instance: dg.DagsterInstance) -> None:
    result = shown(assets.leaderboard, sample, instance)
    assert list(result)[:2] == ["leaderboard", "trend"]
    mrr = evaluation_of(sample, sample.candidate, STRATEGIES["default"]).headline()["default"]["mrr"]
    assert result["mrr"] == result["mrr_live"] == round(mrr or 0, 4)
    assert result["mrr_delta"] == 0.0
    assert f"| **{mrr:.3f}** |" in result["leaderboard"]
    assert result["trend"].startswith(f"mrr {mrr:.3f} on the first snapshot")
    schema = result["strategies"].schema
    assert {column.name: column.description for column in schema.columns[1:]} == {
        each: meaning(each) for each in HEADLINE
    }


def test_an_evaluation_shows_its_worst_questions_and_its_kinds(sample: Home, instance: dg.DagsterInstance) -> None:
    result = shown(assets.evaluation, sample, instance, "dense")
    worst, kinds = result["worst_questions"], result["by_kind"]
    assert len(worst.records) == MOST
    assert [column.name for column in worst.schema.columns][:4] == ["question", "asked", "rank", "why"]
    rows = [record.data for record in kinds.records]
    assert rows[0]["kind"] == "all"
    assert rows[0]["mrr"] == result["mrr"]
    assert {row["kind"] for row in rows} > {"all", "matrix-lookup"}
    assert all(isinstance(row["n"], int) for row in rows)


def test_without_questions_every_key_is_there_and_says_nothing(sample: Home, instance: dg.DagsterInstance) -> None:
    silent = replace(sample, settings=replace(sample.settings, questions=()))
    with_questions, without = (set(shown(assets.leaderboard, home, instance)) for home in (sample, silent))
    assert with_questions == without
    result = shown(assets.leaderboard, silent, instance)
    assert result["mrr"] is result["mrr_live"] is result["mrr_delta"] is None
    assert result["leaderboard"] == "No questions were given, so nothing was scored."
    assert shown(assets.evaluation, silent, instance, "dense")["worst_questions"].records == []


@pytest.mark.parametrize("asset", [assets.evaluation, assets.leaderboard])
def test_every_plotted_number_is_explained_where_it_stands(asset, sample, instance):
    legend = asset.metadata_by_key[asset.key]["metrics"]
    explained = {record.data["number"]: record.data["what_it_is"] for record in legend.records}
    result = shown(asset, sample, instance, "dense" if asset is assets.evaluation else None)
    plotted = {name for name, value in result.items() if isinstance(value, float)}
    assert {name for name in plotted if not explained.get(name)} == set()
