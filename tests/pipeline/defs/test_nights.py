"""Nights, ticked by Dagster's own scheduler: what ran, what was embedded, what went live."""

import shutil

import dagster as dg
import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.live import promotions, snapshot_folder
from retrieval.index.snapshot.manifest import Manifest
from retrieval.types import EmbedderIdentity
from tests.pipeline.defs.deployment import Deployment

# Dagster's own daemons use what Dagster calls beta and deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


BOOKS = ["alpha", "beta", "gamma"]


def embedded(deployment: "Deployment") -> dict[str, tuple[object, object]]:
    """By book, how many chunks the last run embedded and how many it reused."""
    numbers = {}
    for slug in BOOKS:
        record = deployment.instance.get_latest_data_version_record(dg.AssetKey("embeddings"), partition_key=slug)
        assert record.asset_materialization is not None
        metadata = record.asset_materialization.metadata
        numbers[slug] = (metadata["n_embedded"].value, metadata["n_reused"].value)
    return numbers


def live_embedder(deployment: "Deployment") -> EmbedderIdentity:
    assert deployment.live is not None
    return Manifest.read(snapshot_folder(deployment.home.root, deployment.live)).embedder


def jobs(runs: list[dg.DagsterRun]) -> list[tuple[str, str | None, str]]:
    """The runs in the order in which they were asked for."""
    return [(run.job_name, run.tags.get("dagster/partition"), run.status.value) for run in runs]


def test_a_night_takes_new_books_whatever_they_are_called_and_lets_go_of_removed_ones(
    built_deployment: "Deployment",
) -> None:
    deployment = built_deployment
    shutil.move(deployment.home.library / "gamma", deployment.home.library / "library")
    deployment.start("nightly_embedding")
    books = [("build_library", slug, "SUCCESS") for slug in ("alpha", "beta", "library")]
    runs = deployment.night()
    assert jobs(runs) == [*books, ("build_library", None, "SUCCESS")], deployment.failures(runs)
    assert deployment.in_step()
    assert deployment.books_live() == {"alpha", "beta", "library"}
    assert [move.how for move in promotions(deployment.home.root)] == ["build", "nightly"]


@pytest.mark.slow
def test_a_night_embeds_what_is_new_and_all_of_it_after_a_new_version_of_the_embedder(built_deployment, monkeypatch):
    deployment, before = built_deployment, built_deployment.live
    deployment.start("nightly_embedding")
    deployment.change("alpha", "2 gp", "3 gp")
    deployment.change("beta", "15 gp", "16 gp")
    deployment.begin_night()
    deployment.queue("go_live")  # behind the night, and before its library: a promotion waits for nobody
    deployment.work_off()
    runs = deployment.new_runs()
    nightly = [*(("build_library", slug, "SUCCESS") for slug in BOOKS), ("build_library", None, "SUCCESS")]
    assert jobs(runs) == [*nightly, ("go_live", None, "SUCCESS")], deployment.failures(runs)
    n_chunks = sum(embedded(deployment)["gamma"])  # type: ignore[arg-type]
    assert embedded(deployment) == {"alpha": (1, n_chunks - 1), "beta": (1, n_chunks - 1), "gamma": (0, n_chunks)}
    assert deployment.in_step()
    assert deployment.live != before
    assert "Cost: 3 gp" in deployment.text_live()
    assert "Cost: 16 gp" in deployment.text_live()

    before, identity = deployment.live, load_embedder().identity
    newer = EmbedderIdentity(identity.name, f"{identity.version}.next", identity.dimensions)
    monkeypatch.setattr(type(load_embedder()), "identity", newer)
    assert live_embedder(deployment) == identity
    deployment.begin_night(days=2)
    deployment.work_off()
    runs = deployment.new_runs()
    assert jobs(runs) == nightly, deployment.failures(runs)
    assert embedded(deployment) == dict.fromkeys(BOOKS, (n_chunks, 0))
    assert deployment.in_step()
    assert deployment.live != before
    assert live_embedder(deployment) == newer
