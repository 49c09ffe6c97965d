import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipeline.definitions import load
from pipeline.runs.in_process import sync_books
from pipeline.spread.lane import LaneOrder, index_books, largest_first
from retrieval.book_lock import book_turn
from retrieval.home import Home
from retrieval.ingest.library.library import list_books
from retrieval.settings import Settings
from retrieval.write_lock import Holder

ROOT = Path(__file__).parents[3]
TWICE = '[[table]]\nfind = { heading = "Ropes" }\nopen = true\n\n' * 2
"""A `tables.toml` of two entries about one table, which is refused."""
ROPES = "# Ropes\n\n| Rope | Price |\n|---|---|\n| Hemp | 1 |\n| Silk | 9 |\n"

STUCK = """
import sys
from pathlib import Path
from retrieval.book_lock import book_turn
with book_turn(Path(sys.argv[1]), "beta"):
    print("in it", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    for slug, times in (("alpha", 1), ("beta", 3), ("gamma", 2)):
        (tmp_path / "library" / slug).mkdir(parents=True)
        (tmp_path / "library" / slug / "01.md").write_text(f"# {slug}\n\n" + "A dagger is short.\n\n" * times)
    return Home(tmp_path / "home", Settings(tmp_path / "library"))


@pytest.fixture
def instance(home: Home) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        sync_books(home, ephemeral)
        yield ephemeral


def ordered(home: Home, build: str = "4711", holder: Holder | None = None) -> LaneOrder:
    return LaneOrder(home, largest_first(list_books(home.library)), build, {"of": "a test"}, 2, holder)


def indexed(order: LaneOrder, instance: dg.DagsterInstance) -> tuple[list[str], list[str]]:
    told: list[str] = []
    return index_books(order, load().resolve_job_def("index_book"), instance, told.append), told


def test_the_largest_book_is_begun_first(home: Home) -> None:
    assert largest_first(list_books(home.library)) == ("beta", "gamma", "alpha")


def test_a_lane_leaves_alone_what_another_lane_of_its_build_is_done_with(
    home: Home, instance: dg.DagsterInstance
) -> None:
    for slug, build in (("gamma", "4711"), ("alpha", "of yesterday")):
        with book_turn(home.root, slug) as turn:
            turn.is_done_by(build)
    assert indexed(ordered(home), instance) == ([], ["beta", "alpha"])
    runs = instance.get_runs()
    assert {run.tags["dagster/partition"] for run in runs} == {"alpha", "beta"}
    assert {run.tags["of"] for run in runs} == {"a test"}
    assert indexed(ordered(home), instance) == ([], []), "all of it is done"
    assert indexed(ordered(home, "of today"), instance) == ([], ["beta", "gamma", "alpha"])


def test_what_a_killed_lane_was_at_is_done_by_another_one(home: Home, instance: dg.DagsterInstance) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUCK, str(home.root)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"in it\n"
        told: list[str] = []

        def tell(slug: str) -> None:
            told.append(slug)
            if len(told) == 2:
                os.kill(other.pid, signal.SIGKILL)

        assert index_books(ordered(home), load().resolve_job_def("index_book"), instance, tell) == []
    assert told == ["gamma", "alpha", "beta"]


def test_a_book_that_fails_is_named_and_stops_no_other(home: Home, instance: dg.DagsterInstance) -> None:
    (home.library / "gamma" / "01.md").write_text(ROPES)
    (home.library / "gamma" / "tables.toml").write_text(TWICE)
    failed, told = indexed(ordered(home), instance)
    assert (failed, told) == (["gamma"], ["beta", "gamma", "alpha"])


def test_a_lane_ends_once_the_build_that_it_works_for_is_gone(home: Home, instance: dg.DagsterInstance) -> None:
    assert indexed(ordered(home, holder=Holder.here()), instance) == ([], [])
    assert instance.get_runs() == []
