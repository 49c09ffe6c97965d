"""How hits and their receipt are shown to a person."""

from rich.text import Text

from pipeline.console.chunk_view import brief, long_title, whole
from pipeline.console.output import out
from pipeline.console.row_table import broken
from retrieval.search.companions import COMPANION
from retrieval.search.json_record import ShortId
from retrieval.types import Chunk, Retrieval

INDENT = 5
"""Columns before all lines of a hit but the first."""


def print_retrieval(retrieval: Retrieval, short_id: ShortId, *, full: bool = False) -> None:
    """Each hit: its relevance, where it belongs, its short id and place, and what it says; in a pipe on three lines.

    Args:
        retrieval: what was found.
        short_id: from an id to the beginning that no other id has.
        full: show all that is known of each chunk.
    """
    if not retrieval.hits:
        out.print("No chunk answers this question.")
    width = out.width - INDENT if out.is_terminal else None
    for hit in retrieval.hits:
        chunk = hit.chunk
        beside = " (context of hit 1)" if any(each.name == COMPANION and each.value for each in hit.addends) else ""
        title = Text(f"{hit.rank:>3}. {_shown(hit.relevance)}{long_title(chunk)}{beside}", style="bold")
        for number, line in enumerate(broken(title, width) if width else [title]):
            out.print(line if number == 0 else Text(" " * INDENT) + line)
        print_place(chunk, short_id)
        for line in whole(chunk, width) if full else brief(chunk, width):
            out.print(Text(" " * INDENT) + line)


def _shown(relevance: float | None) -> str:
    return "" if relevance is None else f"{relevance:.2f}  "


def print_place(chunk: Chunk, short_id: ShortId) -> None:
    """The short id, and the lines of the file that the chunk was made from."""
    first, last = chunk.lines
    lines = f"{first}" if first == last else f"{first}-{last}"
    place = Text(f"{short_id(chunk.id)}  {chunk.book}/{chunk.document}:{lines}", style="dim")
    for line in broken(place, out.width - INDENT) if out.is_terminal else [place]:
        out.print(Text(" " * INDENT) + line)


def print_receipt(retrieval: Retrieval) -> None:
    """Why each chunk that was looked at was kept or excluded, what each score is made of, and where the time went."""
    from retrieval.search.receipt.transcript import debug_lines

    out.print()
    for line in debug_lines(retrieval):
        out.print(line, markup=False)
