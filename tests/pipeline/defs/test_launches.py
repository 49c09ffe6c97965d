"""What the buttons of Dagster's UI start: each ends with the candidate live, or says in one sentence why it did not."""

import dagster as dg
import pytest

from pipeline.defs.resources import UNNAMED_BOOK, UNNAMED_STRATEGY
from tests.pipeline.defs.deployment import Deployment

# Dagster's own daemons use what Dagster calls beta and deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")

OF_A_BOOK = ["books", "tables", "table_rows", "predicates", "chunks", "embeddings"]
UPSTREAM_OF_LIVE = [*OF_A_BOOK, "lexical", "graph", "candidate_index", "evaluation", "leaderboard", "live_index"]
NO_BOOK = "no book is a partition yet; switch on the sensor new_or_changed_books"


def test_launches_on_a_fresh_home(deployment: "Deployment") -> None:
    for job, failures in (("index_library", NO_BOOK), ("go_live", "no snapshot was built in")):
        deployment.new_runs()
        deployment.launch(job)
        assert any(failures in sentence for sentence in deployment.failures(deployment.new_runs())), job
    everything = deployment.all_assets()
    deployment.backfill(everything)
    failures = deployment.failures(deployment.new_runs())
    assert any(NO_BOOK in sentence for sentence in failures), failures
    assert all("\n" not in sentence for sentence in failures), failures
    assert deployment.live is None

    deployment.add_books()
    for job, sentence in (
        ("index_book", UNNAMED_BOOK),
        ("build_library", UNNAMED_BOOK),
        ("evaluate", UNNAMED_STRATEGY),
    ):
        deployment.launch(job)
        (message,) = deployment.failures(deployment.new_runs())
        assert message.endswith(f"PartitionMissingError: {sentence}\n")
    assert deployment.backfill(deployment.all_assets()) == "COMPLETED_SUCCESS"
    assert {run.status.value for run in deployment.new_runs()} == {"SUCCESS"}
    assert deployment.in_step()
    assert deployment.books_live() == {"alpha", "beta", "gamma"}


@pytest.mark.slow
def test_launches_on_an_old_home(deployment: "Deployment") -> None:
    deployment.add_books()
    deployment.change("beta", "15 gp", "21 gp")
    assert deployment.backfill(UPSTREAM_OF_LIVE) == "COMPLETED_SUCCESS"
    assert deployment.in_step()
    assert "21 gp" in deployment.text_live()

    deployment.change("beta", "21 gp", "22 gp")
    deployment.new_runs()
    deployment.launch("build_library", dagster__partition="beta")
    assert [run.status.value for run in deployment.new_runs()] == ["SUCCESS"]
    assert deployment.in_step()
    assert "22 gp" in deployment.text_live()

    deployment.change("beta", "22 gp", "23 gp")
    assert deployment.backfill(OF_A_BOOK) == "COMPLETED_SUCCESS"
    assert "22 gp" in deployment.text_live()
    deployment.new_runs()
    deployment.launch(assets=["live_index"])
    (output,) = deployment.failures(deployment.new_runs())
    assert "every_cell_in_one_row last ran on other records of the books" in output

    deployment.launch(assets=["lexical", "graph", "candidate_index"])
    assert not deployment.in_step()
    assert deployment.backfill(["evaluation"]) == "COMPLETED_SUCCESS"
    runs = deployment.new_runs()
    assert [run.status.value for run in runs] == ["SUCCESS", "SUCCESS"], "all strategies are one run"
    deployment.launch("go_live")
    assert deployment.in_step()
    assert "23 gp" in deployment.text_live()


def test_a_book_that_was_left_half_indexed_is_named(built_deployment: "Deployment") -> None:
    deployment = built_deployment
    deployment.change("beta", "15 gp", "31 gp")
    deployment.launch(assets=["books", "tables"], dagster__partition="beta")
    deployment.launch(assets=["lexical", "graph", "candidate_index"])
    failures = deployment.failures(deployment.new_runs())
    assert any(sentence.startswith("beta: read again but not fully indexed") for sentence in failures), failures


def test_an_embedder_without_a_key_fails_before_the_book_is_read(built_deployment, monkeypatch):
    deployment = built_deployment
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("QUERYMUST_EMBEDDER", "openai")
    deployment.new_runs()
    deployment.launch("index_book", dagster__partition="alpha")
    (run,) = deployment.new_runs()
    assert deployment.failures([run]) == ["openai needs OPENAI_API_KEY; set it, or use --embedder wordllama"]
    begun = deployment.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_START)
    assert [entry.get_dagster_event().step_key for entry in begun] == ["books"]
