"""`querymust export` and the flags of an ingestion on `querymust build`, as they are typed."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from retrieval.artifacts.artifacts import BookKey
from retrieval.artifacts.mongo_store import URI, MongoStore
from retrieval.artifacts.sqlite_store import SqliteStore
from retrieval.export.loading import MongoEmbeddingLoader
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id

Run = Callable[..., Any]
TINY = BookKey("tiny", "tiny")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIBRARY", "QUESTIONS", "EMBEDDER", "HOME", "MONGO_URI"):
        monkeypatch.delenv(f"QUERYMUST_{name}", raising=False)


def test_without_a_place_the_tables_are_in_the_home(run: Run, tiny: Home) -> None:
    live = live_id(tiny.root)
    done = run("export", "--home", tiny.root)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{tiny.artifacts}: 1 book, 4 chunks, 14 edges of {live}\n"
    with closing(SqliteStore(tiny.artifacts)) as store:
        (entry,) = store.entries()
        assert (entry.book, entry.run_id, entry.complete) == (TINY, live, True)
        assert store.configs("tiny")[0].item_names == ("Dagger", "Long sword", "Mace")


def test_a_folder_gets_files(run: Run, tiny: Home, tmp_path: Path) -> None:
    done = run("export", tmp_path / "Rules", "--home", tiny.root)
    assert done.out == f"{tmp_path / 'Rules'}: 4 files\n"
    names = {path.name for path in (tmp_path / "Rules" / "tiny" / "tiny").rglob("*.json")}
    assert names == {"01.enriched.json", "01.graph.json", "merged.enriched.json", "merged.graph.json"}
    assert not tiny.artifacts.exists()


def test_mongodb_gets_what_went_live(run: Run, tiny: Home, mongo_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URI, mongo_uri)
    told = run("export", "--store-mongodb", "--json", "--home", tiny.root).json
    ((name, store),) = told["stores"].items()
    assert name == f"the MongoDB at {mongo_uri.removeprefix('mongodb://')}"
    assert (store["run_id"], store["rulesets"], told["files"]) == (live_id(tiny.root), ["tiny"], [])
    assert [(book["n_chunks"], book["model_id"]) for book in store["books"]] == [(4, "minilm")]
    assert MongoEmbeddingLoader(*TINY).embeddings.shape == (4, 384)


@pytest.mark.usefixtures("builds_here")
def test_the_command_line_of_the_plan_builds_and_stores(run, tiny, mongo_uri, monkeypatch):
    monkeypatch.setenv(URI, mongo_uri)
    (tiny.library / "other").mkdir()
    (tiny.library / "other" / "01.md").write_text("---\nruleset_id: big\n---\n# Other\n\nA whip is long.\n")
    flags = "--ruleset tiny --book Tiny --profile full --store-mongodb --generate-embeddings --embedding-model minilm"
    done = run("build", "--home", tiny.root, *flags.split())
    assert done.status == 0
    assert f"the MongoDB at {mongo_uri.removeprefix('mongodb://')}: 1 book, 4 chunks, " in done.out
    with closing(MongoStore.open(mongo_uri)) as store:
        assert [(entry.book, entry.run_id) for entry in store.entries()] == [(TINY, live_id(tiny.root))]
    assert run("export", "--store-mongodb", "--ruleset", "big", "--home", tiny.root).status == 0
    with closing(MongoStore.open(mongo_uri)) as store:
        assert [entry.book for entry in store.entries()] == [("big", "other"), TINY]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--book tiny", "--book: a build always covers the whole library"),
        ("--ruleset tiny", "--ruleset: a build always covers the whole library"),
        ("--profile fast", "'fast' is not a profile; the only one is full"),
        ("--embedder minilm --embedding-model wordllama", "'wordllama' contradicts --embedder 'minilm'"),
        ("--plan --store-mongodb", "a plan writes nothing"),
    ],
    ids=lambda value: value if value.startswith("--") and ":" not in value else "",
)
def test_flags_that_contradict_each_other_are_refused_before_anything_is_done(run, tiny, flags, said):
    before = sorted(path.name for path in tiny.root.iterdir())
    done = run("build", "--home", tiny.root, *flags.split())
    assert (done.status, done.out) == (2, "")
    assert said in " ".join(done.err.split())
    assert sorted(path.name for path in tiny.root.iterdir()) == before


def test_two_names_of_one_model_are_no_contradiction(run: Run, tiny: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    both = ["--embedder", "text-embedding-3-small", "--embedding-model", "openai", "--plan", "--json"]
    assert run("build", "--home", tiny.root, *both).status == 0


def test_a_server_that_is_not_there_is_said_before_the_build(run, tiny, monkeypatch):
    done = run("build", "--store-mongodb", "--home", tiny.root)
    assert (done.status, done.out) == (2, "")
    assert f"no MongoDB database is configured; set {URI}" in done.err
    monkeypatch.setenv(URI, "mongodb://me:secret@127.0.0.1:1/x")
    done = run("export", "--store-mongodb", "--home", tiny.root)
    assert done.status == 2
    assert "127.0.0.1:1/x cannot be used" in done.err
    assert "secret" not in done.err


def test_a_book_that_there_is_not_is_answered_with_those_that_there_are(run: Run, tiny: Home) -> None:
    done = run("export", "--book", "Core Rules", "--home", tiny.root)
    assert (done.status, done.err) == (2, "error: no book is called 'core-rules'; available: tiny\n")
    assert not tiny.artifacts.exists()


def test_a_home_without_an_index_says_so(run: Run, tmp_path: Path) -> None:
    done = run("export", "--home", tmp_path)
    assert done.status == 2
    assert "nothing is live" in done.err
    assert json.dumps(done.out) == '""'
