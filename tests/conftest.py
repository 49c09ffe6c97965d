"""Homes that are built once for all test processes; a test that changes one works on a copy."""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from filelock import FileLock

from evals.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS
from pipeline.runs.outcomes import Build
from retrieval.files.records import dump_record, parse_record
from retrieval.home import Home
from retrieval.settings import Settings
from tests.browser import NAMES, Browser
from tests.dagster_storage import share_engines
from tests.mongo import mongo_uri
from tests.openai_server.server import FakeOpenAi, fake_openai

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipeline.runs.outcomes import Progress

    MadeOnce = Callable[[str, Callable[[Path], None]], Path]

__all__ = ["mongo_uri"]

MEMORY = Path("/dev/shm")
ROOM = 3 * 2**30
"""Bytes that the folders of all tests may need at once; a third of it is what they do need."""

# A build commits hundreds of times to SQLite, and a disk makes each wait; memory does not.
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# A shell has what it runs in the background ignore Ctrl-C, and programs that tests start would inherit that; Dagster
# then ignores TERM, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

share_engines()

# A console remembers the width that it finds when it is made; a test says itself how wide its terminal is.
os.environ.pop("COLUMNS", None)

# How long an example takes says how busy the machine is.
_BUSY = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("thorough", _BUSY)
hypothesis.settings.register_profile("check", _BUSY, max_examples=30)
hypothesis.settings.load_profile("check")

SAMPLE = Settings(SAMPLE_LIBRARY, (SAMPLE_QUESTIONS,))

CHAPTERS = {"combat": "03-combat.md", "psionics": "06-psionics.md", "monsters": "09-monsters.md"}

TINY_BOOK = """# Tiny Rules

Daggers are short and cheap. A dagger is drawn in a moment.

## Weapons

| Weapon | Damage | Cost |
|---|---|---|
| Dagger | 1d4 | 2 gp |
| Long sword | 1d8 | 15 gp |
| Mace | 1d6 | 8 gp |
"""


SLOW = ("defs", "runs", "commands", "building", "deploy")
"""Folders of tests that run Dagster or whole commands."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put first what others wait for and what takes long: a process that builds the sample keeps no other waiting."""

    def turn(item: pytest.Item) -> int:
        if "sample_build" in getattr(item, "fixturenames", ()):
            return 0
        return 1 if item.path.parent.name in SLOW else 2

    items.sort(key=turn)


def _built(home: Home) -> Build:
    from pipeline.runs.build import build  # loads Dagster, which most tests do without

    return build(home)


@pytest.fixture
def builds_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that builds does it in this process; `tests/pipeline/runs/test_apart.py` is of the one of its own."""
    from pipeline.runs.build import build
    from retrieval.files.locks import write_lock

    def here(home: Home, progress: Progress, force: str | None = None, accept: str | None = None) -> Build:
        with write_lock(home.root):
            return build(home, progress, force=force, accept=accept)

    monkeypatch.setattr("pipeline.runs.apart.build_apart", here)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """A folder of a name: the first test process to ask for it makes it, and all of them read it."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], None]) -> Path:
        folder = base / f"shared-{name}"
        with FileLock(folder.with_suffix(".lock")):
            if not (folder / "made").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                (folder / "made").touch()
        return folder

    return made


@pytest.fixture(scope="session")
def sample_build(made_once: MadeOnce) -> tuple[Home, Build]:
    """The packaged sample library with its questions, and what its build did."""

    def make(folder: Path) -> None:
        (folder / "build.json").write_bytes(dump_record(_built(Home(folder / "home", SAMPLE))))

    folder = made_once("sample", make)
    return Home(folder / "home", SAMPLE), parse_record((folder / "build.json").read_bytes(), Build)


@pytest.fixture(scope="session")
def sample(sample_build: tuple[Home, Build]) -> Iterator[Home]:
    """The built sample home. Never change it; other questions than its own are for `sample_copy`."""
    home, done = sample_build
    assert done.problems == []
    yield home
    scored = {path.name.split(".")[0] for path in home.evaluations.glob("*/*/[!.]*.parquet")}
    assert scored == {SAMPLE_QUESTIONS.stem}, "other tests see what is scored here, and read the trend from it"


