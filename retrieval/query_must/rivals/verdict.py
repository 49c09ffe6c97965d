"""What a question does to one table: the row that it names, or why it keeps nothing out of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.query_must.rivals.speech import Asked

TWO = "it names more than one row"
OPEN = "it leaves a bound open"
ANOTHER_ROW = "another row of its table"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One table of which the question names a row. Masks are those of `Asked`."""

    table: str
    row: int
    """Number of the named row; -1 if it is more than one."""
    named: int
    """The words that name it."""
    measured: int
    """Those of them that are a value of its step: the same words in another row may be the bound of its own."""
    claimed: int
    """Those, titles and columns of the table that the question says whole, and `vs` before a word of its heads."""
    heads: int
    """Words that the table's heads have."""
    words: int
    """Words that the named row has."""
    title: int
    """Words that say which table it is."""
    held: str
    """Why nothing is kept out; empty if the other rows are."""

    def told(self, asked: Asked) -> int:
        """The words of the question that could tell rows apart: neither claimed nor idle, nor words of the heads."""
        return asked.informative & ~self.claimed & ~(self.heads & asked.words)


def held_because(asked: Asked, spans: Iterable[int] | None, claimed: int, explained: int, named: int) -> str:
    """Why a question keeps nothing out of a table though it names a row; empty if it does keep rows out.

    Args:
        asked: the question.
        spans: the places of each name that it says of the one row, without its amounts; None if it names several rows.
        claimed: places of names, titles and columns.
        explained: places of words that the row or the heads have.
        named: places of names.
    """
    if spans is None:
        return TWO
    if asked.open:
        return OPEN
    if holding := asked.holding & ~claimed:
        return f"it may want another row: {asked.said(holding)!r}"
    if figures := asked.figures & ~claimed & ~explained:
        return f"nothing in the row explains {asked.said(figures)!r}"
    before = 0
    for span in spans:
        before |= 0 if asked.is_code(span) else span >> 1
    if before := before & asked.words & asked.informative & ~claimed & ~explained:
        return f"nothing in the row explains {asked.said(before)!r} before {asked.said(named)!r}"
    return ""


def named_reason(asked: Asked, verdict: Verdict) -> str:
    """Why the siblings of a named row are kept out."""
    return f"the question names {asked.said(verdict.named)!r}, {ANOTHER_ROW}"


def twin_reason(asked: Asked, verdict: Verdict) -> str:
    """Why the rows of a table of the same kind are kept out."""
    return f"the question names {asked.said(verdict.named)!r} of another table: {asked.said(verdict.title)!r}"
