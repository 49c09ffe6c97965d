"""Looks at a home as a reader does, and says what of it is neither as it was nor as it should be.

A program of its own, `judge HOME FORM...`: a library that takes its process down is a verdict too. Each form is a file;
what is live must be one of them.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from retrieval.errors import RetrievalError
from retrieval.files.records import dump_record, parse_record
from retrieval.index.snapshot.live import SNAPSHOTS, is_id
from retrieval.index.snapshot.manifest import MANIFEST_FILE, SCHEMA_VERSION, Manifest
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.retriever import Retriever

SHOWN = 5
"""Hits of a question, and passages of the contract, that are compared."""


@dataclass(frozen=True, slots=True)
class Form:
    """An index as its readers see it. Key: snapshot."""

    snapshot: str
    documents: dict[str, str]
    """`book/document` to the hash of its chunks, byte for byte and in their order."""
    answers: dict[str, tuple[str, ...]]
    """Question to its best hits, each an id and the hash of its text."""

    @property
    def books(self) -> frozenset[str]:
        """Those that have a document."""
        return frozenset(name.partition("/")[0] for name in self.documents)


def form_of(home: Path, questions: Iterable[str]) -> Form:
    """What is live in a home.

    Raises:
        RetrievalError: nothing is live, or it cannot be read.
    """
    retriever = Retriever.open(home)
    snapshot, chunks = retriever.snapshot, retriever.snapshot.chunks
    lines: dict[str, list[bytes]] = {}
    for position, chunk in enumerate(chunks):
        lines.setdefault(f"{chunk.book}/{chunk.document}", []).append(chunks.line(position))
    form = Form(
        snapshot.id,
        {name: sha256(b"\n".join(sorted(result))).hexdigest() for name, result in sorted(lines.items())},
        {question: answered(retriever, question) for question in questions},
    )
    snapshot.close()
    return form


def answered(retriever: Retriever, question: str) -> tuple[str, ...]:
    """The best hits of a question."""
    hits = retriever.retrieve(question, k=SHOWN).hits
    return tuple(f"{hit.chunk.id} {sha256(hit.chunk.text.encode()).hexdigest()}" for hit in hits)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with a home, a sentence each; empty where nothing is."""

    broken: tuple[str, ...] = ()
    """It cannot be opened, a file of it is damaged, or it answers otherwise than it should."""
    half_documents: tuple[str, ...] = ()
    """Documents that are neither wholly as they were nor wholly as they are to be."""
    lost_books: tuple[str, ...] = ()
    stuck: tuple[str, ...] = ()
    """Somebody holds the home who is gone, or a run is under way that is not."""

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(
            self.broken + other.broken,
            self.half_documents + other.half_documents,
            self.lost_books + other.lost_books,
            self.stuck + other.stuck,
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that is wrong."""
        return self.broken + self.half_documents + self.lost_books + self.stuck


def judge(home: Path, forms: Sequence[Form]) -> Verdict:
    """What is wrong with a home whose live index should be one of `forms`."""
    questions = dict.fromkeys(question for form in forms for question in form.answers)
    try:
        result = form_of(home, questions)
        with open_snapshot(home) as snapshot:
            faults = list(snapshot.faults())
    except RetrievalError as error:
        return Verdict(broken=(f"live cannot be searched: {error}", *_half_snapshots(home)))
    same = next((form for form in forms if form.snapshot == result.snapshot), None)
    if same is None:
        faults.append(f"{result.snapshot} is live, which is none of {[form.snapshot for form in forms]}")
    else:
        faults += [f"another answer to {question!r}" for question in same.answers if _other(result, same, question)]
    return Verdict(
        (*faults, *_half_snapshots(home)),
        tuple(_half_documents(result, forms)),
        tuple(sorted(frozenset.intersection(*(form.books for form in forms)) - result.books)),
    )


def _other(found: Form, expected: Form, question: str) -> bool:
    return found.answers[question] != expected.answers[question]


def _half_documents(found: Form, forms: Iterable[Form]) -> Iterator[str]:
    whole = {(name, digest) for form in forms for name, digest in form.documents.items()}
    return (name for name, digest in found.documents.items() if (name, digest) not in whole)


def _half_snapshots(home: Path) -> Iterator[str]:
    for folder in sorted((home / SNAPSHOTS).glob("*")):
        if is_id(folder.name) and not _is_older(folder):
            try:
                yield from (
                    f"{folder.name}: {disagreement}"
                    for disagreement in Manifest.read(folder).disagreements(folder, hashes=True)
                )
            except RetrievalError as error:
                yield str(error)


def _is_older(folder: Path) -> bool:
    """Whether another version of this program wrote a snapshot: it may lie there, and is removed like any other."""
    try:
        version = json.loads((folder / MANIFEST_FILE).read_bytes())["schema_version"]
    except (OSError, ValueError, LookupError, TypeError):
        return False
    return isinstance(version, int) and version < SCHEMA_VERSION


def main() -> None:
    """Print the verdict on what the arguments name, as JSON."""
    home, *forms = map(Path, sys.argv[1:])
    verdict = judge(home, [parse_record(form.read_bytes(), Form) for form in forms])
    sys.stdout.write(dump_record(verdict).decode() + "\n")


if __name__ == "__main__":
    main()
