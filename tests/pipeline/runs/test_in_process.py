from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipeline.defs.partitions import books_partitions
from pipeline.defs.resources import HomeResource
from pipeline.runs.in_process import Runner, sync_books
from retrieval.home import Home
from retrieval.settings import Settings

NAME = str(books_partitions.name)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "library" / "alpha").mkdir(parents=True)
    (tmp_path / "library" / "alpha" / "01.md").write_text("# Alpha\n\nA dagger is short.\n")
    return Home(tmp_path / "home", Settings(tmp_path / "library"))


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def test_a_book_that_went_loses_its_partition_and_its_records(home: Home, instance: dg.DagsterInstance) -> None:
    home.book("beta").mkdir(parents=True)
    instance.add_dynamic_partitions(NAME, ["beta"])
    assert sync_books(home, instance) == ("alpha",)
    assert instance.get_dynamic_partitions(NAME) == ["alpha"]
    assert not home.book("beta").exists()


def test_a_partition_that_no_book_can_have_goes_and_takes_no_file_with_it(
    home: Home, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
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


def test_what_a_build_was_asked_for_wins_over_the_environment(
    home: Home, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        "embedder": "wordllama",
    }
