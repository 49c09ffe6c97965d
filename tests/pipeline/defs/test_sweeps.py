"""Sweeps: real runs of their job over a built home."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from pipeline.defs.sweeps import SWEEP_OPS, UNSCORED, sweeps
from retrieval.home import Home
from tests.pipeline.defs.deployment import Deployment


def shown(name: str, home: Home, instance: dg.DagsterInstance, values: list[float] | None = None) -> dict[str, Any]:
    """What one step of the job reports."""
    done = sweeps.execute_in_process(
        resources={"home": home},
        instance=instance,
        op_selection=[name],
        run_config={"ops": {name: {"config": {"values": values}}}} if values else {},
    )
    (event,) = done.asset_materializations_for_node(name)
    assert event.asset_key == dg.AssetKey(name)
    result = event.metadata.items()
    return {key: value if isinstance(value, dg.TableMetadataValue) else value.value for key, value in result}


def test_a_sweep_shows_its_curve_and_ends_in_a_proposal(sample_copy: Home, instance: dg.DagsterInstance) -> None:
    result = shown("sweep_graph_boost", sample_copy, instance, [0.0])
    assert list(result)[:2] == ["proposal", "curve"]
    assert [record.data["value"] for record in result["points"].records] == [0.0, 0.05]
    assert (result["current"], result["best"], result["n_worth_it"]) == (0.05, 0.0, 0)
    assert result["proposal"].startswith("keep hybrid_graph: boost 0.05: the best value is 0, ")
    assert result["curve"].startswith("![mrr, hit@1](data:image/svg+xml;base64,")
    kept = json.loads((sample_copy.root / "sweeps" / "graph_boost.json").read_text())
    assert kept["says"] == result["proposal"]


@pytest.mark.slow
def test_k_shows_what_more_chunks_add(sample_copy: Home, few_questions: Path, instance: dg.DagsterInstance) -> None:
    result = shown(
        "sweep_k", Home(sample_copy.root, replace(sample_copy.settings, questions=(few_questions,))), instance
    )
    recalls = [record.data["recall"] for record in result["points"].records]
    assert recalls == sorted(recalls)
    assert result["best"] < result["current"] == 15
    assert result["proposal"].startswith(f"k {result['best']} shows as much of the gold as 15, with ")


@pytest.mark.filterwarnings("ignore")  # Dagster's own daemons use what Dagster calls beta and deprecated.
def test_a_chunk_size_is_indexed_beside_what_is_there(built_deployment: "Deployment", tmp_path: Path) -> None:
    home = built_deployment.home
    query = tmp_path / "questions.jsonl"
    query.write_text(
        '{"id": "price", "query": "What does a long sword cost?", "book": "beta", '
        '"gold": [{"snippet": "| Long sword | 1d8 | 15 gp |"}]}\n'
    )
    home = Home(home.root, type(home.settings)(home.settings.library, (query,)))
    before, live = home.candidate, sorted(path.name for path in home.root.iterdir())
    result = shown("sweep_chunk_size", home, built_deployment.instance, [64.0])
    assert [record.data["value"] for record in result["points"].records] == [64, 256]
    assert [record.data["mrr"] for record in result["points"].records] == [1.0, 1.0]
    assert result["proposal"] == "keep default: chunk_size 256: no other value has a better mrr (1.000)."
    assert home.candidate == before
    assert sorted(path.name for path in home.root.iterdir()) == sorted([*live, "sweeps"])


def test_without_questions_each_says_so(tiny: Home, instance: dg.DagsterInstance) -> None:
    done = sweeps.execute_in_process(resources={"home": tiny}, instance=instance)
    for sweep in SWEEP_OPS:
        (event,) = done.asset_materializations_for_node(sweep.name)
        assert (event.metadata["proposal"].value, event.metadata["curve"].value) == (UNSCORED, "")
