"""Sweeps as assets: real runs over a built home."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest

from pipeline.defs.sweeps import UNSCORED, sweep_chunk_size, sweep_k, sweeps
from retrieval.home import Home

if TYPE_CHECKING:
    from tests.pipeline.defs.deployment import Deployment

BY_NAME = {each.key.to_user_string(): each for each in sweeps}


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def shown(
    asset: dg.AssetsDefinition, home: Home, instance: dg.DagsterInstance, values: list[float] | None = None
) -> dict[str, Any]:
    name = asset.key.to_user_string()
    config = {"ops": {name: {"config": {"values": values}}}} if values else {}
    done = dg.materialize([asset], resources={"home": home}, instance=instance, run_config=config)
    (event,) = done.asset_materializations_for_node(name)
    found = event.metadata.items()
    return {key: value if isinstance(value, dg.TableMetadataValue) else value.value for key, value in found}


def test_a_sweep_shows_its_curve_and_ends_in_a_proposal(sample_copy: Home, instance: dg.DagsterInstance) -> None:
    found = shown(BY_NAME["sweep_graph_boost"], sample_copy, instance, [0.0])
    assert list(found)[:2] == ["proposal", "curve"]
    assert [record.data["value"] for record in found["points"].records] == [0.0, 0.05]
    assert (found["current"], found["best"], found["n_worth_it"]) == (0.05, 0.0, 1)
    assert found["proposal"].startswith("propose hybrid_graph: boost 0 instead of 0.05: ")
    assert found["curve"].startswith("![mrr, hit@1](data:image/svg+xml;base64,")
    kept = json.loads((sample_copy.root / "sweeps" / "graph_boost.json").read_text())
    assert kept["says"] == found["proposal"]


def test_k_shows_what_more_chunks_add(sample_copy: Home, few_questions: Path, instance: dg.DagsterInstance) -> None:
    found = shown(sweep_k, Home(sample_copy.root, replace(sample_copy.settings, questions=(few_questions,))), instance)
    recalls = [record.data["recall"] for record in found["points"].records]
    assert recalls == sorted(recalls)
    assert found["best"] < found["current"] == 15
    assert found["proposal"].startswith(f"k {found['best']} shows as much of the gold as 15, with ")


@pytest.mark.filterwarnings("ignore")  # Dagster's own daemons use what Dagster calls beta and deprecated.
def test_a_chunk_size_is_indexed_beside_what_is_there(built_deployment: "Deployment", tmp_path: Path) -> None:
    home = built_deployment.home
    asked = tmp_path / "questions.jsonl"
    asked.write_text(
        '{"id": "price", "query": "What does a long sword cost?", "book": "beta", '
        '"gold": [{"snippet": "| Long sword | 1d8 | 15 gp |"}]}\n'
    )
    home = Home(home.root, type(home.settings)(home.settings.library, (asked,)))
    before, live = home.candidate, sorted(path.name for path in home.root.iterdir())
    found = shown(sweep_chunk_size, home, built_deployment.instance, [64.0])
    assert [record.data["value"] for record in found["points"].records] == [64, 256]
    assert [record.data["mrr"] for record in found["points"].records] == [1.0, 1.0]
    assert found["proposal"] == "keep default: chunk_size 256: no other value has a better mrr (1.000)."
    assert home.candidate == before
    assert sorted(path.name for path in home.root.iterdir()) == sorted([*live, "sweeps"])


@pytest.mark.parametrize("asset", [*sweeps, sweep_chunk_size, sweep_k], ids=lambda each: each.key.to_user_string())
def test_without_questions_it_says_so(asset: dg.AssetsDefinition, tiny: Home, instance: dg.DagsterInstance) -> None:
    found = shown(asset, tiny, instance)
    assert found["proposal"] == UNSCORED
    assert found["curve"] == ""
