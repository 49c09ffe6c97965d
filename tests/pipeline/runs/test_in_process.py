import uuid
from contextlib import nullcontext
from pathlib import Path

import dagster as dg
import pytest

from pipeline.definitions import load
from pipeline.defs.books import books_partitions, sync_books
from pipeline.defs.resources import HomeResource
from pipeline.runs.in_process import ASKED_BY, BUILD, Runner, cancel_dead, dagster_instance
from retrieval.files.locks import write_lock
from retrieval.home import Home
from retrieval.settings import Settings

NAME = str(books_partitions.name)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "library" / "alpha").mkdir(parents=True)
    (tmp_path / "library" / "alpha" / "01.md").write_text("# Alpha\n\nA dagger is short.\n")
    return Home(tmp_path / "home", Settings(tmp_path / "library"))


def test_a_book_that_went_loses_its_partition_and_its_records(home: Home, instance: dg.DagsterInstance) -> None:
    home.book("beta").mkdir(parents=True)
    instance.add_dynamic_partitions(NAME, ["beta"])
    assert sync_books(home, instance) == ("alpha",)
    assert instance.get_dynamic_partitions(NAME) == ["alpha"]
    assert not home.book("beta").exists()


def test_a_partition_that_no_book_can_have_goes_and_takes_no_file_with_it(home, instance, tmp_path):
    outside = tmp_path / "outside"
    for folder in (home.embeddings, home.book("alpha"), outside):
        folder.mkdir(parents=True)
    instance.add_dynamic_partitions(NAME, ["..", "", str(outside)])
    assert sync_books(home, instance) == ("alpha",)
    assert instance.get_dynamic_partitions(NAME) == ["alpha"]
    assert home.embeddings.is_dir()
    assert home.book("alpha").is_dir()
    assert outside.is_dir()


@dg.asset
def told(home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """What a run is told."""
    settings = home.settings
    return dg.MaterializeResult(
        metadata={
            "root": str(home.root),
            "library": str(settings.library),
            "questions": len(settings.questions),
            "embedder": settings.embedder,
        }
    )


def test_what_a_build_was_asked_for_wins_over_the_environment(home, instance, monkeypatch):
    home.settings.write(home.root)
    monkeypatch.setenv("QUERYMUST_LIBRARY", "/elsewhere")
    monkeypatch.setenv("QUERYMUST_QUESTIONS", "/elsewhere/questions.jsonl")
    monkeypatch.setenv("QUERYMUST_EMBEDDER", "openai")
    definitions = dg.Definitions(
        assets=[told],
        jobs=[dg.define_asset_job("tell", dg.AssetSelection.assets(told))],
        resources={"home": HomeResource(path=str(home.root))},
    )
    outcome = Runner(definitions, instance, home).run("tell")
    assert outcome.problems == ()
    assert outcome.numbers["told"] == {
        "root": str(home.root),
        "library": str(home.library),
        "questions": 0,
        "embedder": "minilm",
    }


def test_the_runs_of_a_build_are_those_of_its_jobs_and_share_an_id(home: Home, instance: dg.DagsterInstance) -> None:
    runner = Runner(load(), instance, home)
    (slug,) = sync_books(home, instance)
    assert runner.run("index_book", slug).problems == ()
    runner.run("index_library")
    runs = instance.get_runs()
    assert {run.tags[BUILD] for run in runs} == {runner.build_id}
    assert {run.tags[ASKED_BY] for run in runs} == {"build"}
    shown = instance.get_runs(dg.RunsFilter(tags={".dagster/repository": "__repository__@querymust"}))
    assert len(shown) == len(runs) == 2
    origins = [run.remote_job_origin for run in runs]
    assert [origin.job_name for origin in origins if origin] == ["index_library", "index_book"]
    assert Runner(load(), instance, home).build_id != runner.build_id


@pytest.mark.parametrize("at_work", [False, True])
def test_a_run_that_lost_its_process_ends_unless_somebody_is_at_work(home: Home, at_work: bool) -> None:
    def started() -> dg.DagsterRun:
        run = dg.DagsterRun("index_book", str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED)
        return instance.add_run(run)

    with dagster_instance(home) as instance:
        run, waiting = started(), dg.DagsterRun("go_live", str(uuid.uuid4()))
        instance.add_run(waiting)
    with write_lock(home.root) if at_work else nullcontext():
        assert cancel_dead(home) == int(not at_work)
    with dagster_instance(home) as instance:
        result = {each.run_id: each.status for each in instance.get_runs()}
    assert result[run.run_id] is (dg.DagsterRunStatus.STARTED if at_work else dg.DagsterRunStatus.CANCELED)
    assert result[waiting.run_id] is dg.DagsterRunStatus.NOT_STARTED
