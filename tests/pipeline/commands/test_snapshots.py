"""`querymust verify`, `rollback` and `gc`, as they are typed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from pipeline.commands.snapshots import collect_garbage, pull, push
from retrieval.files.locks import write_lock
from retrieval.home import Home
from retrieval.index.snapshot.folders import KEPT_SNAPSHOTS
from retrieval.index.snapshot.live import live_id, promote, promotions
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.rag.live import LiveIndex
from retrieval.serve.service import Service

Printed = Callable[..., str]


def test_a_rollback_and_another_one_go_there_and_back(twice_live: tuple[Home, str, str], printed: Printed) -> None:
    home, first, second = twice_live
    told = printed("rollback", "--home", home.root)
    assert f"live: {first}" in told
    assert f"to go back, run: querymust rollback {second} --home {home.root}" in " ".join(told.split())
    assert live_id(home.root) == first
    assert f"live: {second}" in printed("rollback", "--home", home.root)
    assert f"live: {first}" in printed("rollback", first, "--home", home.root)
    assert [move.how for move in promotions(home.root)][-3:] == ["rollback"] * 3


def test_what_cannot_be_rolled_back_to_is_refused_in_a_sentence(twice_live, printed):
    home, first, second = twice_live
    strange = "0123456789abcdef"
    refusals = {strange: "no snapshot that was live", second: "is already live", "../x": "no snapshot that was live"}
    for name, sentence in refusals.items():
        assert sentence in printed("rollback", name, "--home", home.root, status=2)
    (home.root / "snapshots" / first / "vectors.npy").write_bytes(b"half")
    assert "build the index again" in printed("rollback", "--home", home.root, status=2)
    printed("gc", "--keep", 0, "--home", home.root)
    assert "no other snapshot" in printed("rollback", "--home", home.root, status=2)
    assert live_id(home.root) == second


def test_a_rollback_passes_over_damaged_snapshots_and_names_them(twice_live, run):
    home, first, second = twice_live
    with open_snapshot(home.root) as snapshot:
        chunks = [replace(chunk, text=f"{chunk.text}  ") for chunk in snapshot.chunks]
        third = build_snapshot(
            home.root, chunks, np.array(snapshot.vectors), snapshot.manifest.embedder, snapshot.vocabulary
        ).id
    promote(home.root, third)
    for path in (home.root / "snapshots" / second).rglob("*.*"):
        os.truncate(path, 0)
    status, _, told = run("rollback", second, "--home", home.root)
    assert (status, "skipped" in told) == (2, False)
    status, out, told = run("rollback", "--home", home.root)
    assert (status, out.splitlines()[0]) == (0, f"live: {first}, 4 chunks")
    assert f"skipped: {home.root / 'snapshots' / second / 'manifest.json'} cannot be read" in told
    assert live_id(home.root) == first


def test_a_candidate_that_never_went_live_is_not_rolled_back_to(twice_live, printed):
    home, first, second = twice_live
    (home.root / "live.jsonl").unlink()
    promote(home.root, first)
    (home.root / "live.jsonl").unlink()
    assert "no snapshot that was live" in printed("rollback", second, "--home", home.root, status=2)


@pytest.mark.parametrize("command", ["rollback", "gc"])
def test_one_writer_at_a_time(twice_live: tuple[Home, str, str], printed: Printed, command: str) -> None:
    home, _, second = twice_live
    with write_lock(home.root):
        assert "is running in" in printed(command, "--home", home.root, status=2)
    assert live_id(home.root) == second


def test_gc_says_what_stays_and_what_goes(twice_live: tuple[Home, str, str], printed: Printed) -> None:
    home, first, second = twice_live
    told = json.loads(printed("gc", "--keep", 0, "--dry-run", "--json", "--home", home.root))
    assert ([each["id"] for each in told["removed"]], [each["id"] for each in told["kept"]]) == ([first], [second])
    assert "1 snapshot would be removed" in printed("gc", "--keep", 0, "--dry-run", "--home", home.root)
    assert "0 snapshots removed" in printed("gc", "--home", home.root)
    assert "1 snapshot removed" in printed("gc", "--keep", 0, "--home", home.root)
    assert not (home.root / "snapshots" / first).exists()


def test_verify_names_every_file_that_is_wrong(twice_live: tuple[Home, str, str], printed: Printed) -> None:
    home, first, second = twice_live
    assert "matches the build" in printed("verify", "--home", home.root)
    folder = home.root / "snapshots" / second
    (folder / "vectors.npy").write_bytes(b"half")
    (folder / "chunk_ids.npy").unlink()
    told = printed("verify", "--home", home.root, status=1)
    assert "vectors.npy has 4 bytes" in told
    assert "chunk_ids.npy has no bytes" in told
    assert "querymust rollback" in told
    assert "matches the build" in printed("verify", first, "--home", home.root)


@pytest.mark.parametrize("name", ["manifest.json", "relevance.json", "rarity.npy"])
def test_verify_notices(twice_live: tuple[Home, str, str], printed: Printed, name: str) -> None:
    home, _, second = twice_live
    (home.root / "snapshots" / second / name).write_bytes(b"{")
    assert Path(name).name in printed("verify", "--home", home.root, status=1)


@pytest.mark.parametrize("command", ["verify", "rollback", "gc"])
def test_an_empty_home_is_one_sentence_and_is_not_made(tmp_path: Path, printed: Printed, command: str) -> None:
    assert "querymust build --library" in printed(command, "--home", tmp_path / "none", status=2)
    assert not (tmp_path / "none").exists()


def test_a_build_that_goes_live_removes_what_nothing_keeps(twice_live, monkeypatch):
    from pipeline.runs import build

    home, first, second = twice_live
    monkeypatch.setattr(build, "_jobs", lambda *_: [])  # nothing to index: what counts is how a build ends
    (home.root / "live.jsonl").unlink()
    assert build.build(home).problems == []
    assert [path.name for path in (home.root / "snapshots").iterdir()] == [second]
    assert live_id(home.root) == second != first


ROOT = Path(__file__).parents[3]
QUESTION = "What does a mace cost?"
PATIENCE = 60.0
"""Seconds until a test gives up."""


def test_what_is_pushed_is_pulled_and_answers(twice_live, printed, tmp_path):
    home, first, second = twice_live
    place, reader = tmp_path / "place", tmp_path / "reader"
    assert f"{place} offers {second}: " in printed("push", place, "--home", home.root)
    assert f"live: {second}, 4 chunks: " in printed("pull", place, "--home", reader)
    assert "Mace" in printed("search", QUESTION, "--home", reader)
    assert "matches the build" in printed("verify", "--home", reader)
    assert second in printed("status", "--home", reader)
    printed("rollback", "--home", home.root)
    told = json.loads(printed("push", place, "--json", "--home", home.root))
    assert (told["snapshot"], told["before"], told["place"]) == (first, second, str(place))
    told = json.loads(printed("pull", place, "--json", "--home", reader))
    assert (told["snapshot"], told["before"]) == (first, second)
    assert f"live: {second}" in printed("rollback", "--home", reader)


def test_older_snapshots_go_here_and_there(twice_live: tuple[Home, str, str], printed: Printed, tmp_path: Path) -> None:
    home, first, second = twice_live
    place, reader = tmp_path / "place", tmp_path / "reader"
    for name in (first, second):
        promote(home.root, name)
        told = printed("push", place, "--keep", 0, "--home", home.root)
        assert (
            f"The live snapshot was {first} before" in printed("pull", place, "--keep", 0, "--home", reader)
            or name == first
        )
    assert "1 older snapshot removed there" in told
    assert [path.name for path in (place / "snapshots").iterdir()] == [second]
    assert [path.name for path in (reader / "snapshots").iterdir()] == [second]


def test_a_pull_waits_for_no_other_writer(twice_live: tuple[Home, str, str], printed: Printed, tmp_path: Path) -> None:
    home, first, second = twice_live
    printed("push", tmp_path / "place", "--home", home.root)
    promote(home.root, first)
    with write_lock(home.root):
        assert "is running in" in printed("pull", tmp_path / "place", "--home", home.root, status=2)
    assert live_id(home.root) == first
    assert f"live: {second}" in printed("pull", tmp_path / "place", "--home", home.root)


def test_what_cannot_be_is_one_sentence_and_makes_nothing(printed: Printed, tmp_path: Path) -> None:
    nowhere, home = tmp_path / "nowhere", tmp_path / "home"
    assert "nothing was pushed to" in printed("pull", nowhere, "--home", home, status=2)
    assert "nothing is live in" in printed("push", nowhere, "--home", home, status=2)
    assert "s3://BUCKET/FOLDER" in printed("pull", "strange://x", "--home", home, status=2)
    assert list(tmp_path.iterdir()) == []


def test_readers_of_a_shared_folder_follow_what_is_pushed(twice_live, printed, tmp_path):
    home, first, second = twice_live
    place = tmp_path / "place"
    promote(home.root, first)
    printed("push", place, "--home", home.root)
    live = LiveIndex(Home.at(place))
    service = Service(place, seconds=60, environment={})
    for name in (first, second, first):
        promote(home.root, name)
        printed("push", place, "--home", home.root)
        result = live.ask(lambda reader: (reader.retriever.snapshot.id, reader.retriever.retrieve(QUESTION).hits))
        assert result[0] == name
        assert result[1][0].chunk.cells[0] == "Mace"
        told = service.retrieve(QUESTION, 1, "default", (), None, filtered=True)
        assert told["snapshot"] == name
    live.close()
    service.close()


def test_a_reader_that_looks_again_and_again_follows(twice_live, printed, tmp_path):
    home, first, second = twice_live
    place, reader = tmp_path / "place", tmp_path / "reader"
    words = ["-m", "pipeline.cli", "pull", str(place), "--every", "0.1", "--home", str(reader)]
    follower = subprocess.Popen([sys.executable, *words], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    with follower:
        assert follower.stderr is not None
        try:
            assert "nothing was pushed to" in follower.stderr.readline(), "a failure is told, and tried again"
            for name in (first, second):
                promote(home.root, name)
                printed("push", place, "--home", home.root)
                until = time.monotonic() + PATIENCE
                while live_id(reader) != name and time.monotonic() < until:
                    time.sleep(0.05)
                assert live_id(reader) == name
            follower.send_signal(signal.SIGINT)
            assert follower.wait(PATIENCE) == 130
        finally:
            follower.kill()


def test_every_command_keeps_as_many_snapshots_as_a_build_does() -> None:
    commands = (collect_garbage, pull, push)
    assert {signature(command).parameters["keep"].default for command in commands} == {KEPT_SNAPSHOTS}