@pytest.fixture(scope="session")
def few_questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every eighth question about the sample, for what is scored anew."""
    path = tmp_path_factory.mktemp("few") / "few_questions.jsonl"
    path.write_text("".join(SAMPLE_QUESTIONS.read_text("utf-8").splitlines(keepends=True)[::8]), "utf-8")
    return path


@pytest.fixture(scope="session")
def sample_collections(made_once: MadeOnce, sample: Home) -> Path:
    """A folder of Chroma's files as somebody else would leave it: a collection for each of three chapters.

    `combat` and `psionics` hold guarded rows, `monsters` none. Never change it.
    """

    def make(folder: Path) -> None:
        import chromadb

        from retrieval.index.snapshot.snapshot import open_snapshot

        client = chromadb.PersistentClient(str(folder / "chroma"))
        with open_snapshot(sample.root) as snapshot:
            for name, document in CHAPTERS.items():
                at = [position for position, chunk in enumerate(snapshot.chunks) if chunk.document == document]
                chunks = [snapshot.chunks[position] for position in at]
                client.create_collection(name, embedding_function=None).add(
                    ids=[chunk.id for chunk in chunks],
                    embeddings=snapshot.vectors[at],
                    documents=[chunk.text for chunk in chunks],
                    metadatas=[
                        {"id": chunk.id, "title": chunk.title, "is_noisy": chunk.query_must is not None}
                        | ({"query_must": chunk.query_must} if chunk.query_must else {})
                        for chunk in chunks
                    ],
                )
        client.close()

    return made_once("collections", make) / "chroma"


@pytest.fixture
def sample_copy(sample: Home, tmp_path: Path) -> Home:
    """A copy of the built sample home, to be changed. It has no run history."""
    shutil.copytree(sample.root, tmp_path / "home", ignore=shutil.ignore_patterns("dagster"))
    return Home.at(tmp_path / "home")


@pytest.fixture(scope="session")
def tiny_built(made_once: MadeOnce) -> Home:
    """A library of one small book without questions, built. Never change it."""

    def make(folder: Path) -> None:
        (folder / "library" / "tiny").mkdir(parents=True)
        (folder / "library" / "tiny" / "01.md").write_text(TINY_BOOK)
        assert _built(Home(folder / "home", Settings(folder / "library"))).problems == []

    folder = made_once("tiny", make)
    return Home(folder / "home", Settings(folder / "library"))


@pytest.fixture
def tiny(tiny_built: Home, tmp_path: Path) -> Home:
    """A copy of the small built home and of its library, to be changed."""
    shutil.copytree(tiny_built.root, tmp_path / "home")
    shutil.copytree(tiny_built.library, tmp_path / "library")
    home = Home(tmp_path / "home", Settings(tmp_path / "library"))
    home.settings.write(home.root)
    return home


@pytest.fixture
def twice_live(tiny: Home) -> tuple[Home, str, str]:
    """A home, the snapshot that was live before, and the one that is."""
    import numpy as np

    from retrieval.index.snapshot.live import live_id, promote
    from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot

    first = str(live_id(tiny.root))
    with open_snapshot(tiny.root) as snapshot:
        chunks = [replace(chunk, text=f"{chunk.text} ") for chunk in snapshot.chunks]
        made = build_snapshot(
            tiny.root, chunks, np.array(snapshot.vectors), snapshot.manifest.embedder, snapshot.vocabulary
        )
    promote(tiny.root, made.id)
    tiny.nominate(made.id)
    return tiny, first, made.id


@pytest.fixture
def chat_server() -> Iterator[FakeOpenAi]:
    """OpenAI's protocol; answers as it is told to."""
    with fake_openai() as fake:
        yield fake


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A real browser; without one the test is skipped."""
    program = next((which for name in NAMES if (which := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium on this machine; apt-get install chromium")
    started = Browser(program, tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core, which checks pages for people who cannot see them; without it the test is skipped."""
    path = Path(os.environ.get("QUERYMUST_AXE", "node_modules/axe-core/axe.min.js"))
    if not path.is_file():
        pytest.skip("no axe-core; npm install --no-save axe-core, or name its axe.min.js in QUERYMUST_AXE")
    return path.read_text("utf-8")


WEAPONS = ["dagger", "mace", "long sword", "halberd", "whip", "staff", "crossbow", "sling", "club", "lance"]
ROPES = ["hemp rope", "silk rope", "iron chain", "lantern", "torch", "tinder box", "blanket", "bucket", "spade", "tent"]


def write_lines(path: Path, *records: object) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def table_of(title: str, items: list[str]) -> str:
    rows = [f"| {item} | {7 * position + 3} gp | {position + 2} lb |" for position, item in enumerate(items)]
    return "\n".join([f"# {title}", "", "| Item | Price | Weight |", "|---|---|---|", *rows, ""])


def write_book(folder: Path, name: str, title: str, items: list[str]) -> Path:
    """A book of one table, with a question about every second row; the file of the questions."""
    (folder / name).mkdir(parents=True)
    (folder / name / "01.md").write_text(table_of(title, items))
    questions = [
        {
            "id": f"{name}-{position}",
            "query": f"what is the price of a {item}",
            "book": name,
            "kind": "matrix-lookup",
            "gold": [{"document": "01.md", "row_key": item, "snippet": f"| {item} | {7 * position + 3} gp |"}],
        }
        for position, item in enumerate(items)
        if position % 2 == 0
    ]
    write_lines(folder / f"{name}.open.jsonl", *questions)
    return folder / f"{name}.open.jsonl"


@pytest.fixture(scope="module")
def small_sets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A set of one book, and one of tables; a small book stands in for the sample."""
    from tools.corpora import indexes

    root = tmp_path_factory.mktemp("sets")
    write_book(root / "data" / "armoury", "arms", "Weapons", WEAPONS)
    questions = write_book(root / "sample", "camp", "Camp gear", ROPES)
    (root / "data" / "wikisql-rows").mkdir()
    write_lines(
        root / "data" / "wikisql-rows" / "open.tables.jsonl",
        {"table_id": "t", "markdown": table_of("Tools", [f"tool {number}" for number in range(12)])},
    )
    write_lines(
        root / "data" / "wikisql-rows" / "open.queries.jsonl",
        *(
            {"id": f"w{n}", "query": f"weight of tool {n}", "table_id": "t", "gold_rows": [n], "conds": [{}]}
            for n in range(12)
        ),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes, "SAMPLE_LIBRARY", root / "sample")
        patch.setattr(indexes, "SAMPLE_QUESTIONS", questions)
        patch.setattr(indexes, "SHELF", root / "no shelf")
        yield root / "data"


@pytest.fixture(scope="session")
def lightgbm() -> None:
    """A skip where LightGBM cannot be loaded."""
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"LightGBM cannot be loaded: {error}")
