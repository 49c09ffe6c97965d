"""What a live index holds and answers, to be compared with what it may hold and should answer."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

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
    for place, chunk in enumerate(chunks):
        lines.setdefault(f"{chunk.book}/{chunk.document}", []).append(chunks.line(place))
    form = Form(
        snapshot.id,
        {name: sha256(b"\n".join(sorted(found))).hexdigest() for name, found in sorted(lines.items())},
        {question: answered(retriever, question) for question in questions},
    )
    snapshot.close()
    return form


def answered(retriever: Retriever, question: str) -> tuple[str, ...]:
    """The best hits of a question."""
    hits = retriever.retrieve(question, k=SHOWN).hits
    return tuple(f"{hit.chunk.id} {sha256(hit.chunk.text.encode()).hexdigest()}" for hit in hits)
