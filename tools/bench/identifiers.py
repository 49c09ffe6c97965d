"""Whether identifiers in a live index are found as typed and by their parts, and how many siblings come with them."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import IndexMissingError
from retrieval.language.identifiers import identifier_keys, identifiers, key_of
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk

TOP = 10
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PARTS = re.compile(r"[^\W\d_]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class IdentifierScore:
    """One way to type the identifiers. Key: form."""

    form: str
    """`typed` as in the book, or `parts`: its words and numbers with blanks between them, in lower case."""
    hit_1: float
    """Share whose first hit has the identifier in a cell, its heading or its caption."""
    hit_5: float
    siblings: float
    """Other rows of the first hit's table among the first ten, the mean."""


@dataclass(frozen=True, slots=True)
class IdentifierReport:
    """One run over one index."""

    snapshot: str
    n_identifiers: int
    scores: tuple[IdentifierScore, ...]

    def lines(self) -> Sequence[str]:
        """A table for a person to read."""
        head = f"snapshot {self.snapshot}, {self.n_identifiers:,} identifiers that are keys of rows"
        columns = f"{'form':<8} {'hit@1':>6} {'hit@5':>6} {'siblings':>9}"
        rows = (
            f"{score.form:<8} {score.hit_1:>6.3f} {score.hit_5:>6.3f} {score.siblings:>9.2f}" for score in self.scores
        )
        return (head, columns, *rows)


def ask_for_identifiers(
    home: Path, n_identifiers: int, tell: Callable[[str, int, int], None], seed: int = 0
) -> IdentifierReport:
    """Ask for keys of rows that are identifiers, each in every form.

    Args:
        home: with a live index.
        n_identifiers: how many are drawn.
        tell: called as the work goes on.
        seed: of the draw.

    Raises:
        IndexMissingError: no row has an identifier for its key.
    """
    retriever = Retriever.open(home)
    chunks = retriever.snapshot.chunks
    keys = sorted({key for chunk in chunks if (key := chunk.row_key) and identifiers(key)[:1] == (key,)})
    if not keys:
        raise IndexMissingError(f"no row of {home} has an identifier for its key; there is nothing to ask for")
    drawn = random.Random(seed).sample(keys, min(n_identifiers, len(keys)))
    scores = []
    for form, written in (("typed", str), ("parts", _in_parts)):
        found = []
        for number, key in enumerate(drawn):
            tell(form, number, len(drawn))
            found.append(_found(retriever, f"what is {written(key)}", key_of(key)))
        firsts, fives, siblings = zip(*found, strict=True)
        n = len(drawn)
        scores.append(IdentifierScore(form, sum(firsts) / n, sum(fives) / n, sum(siblings) / n))
    return IdentifierReport(retriever.snapshot.id, len(drawn), tuple(scores))


def _in_parts(key: str) -> str:
    return " ".join(_PARTS.findall(_CAMEL.sub(" ", key))).lower()


def _found(retriever: Retriever, question: str, key: str) -> tuple[bool, bool, int]:
    hits = [hit.chunk for hit in retriever.retrieve(question, k=TOP, decisions=False).hits]
    right = [key in set(_keys(chunk)) for chunk in hits]
    table = hits[0].table_id if hits else None
    siblings = sum(chunk.table_id == table and not is_right for chunk, is_right in zip(hits, right, strict=True))
    return any(right[:1]), any(right[:5]), siblings if table else 0


def _keys(chunk: Chunk) -> Iterator[str]:
    for text in (*chunk.cells, *chunk.heading_path[-1:], chunk.caption or ""):
        yield from identifier_keys(text)
