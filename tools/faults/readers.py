"""Readers who ask while another snapshot goes live, again and again: threads of one process, and processes."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import RetrievalError
from retrieval.files.records import parse_record, write_jsonl
from retrieval.index.snapshot.folders import KEPT_SNAPSHOTS
from tools.corpora.indexes import Tell
from tools.faults.reading import Reading, Replies
from tools.faults.scenes import ACTS, alternating, write_rule_documents
from tools.faults.warm import Warm, environment

REVISIONS = KEPT_SNAPSHOTS + 3
SETTINGS = "retrieval: {cache_ttl_seconds: 0}\n"
"""An answer that was kept would ask nobody."""


@dataclass(frozen=True, slots=True)
class Readers:
    """How many read while how many snapshots go live."""

    promotions: int = 20
    threads: int = 8
    processes: int = 2


def read_under_promotion(folder: Path, warm: Warm, who: Readers, seed: int, tell: Tell) -> Reading:
    """Let several indexes go live in turn while others read, and count what they got.

    Each promotion is a whole ingestion, of documents that all changed. There are up to `REVISIONS` of them, more than
    snapshots that are kept, so that each ingestion builds one and removes another. Nothing waits for the readers: on a
    busy machine a search lasts longer than several ingestions, and what it has open must outlive them all.

    Args:
        folder: for the home and its documents; made.
        warm: runs the ingestions.
        who: reads, under how many promotions.
        seed: of the documents.
        tell: called as the work goes on.

    Raises:
        RetrievalError: an ingestion or a removal did not do well, or a reader's process died.
    """
    home = folder / "home"
    sources = [folder / f"revision-{number}" for number in range(min(REVISIONS, max(2, who.promotions // 2)))]
    home.mkdir(parents=True)
    (home / "rag.yaml").write_text(SETTINGS, "utf-8")
    replies = []
    for revision, source in enumerate(sources):
        documents = alternating(revision, seed)
        write_rule_documents(documents, source)
        _run(warm, ACTS, "ingest", home, source)
        replies.append(Replies.of(home, [document.question for document in documents]))
    write_jsonl(folder / "replies.jsonl", replies)
    total = Reading()
    with ExitStack() as stack:
        arguments = (home, folder / "replies.jsonl")
        readers = [stack.enter_context(_reader(*arguments, process)) for process in (who.threads, *[1] * who.processes)]
        for number in range(who.promotions):
            tell("readers under promotion", number, who.promotions)
            _run(warm, ACTS, "ingest", home, sources[number % len(sources)])
        for reader in readers:
            total.add(_result(reader))
    return total


def _run(warm: Warm, *argv: str | Path) -> None:
    done = warm.run(*argv)
    if done.status != 0:
        raise RetrievalError(f"{argv[1]} under readers {done.sentence}")


@contextmanager
def _reader(home: Path, replies: Path, threads: int) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(  # noqa: S603 -- this very program
        [sys.executable, "-m", "tools.faults.reading", home, replies, str(threads)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    ) as reader:
        try:
            if _line(reader) != b"ready\n":
                raise RetrievalError("a reader could not begin; what it said is above")
            yield reader
        finally:
            reader.kill()


def _result(reader: subprocess.Popen[bytes]) -> Reading:
    assert reader.stdin is not None  # noqa: S101 -- it is a pipe
    reader.stdin.close()
    try:
        return parse_record(_line(reader), Reading)
    except ValueError as error:
        raise RetrievalError(f"a reader died with status {reader.wait()}; what it said is above") from error


def _line(reader: subprocess.Popen[bytes]) -> bytes:
    assert reader.stdout is not None  # noqa: S101 -- it is a pipe
    return reader.stdout.readline()
