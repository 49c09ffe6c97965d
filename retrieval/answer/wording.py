"""The words of an answer that was read."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from retrieval.answer.answers import Passage
from retrieval.answer.cells import Cell

_OR = "Or, if that is meant: "
NOT_HERE = "Not in these books."
PERHAPS_NOT = "Perhaps not in these books."
READ = "Read from the books, not generated."


def worded(cells: Sequence[Cell], passages: Sequence[Passage], *, compared: bool = False) -> Iterator[str]:
    """The pieces of an answer: each row or passage with what was read of it, and at the end that it was read.

    Joined they are its text: `Axe - Cost: 5 gp [1]`. A second row is another that may be meant, unless rows are
    compared.
    """
    numbers = {each.hit.chunk.id: each for each in passages}
    for count, (chunk_id, group) in enumerate(groupby(cells, key=lambda cell: cell.chunk_id)):
        passage = numbers[chunk_id]
        yield f"{_OR * (count > 0 and not compared)}{_line(list(group), passage)} [{passage.number}]\n"
    yield READ


def nearest(cells: Sequence[Cell], passage: Passage) -> str:
    """The text of an answer where the books hardly answer: that they may not, and what comes nearest."""
    return f"{PERHAPS_NOT} The nearest in them: {_line(cells, passage)} [{passage.number}]" if cells else PERHAPS_NOT


def _line(cells: Sequence[Cell], passage: Passage) -> str:
    if not cells[0].column:
        return " ".join(f"“{cell.text}”" for cell in cells)
    values = "; ".join(f"{cell.column}: {cell.text}" for cell in cells)
    return f"{passage.hit.chunk.title} - {values}"
