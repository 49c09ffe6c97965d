"""How chunks of somebody else's collections are shown: as lines for a person and as JSON values for a program."""

from collections.abc import Sequence

from rich.text import Text

from pipeline.console.hits import INDENT
from pipeline.console.output import out
from retrieval.search.dense.iterative import Neighbour

SHOWN = 160
"""Characters of a document."""


def neighbour_record(found: Neighbour, rank: int) -> dict[str, object]:
    """One chunk as JSON values."""
    return {
        "rank": rank,
        "distance": round(found.distance, 6),
        "id": found.id,
        "collection": found.collection,
        "title": found.title,
        "query_must": found.query_must,
        "document": found.document,
        "metadata": dict(found.metadata),
    }


def print_neighbours(kept: Sequence[Neighbour]) -> None:
    """Each chunk: its distance and title, where it is from, and how its document begins."""
    if not kept:
        out.print("No chunk answers this question.")
    for rank, found in enumerate(kept, start=1):
        out.print(Text(f"{rank:>3}. {found.distance:.4f}  {_line(found.title)}", style="bold"))
        out.print(Text(f"{' ' * INDENT}{found.collection}: {_line(found.id)}", style="dim"))
        if found.document:
            text = _line(found.document)
            out.print(Text(" " * INDENT + (text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")))


def _line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
