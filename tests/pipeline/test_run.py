from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipeline.defs.partitions import books_partitions
from pipeline.run import sync_books
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
