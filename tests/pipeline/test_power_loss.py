"""What was acknowledged is there after a loss of power, and what was not leaves the rest intact."""

import os
import shutil
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from evals.sample import SKIRMISH
from retrieval.files.records import append_record, read_kept, write_jsonl
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.rag.contract import read_rule_documents
from retrieval.rag.ingestion import lacking
from retrieval.rag.pipeline import RAGPipeline
from retrieval.serve.api_keys import ApiKeys
from retrieval.serve.logs import Feedback, FeedbackFile, read_feedback
from tests.power import Disk, mounted, new_disk

POINTS = 10
"""Points of time at which an ingestion loses its power."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with new_disk(tmp_path) as made:
        yield made


def filenames(root: Path) -> set[str]:
    """The documents of the live index, which is byte for byte as it was built and has them beside it."""
    open_snapshot(root).close()
    with open_snapshot(root) as snapshot:
        assert list(lacking(snapshot)) == []
        return {chunk.document for chunk in snapshot.chunks}


def test_files_and_their_folders_are_there(disk: Disk) -> None:
    said = Feedback("2026-01-01T00:00:00", "s", "q", "c", "relevant")
    write_jsonl(disk.folder / "new" / "deep" / "records.jsonl", [said])
    append_record(disk.folder / "added.jsonl", said)
    with disk.after_power_loss() as folder:
        assert read_kept(folder / "new" / "deep" / "records.jsonl", Feedback) == (said,)
        assert read_kept(folder / "added.jsonl", Feedback) == (said,)
    append_record(disk.folder / "added.jsonl", said)
    with disk.after_power_loss() as folder:
        assert read_kept(folder / "added.jsonl", Feedback) == (said, said)


def test_documents_feedback_and_keys_that_were_acknowledged_are_there(disk: Disk) -> None:
    root, documents = disk.folder / "home", read_rule_documents(SKIRMISH)[:2]
    for n_documents in (1, 2):
        assert RAGPipeline(root).ingest([documents[n_documents - 1]]).documents_failed == 0
        with disk.after_power_loss() as folder:
            assert filenames(folder / "home") == {document.filename for document in documents[:n_documents]}
    secret = ApiKeys(root).add("bot", "read")
    with disk.after_power_loss() as folder:
        assert ApiKeys(folder / "home").find(secret)
    FeedbackFile(root).add(str(live_id(root)), "q", "c", "relevant", "")
    with disk.after_power_loss() as folder:
        assert len(read_feedback(folder / "home")) == 1
    RAGPipeline(root).remove([documents[0].document_id])
    with disk.after_power_loss() as folder:
        assert filenames(folder / "home") == {documents[1].filename}


@pytest.mark.usefixtures("builds_here")
def test_a_build_a_rollback_a_push_and_a_pull_that_were_acknowledged_are_there(disk, run, twice_live):
    made, first, second = twice_live
    root, place, reader = (disk.folder / name for name in ("home", "place", "reader"))

    def live(name: str) -> str | None:
        with disk.after_power_loss() as folder:
            open_snapshot(folder / name).close()
            return live_id(folder / name)

    assert run("build", "--library", made.library, "--home", root)[0] == 0
    assert live("home") == live_id(root)
    assert run("push", place, "--home", made.root)[0] == 0
    assert live("place") == second
    assert run("pull", place, "--home", reader)[0] == 0
    assert live("reader") == second
    shutil.copytree(made.root, disk.folder / "twice")
    os.sync()
    assert run("rollback", "--home", disk.folder / "twice")[0] == 0
    assert live("twice") == first


def test_an_ingestion_that_loses_power_leaves_what_was_acknowledged_and_runs_again(disk, tmp_path, monkeypatch):
    root, documents = disk.folder / "home", read_rule_documents(SKIRMISH)[:2]
    synced, copies, every, lock, fsync = count(), list[Path](), 0, threading.Lock(), os.fsync

    def losing(descriptor: int) -> None:
        fsync(descriptor)
        with lock:
            number = next(synced)
            if every and number % every == 0:
                copies.append(disk.copy(f"cut-{number}"))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", losing)
        RAGPipeline(root).ingest(documents[:1])
        every = next(synced) // POINTS
        RAGPipeline(root).ingest(documents[1:])
    assert len(copies) >= POINTS
    both = {document.filename for document in documents}
    for copy in copies:
        with mounted(copy, tmp_path / "again") as folder:
            assert filenames(folder / "home") in ({documents[0].filename}, both)
            assert RAGPipeline(folder / "home").ingest(documents[1:]).documents_failed == 0
            assert filenames(folder / "home") == both
