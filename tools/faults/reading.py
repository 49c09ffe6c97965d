"""Asks a home again and again while others write there, as a program: `reading HOME REPLIES THREADS`.

It says `ready` once every thread has an answer. When its standard input is closed, every thread asks once more in each
of the two ways, and it prints a `Reading`.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path

from retrieval.files.records import dump_record, read_jsonl
from retrieval.rag.pipeline import RAGPipeline
from retrieval.search.retriever import Retriever
from tools.faults.judge import SHOWN, answered
from tools.faults.warm import PATIENCE

_NAMED = 5
"""Errors and mixtures that are told; all are counted."""


@dataclass(frozen=True, slots=True)
class Replies:
    """What one snapshot answers. Key: snapshot."""

    snapshot: str
    found: dict[str, tuple[str, ...]]
    """Question to its best hits, of a retriever."""
    told: dict[str, tuple[str, ...]]
    """Question to the passages of the contract, hashes of their texts."""

    @classmethod
    def of(cls, home: Path, questions: Sequence[str]) -> "Replies":
        """Those of what is live."""
        retriever, contract = Retriever.open(home), RAGPipeline(home)
        result = {question: answered(retriever, question) for question in questions}
        return cls(retriever.snapshot.id, result, {question: told(contract, question) for question in questions})


def told(contract: RAGPipeline, question: str) -> tuple[str, ...]:
    """The passages that the contract answers with."""
    chunks = contract.retrieve(question, "faults:reader", SHOWN, 0.0).document_chunks
    return tuple(sha256(chunk.text.encode()).hexdigest() for chunk in chunks)


@dataclass(slots=True)
class Reading:
    """What became of the questions of one process."""

    reads: int = 0
    errors: int = 0
    mixed: int = 0
    """Answers that no single snapshot gives."""
    snapshots: set[str] = field(default_factory=set)
    """Those that answers came from."""
    said: list[str] = field(default_factory=list)
    """The first errors and mixtures."""

    def add(self, other: "Reading") -> None:
        """Count another process or thread too."""
        self.reads += other.reads
        self.errors += other.errors
        self.mixed += other.mixed
        self.snapshots |= other.snapshots
        self.said = [*self.said, *other.said][:_NAMED]


class Reader:
    """Asks in turn through a contract that all threads share, and through an index that is opened for the question."""

    def __init__(self, home: Path, replies: Sequence[Replies]) -> None:
        self._home, self._replies = home, {reply.snapshot: reply for reply in replies}
        self._contract = RAGPipeline(home, timeout=PATIENCE)
        self._opened(self._questions[0])  # which loads the model: that may last longer than some promotions

    @property
    def _questions(self) -> list[str]:
        return list(next(iter(self._replies.values())).found)

    def read(self, until: threading.Event, begun: Callable[[], object]) -> Reading:
        """Ask until the event is set and then once more in each way; `begun` is called after the first answer."""
        reading = Reading()
        for number in count():
            is_last = until.is_set()
            self._ask(number, reading)
            if not number:
                begun()
            if is_last:
                self._ask(number + 1, reading)
                return reading
        raise AssertionError  # count does not end

    def _ask(self, number: int, reading: Reading) -> None:
        question = self._questions[number // 2 % len(self._questions)]
        reading.reads += 1
        try:
            one = self._opened(question) if number % 2 else self._told(question)
        except Exception as error:
            reading.errors += 1
            reading.said.append(f"{type(error).__name__}: {error}")
            return
        if one is None:
            reading.mixed += 1
            reading.said.append(f"{question!r} has an answer that no single snapshot gives")
        else:
            reading.snapshots.add(one)

    def _told(self, question: str) -> str | None:
        answer = told(self._contract, question)
        return next((reply.snapshot for reply in self._replies.values() if reply.told[question] == answer), None)

    def _opened(self, question: str) -> str | None:
        retriever = Retriever.open(self._home)
        answer, snapshot = answered(retriever, question), retriever.snapshot.id
        retriever.snapshot.close()
        same = snapshot in self._replies and self._replies[snapshot].found[question] == answer
        return snapshot if same else None


def main() -> None:
    """Read with as many threads as the arguments say."""
    home, replies, threads = Path(sys.argv[1]), read_jsonl(Path(sys.argv[2]), Replies), int(sys.argv[3])
    reader, until, begun = Reader(home, replies), threading.Event(), threading.Barrier(threads + 1)
    total = Reading()
    with ThreadPoolExecutor(threads) as pool:
        readings = [pool.submit(reader.read, until, begun.wait) for _ in range(threads)]
        begun.wait()
        _say("ready")
        sys.stdin.buffer.read()
        until.set()
        for reading in readings:
            total.add(reading.result())
    _say(dump_record(total).decode())


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
