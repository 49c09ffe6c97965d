"""`querymust push` and `pull`, as they are typed, and the readers that follow."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from retrieval.files.locks import write_lock
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, promote
from retrieval.rag.live import LiveIndex
from retrieval.serve.service import Service
from tests.pipeline.commands.test_status import said
from tests.processes import hearing_ctrl_c

ROOT = Path(__file__).parents[3]
QUESTION = "What does a mace cost?"
PATIENCE = 60.0
"""Seconds until a test gives up."""

Terminal = tuple[pytest.CaptureFixture[str], pytest.MonkeyPatch]


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return capsys, monkeypatch


def test_what_is_pushed_is_pulled_and_answers(
    twice_live: tuple[Home, str, str], terminal: Terminal, tmp_path: Path
) -> None:
    home, first, second = twice_live
    place, reader = tmp_path / "place", tmp_path / "reader"
    assert f"{place} offers {second}: " in said(*terminal, "push", place, "--home", home.root)
    assert f"live: {second}, 4 chunks: " in said(*terminal, "pull", place, "--home", reader)
    assert "Mace" in said(*terminal, "search", QUESTION, "--home", reader)
    assert "as it was built" in said(*terminal, "verify", "--home", reader)
    assert second in said(*terminal, "status", "--home", reader)
    said(*terminal, "rollback", "--home", home.root)
    told = json.loads(said(*terminal, "push", place, "--json", "--home", home.root))
    assert (told["snapshot"], told["before"], told["place"]) == (first, second, str(place))
    told = json.loads(said(*terminal, "pull", place, "--json", "--home", reader))
    assert (told["snapshot"], told["before"]) == (first, second)
    assert f"live: {second}" in said(*terminal, "rollback", "--home", reader)


def test_older_snapshots_go_here_and_there(
    twice_live: tuple[Home, str, str], terminal: Terminal, tmp_path: Path
) -> None:
    home, first, second = twice_live
    place, reader = tmp_path / "place", tmp_path / "reader"
    for name in (first, second):
        promote(home.root, name)
        told = said(*terminal, "push", place, "--keep", 0, "--home", home.root)
        assert (
            f"It was {first} before" in said(*terminal, "pull", place, "--keep", 0, "--home", reader) or name == first
        )
    assert "1 older snapshot removed there" in told
    assert [path.name for path in (place / "snapshots").iterdir()] == [second]
    assert [path.name for path in (reader / "snapshots").iterdir()] == [second]


def test_a_pull_waits_for_no_other_writer(
    twice_live: tuple[Home, str, str], terminal: Terminal, tmp_path: Path
) -> None:
    home, first, second = twice_live
    said(*terminal, "push", tmp_path / "place", "--home", home.root)
    promote(home.root, first)
    with write_lock(home.root):
        assert "is at work in" in said(*terminal, "pull", tmp_path / "place", "--home", home.root, status=2)
    assert live_id(home.root) == first
    assert f"live: {second}" in said(*terminal, "pull", tmp_path / "place", "--home", home.root)


def test_what_cannot_be_is_one_sentence_and_makes_nothing(terminal: Terminal, tmp_path: Path) -> None:
    nowhere, home = tmp_path / "nowhere", tmp_path / "home"
    assert "nothing was pushed to" in said(*terminal, "pull", nowhere, "--home", home, status=2)
    assert "nothing is live in" in said(*terminal, "push", nowhere, "--home", home, status=2)
    assert "s3://BUCKET/FOLDER" in said(*terminal, "pull", "strange://x", "--home", home, status=2)
    assert list(tmp_path.iterdir()) == []


def test_readers_of_a_shared_folder_follow_what_is_pushed(
    twice_live: tuple[Home, str, str], terminal: Terminal, tmp_path: Path
) -> None:
    home, first, second = twice_live
    place = tmp_path / "place"
    promote(home.root, first)
    said(*terminal, "push", place, "--home", home.root)
    live = LiveIndex(Home.at(place))
    service = Service(place, seconds=60, environment={})
    for name in (first, second, first):
        promote(home.root, name)
        said(*terminal, "push", place, "--home", home.root)
        result = live.ask(lambda reader: (reader.retriever.snapshot.id, reader.retriever.retrieve(QUESTION).hits))
        assert result[0] == name
        assert result[1][0].chunk.cells[0] == "Mace"
        told = service.retrieve(QUESTION, 1, "default", (), None, filtered=True)
        assert told["snapshot"] == name
    live.close()
    service.close()


def test_a_reader_that_looks_again_and_again_follows(
    twice_live: tuple[Home, str, str], terminal: Terminal, tmp_path: Path
) -> None:
    home, first, second = twice_live
    place, reader = tmp_path / "place", tmp_path / "reader"
    words = ["-m", "pipeline.cli", "pull", str(place), "--every", "0.1", "--home", str(reader)]
    follower = subprocess.Popen(
        hearing_ctrl_c(*words),
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    with follower:
        assert follower.stderr is not None
        try:
            assert "nothing was pushed to" in follower.stderr.readline(), "a failure is told, and tried again"
            for name in (first, second):
                promote(home.root, name)
                said(*terminal, "push", place, "--home", home.root)
                until = time.monotonic() + PATIENCE
                while live_id(reader) != name and time.monotonic() < until:
                    time.sleep(0.05)
                assert live_id(reader) == name
            follower.send_signal(signal.SIGINT)
            assert follower.wait(PATIENCE) == 130
        finally:
            follower.kill()
