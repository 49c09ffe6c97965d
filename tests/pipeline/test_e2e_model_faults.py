"""Builds of the sample and of a book of 200 tables by a model whose server goes wrong in every way that there is."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from evals.sample import SAMPLE_LIBRARY
from pipeline.definitions import load
from pipeline.runs.build import build
from pipeline.runs.in_process import Runner, dagster_instance
from pipeline.runs.outcomes import RunOutcome
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.enrichment import known_words
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.ingest.tables.row_object import RESERVED
from retrieval.language.numbers.cells import typed
from retrieval.types import Chunk
from tests.openai_server.faults import FAULTS, AtRandom, Fault
from tests.openai_server.passage_model import describing
from tests.openai_server.server import KEY, FakeOpenAi
from tests.openai_server.table_model import reading_tables
from tests.retrieval.ingest.model_tables.test_two_hundred_tables import book

ROOT = Path(__file__).parents[2]
ANSWERED = 100
HARMFUL = [fault for fault in FAULTS if fault not in ("key", "stall", "dropped_result")]
BOOKS = ("lantern-and-blade", "lists")
LITTLE, MUCH = 0.14, 10.0
"""Dollars: for some of the tables and passages, and for all."""
PATIENT, HASTY = 120.0, 1.5
"""Seconds: more than a loaded machine takes for any answer, and what a server that hangs is given."""


def either(body: Mapping[str, Any]) -> str:
    """A model that reads tables and describes passages."""
    return describing(body) if "kinds" in json.loads(body["messages"][1]["content"]) else reading_tables(body)


@pytest.fixture
def home(chat_server: FakeOpenAi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home of two books with nothing built, and a model for tables and passages."""
    chat_server.answering = either
    for name, value in (chat_server.environment | {"QUERYMUST_MODEL_CONCURRENCY": "24"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("retrieval.models.access._FIRST_PAUSE", 0.02)
    shutil.copytree(SAMPLE_LIBRARY, tmp_path / "library")
    (tmp_path / "library" / "lists").mkdir()
    (tmp_path / "library" / "lists" / "01.md").write_text(book())
    return of_budget(tmp_path / "home", LITTLE, PATIENT)


def of_budget(root: Path, budget: float, timeout: float) -> Home:
    output = {
        "library": str(root.parent / "library"),
        "tables": {"transformer": "model", "timeout_seconds": timeout, "budget_usd": budget},
        "passages": {"enrichment": "model"},
    }
    root.mkdir(exist_ok=True)
    (root / "rag.yaml").write_text(yaml.safe_dump(output))
    return Home.at(root)


def kill_in_the_middle(home: Home, chat_server: FakeOpenAi) -> None:
    """A build of its own that is killed once so much is answered and more is under way."""
    answered = 0

    def some(_: Mapping[str, Any]) -> Fault | None:
        nonlocal answered
        answered += 1
        return None if answered <= ANSWERED else "stall"

    chat_server.plan = some
    program = [sys.executable, "-m", "tools.faults.acts", "build", str(home.root)]
    with subprocess.Popen(program, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}) as run:
        until = time.monotonic() + 120
        while len(list(home.models.glob("*/*/*.json"))) < ANSWERED or not chat_server.counts.working:
            assert run.poll() is None, "the build is over"
            assert time.monotonic() < until, "the build does not get on"
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
    assert len(chat_server.counts.paid) == ANSWERED


def index_books(home: Home) -> dict[str, int]:
    """How much a model made, and how much waits, after both books were indexed; nothing goes live."""
    with dagster_instance(home) as instance:
        runner = Runner(load(), instance, home)
        done = [runner.run("index_book", book.slug) for book in list_books(home.library)]
    assert [outcome.problems for outcome in done] == [(), ()]
    assert_all_there(home, [chunk for each in BOOKS for chunk in read_jsonl(home.book(each) / "chunks.jsonl", Chunk)])
    return counted(done)


def go_live(home: Home) -> dict[str, int]:
    """The same of the live index, after a build that ends well."""
    done = build(home)
    assert done.problems == []
    with open_snapshot(home.root) as snapshot:
        assert_all_there(home, list(snapshot.chunks))
    return counted(done.books.values())


def counted(outcomes: Iterable[RunOutcome]) -> dict[str, int]:
    numbers = [outcome.numbers[asset] for outcome in outcomes for asset in ("table_rows", "chunks")]
    return {name: sum(int(str(number[name])) for number in numbers) for name in ("n_by_model", "n_waiting")}


def assert_all_there(home: Home, made: Sequence[Chunk]) -> None:
    """Every row and passage that the rules make is there, with the book's cells and words, and no value is made up."""
    rules = [chunk for book in list_books(home.library) for chunk in chunks_of_book(read_book(book), home.vocabulary)]
    by_place = {locate_chunk(chunk): chunk for chunk in made}
    assert len(made) == len(by_place) == len(rules)
    assert set(by_place) == set(map(locate_chunk, rules))
    for chunk in made:
        if chunk.kind == "prose":
            assert chunk.metadata["content_kind"] in known_words().kinds
        elif chunk.book == "lists":
            output = json.loads(chunk.text)
            values = sorted(repr(value) for name, value in output.items() if name not in RESERVED)
            assert values == sorted(repr(typed(cell)) for cell in chunk.cells if cell)
        assert "987654321" not in json.dumps(dict(chunk.metadata))


def locate_chunk(chunk: Chunk) -> tuple[object, ...]:
    words = chunk.text if chunk.kind == "prose" else ""
    return chunk.book, chunk.document, chunk.position, chunk.kind, chunk.lines, chunk.row_key, chunk.cells, words


def spent(home: Home) -> float:
    sums = [json.loads(line) for line in (home.models / "spent.jsonl").read_text().splitlines() if line]
    return sum({each["entry"]: each["usd"] for each in sums}.values())


@pytest.mark.slow
def test_a_killed_build_goes_on_within_its_budget_and_no_fault_loses_a_row_or_changes_a_value(home, chat_server):
    kill_in_the_middle(home, chat_server)

    chat_server.plan = lambda _: None
    some = index_books(home)
    assert some["n_by_model"] > ANSWERED
    assert some["n_waiting"] > 50
    assert set(chat_server.counts.paid.values()) == {1}
    assert chat_server.counts.usd(0.15, 0.60) <= spent(home) <= LITTLE

    plan = AtRandom(20, 0.4, HARMFUL)
    chat_server.plan = plan
    all_ = go_live(of_budget(home.root, MUCH, HASTY))
    assert set(plan.happened) == set(HARMFUL)
    assert all_["n_by_model"] > some["n_by_model"] + 0.7 * some["n_waiting"]
    assert chat_server.counts.usd(0.15, 0.60) <= spent(home) <= MUCH
    assert not [path for path in home.root.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
