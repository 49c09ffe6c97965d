"""Hits, chunks and rows in a terminal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pipeline.console.output import out
from retrieval.ingest.markdown.parser import plain_paragraphs
from retrieval.query_must.refusal import in_words
from retrieval.search.context_rows import CONTEXT_ROW
from retrieval.search.json_record import ShortId
from retrieval.types import ROWS_BEHIND, Chunk, Hit, Retrieval

if TYPE_CHECKING:
    from retrieval.search.iterative import Neighbour

GAP = 2
"""Spaces between two columns."""
LONGEST = 30
"""Most terminal columns of a value in the table; a longer one gets lines of its own below it."""
_HEAD = 12
"""Most terminal columns of a head that is not broken at a space."""
_MEASURE = Console(width=200, file=None, force_terminal=False)


@dataclass(frozen=True, slots=True)
class _WrappedColumn:
    """A value and its head, broken into lines."""

    heads: Sequence[Text]
    value: str
    width: int


def row_table(pairs: Sequence[tuple[str, str]], width: int) -> Iterator[Text]:
    """Yield the lines of a table of one row; no value is truncated, and no line is wider than the terminal.

    Args:
        pairs: (head, value), that of the row's key first; a head may be empty.
        width: width of the terminal in columns.
    """
    most = min(LONGEST, width)
    short = [(head, value) for head, value in pairs if cell_len(value) <= most]
    band: list[_WrappedColumn] = []
    for head, value in short:
        column = _column(head, value, most)
        if band and sum(wrapped.width + GAP for wrapped in band) + column.width > width:
            yield from _lines(band)
            band = []
        band.append(column)
    yield from _lines(band)
    for head, value in pairs:
        if cell_len(value) > most:
            yield from broken(Text.assemble((f"{head}: ", "dim"), value) if head else Text(value), width)


def broken(line: Text, width: int) -> list[Text]:
    """Break a text into lines of at most `width`, at spaces if there are any."""
    parts = list(line.wrap(_MEASURE, max(width, 1)))
    for part in parts:
        part.rstrip()
    return parts


def _column(head: str, value: str, most: int) -> _WrappedColumn:
    words = max((cell_len(word) for word in head.split()), default=0)
    width = min(max(cell_len(value), words, min(cell_len(head), _HEAD)), most)
    heads = broken(Text(head, style="dim"), width) if head else []
    return _WrappedColumn(heads, value, max([cell_len(value), *(head.cell_len for head in heads)]))


def _lines(band: Sequence[_WrappedColumn]) -> Iterator[Text]:
    """Yield the lines of some columns; heads of different heights are aligned at the bottom, above their values."""
    if not band:
        return
    highest = max(len(wrapped.heads) for wrapped in band)
    upside = zip_longest(*(list(wrapped.heads)[::-1] for wrapped in band), fillvalue=Text())
    for line in list(upside)[:highest][::-1]:
        yield _joined(line, band)
    yield _joined([Text(wrapped.value) for wrapped in band], band)


def _joined(cells: Sequence[Text], band: Sequence[_WrappedColumn]) -> Text:
    line = Text()
    for cell, column in zip(cells, band, strict=True):
        line.append_text(cell)
        line.append(" " * (column.width - cell.cell_len + GAP))
    line.rstrip()
    return line


BETWEEN = " | "
"""Separator of two cells on one line."""
PROSE_LINES = 3
"""Lines shown of a passage, unless all of it is requested."""
PIPED_WIDTH = 110
"""Characters of such a line without a terminal."""


def long_title(chunk: Chunk) -> str:
    """Return book, headings and caption, from the most general on; the row's key is among its cells."""
    parts = [chunk.book, *chunk.heading_path, chunk.caption or ""]
    return " > ".join(_clean(part) for number, part in enumerate(parts) if part and part not in parts[:number][-1:])


def cells(chunk: Chunk) -> tuple[tuple[str, str], ...]:
    """Return each (column, cell), that of the row's key first; a cell without a column gets an empty name."""
    columns = (*chunk.columns, *[""] * (len(chunk.cells) - len(chunk.columns)))
    pairs = [(_clean(column), _clean(cell)) for column, cell in zip(columns, chunk.cells, strict=False)]
    key = _clean(chunk.row_key or "")
    at = next((number for number, (_, cell) in enumerate(pairs) if cell == key), None)
    if at is not None:
        return (pairs[at], *pairs[:at], *pairs[at + 1 :])
    named = not key or (chunk.heading_path and key == _clean(chunk.heading_path[-1]))
    return tuple(pairs) if named else (("", key), *pairs)


def brief(chunk: Chunk, width: int | None) -> Iterator[Text]:
    """Yield a row's non-empty cells as a small table, or the first lines of a passage.

    Args:
        width: width of the lines; None: one line, however long.
    """
    if chunk.cells:
        pairs = [(column, cell) for column, cell in cells(chunk) if cell]
        yield from row_table(pairs, width) if width else [Text(BETWEEN).join(_pair(*pair) for pair in pairs)]
        return
    headings = {_clean(heading) for heading in chunk.heading_path}
    paragraphs = [_clean(text) for text in plain_paragraphs(chunk.text)]
    words = " ".join(text for text in paragraphs if text not in headings) or " ".join(paragraphs)
    lines = _beginning(words, width or PIPED_WIDTH)
    yield from map(Text, lines) if width else [Text(" ".join(lines))]


def whole(chunk: Chunk, width: int | None) -> Iterator[Text]:
    """Yield everything about a chunk: every cell or the whole passage, its source, names, predicate and metadata."""
    if chunk.cells:
        for column, cell in cells(chunk):
            yield from _wrapped(_pair(column, cell), width)
        for note in chunk.notes:
            yield from _wrapped(_pair("note", _clean(note)), width)
    else:
        for paragraph in plain_paragraphs(chunk.text):
            yield from _wrapped(Text(_clean(paragraph)), width)
    facts = {
        "names": json.dumps(chunk.names, ensure_ascii=False) if chunk.names else "none",
        "query_must": chunk.query_must or "none",
        "in words": in_words(chunk.query_must),
        **{name: value if isinstance(value, str) else json.dumps(value) for name, value in chunk.metadata.items()},
    }
    yield Text("source lines:", style="dim")
    yield from (Text(f"  {_printable(line)}") for line in chunk.source.split("\n"))
    for name, value in facts.items():
        yield from _wrapped(_pair(name, _clean(value)), width)


def _pair(column: str, cell: str) -> Text:
    return Text.assemble((f"{column}: ", "dim"), cell) if column else Text(cell)


def _wrapped(line: Text, width: int | None) -> list[Text]:
    if width:
        return broken(line, width)
    line.rstrip()
    return [line]


def _beginning(words: str, width: int) -> list[str]:
    lines = [line.plain for line in broken(Text(words), width)]
    if len(lines) <= PROSE_LINES:
        return lines
    last = broken(Text(lines[PROSE_LINES - 1]), width - 2)[0].plain
    return [*lines[: PROSE_LINES - 1], f"{last} …"]


def _clean(text: str) -> str:
    return " ".join(_printable(text).split())


def _printable(text: str) -> str:
    """Replace control characters by spaces, because those of a book would control the terminal."""
    return "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)


INDENT = 5
"""Indentation, in columns, of all lines of a hit but the first."""


def print_retrieval(retrieval: Retrieval, short_id: ShortId, *, full: bool = False) -> None:
    """Print each hit: its relevance, title, short id, place and text; in a pipe on three lines."""
    if not retrieval.hits:
        out.print("No chunk answers this question.")
    width = out.width - INDENT if out.is_terminal else None
    for hit in retrieval.hits:
        chunk = hit.chunk
        title = Text(f"{hit.rank:>3}. {_shown(hit.relevance)}{long_title(chunk)}{_beside(hit)}", style="bold")
        for number, line in enumerate(broken(title, width) if width else [title]):
            out.print(line if number == 0 else Text(" " * INDENT) + line)
        print_place(chunk, short_id)
        for line in whole(chunk, width) if full else brief(chunk, width):
            out.print(Text(" " * INDENT) + line)


def _beside(hit: Hit) -> str:
    """Return a note that the hit is context of hit 1, or on the number of rows behind it; empty if neither applies."""
    if any(addend.name == CONTEXT_ROW and addend.value for addend in hit.addends):
        return " (context of hit 1)"
    behind = int(hit.evidence.get(ROWS_BEHIND, 0))
    return f" ({behind} more {'row' if behind == 1 else 'rows'} of this table)" if behind else ""


def _shown(relevance: float | None) -> str:
    return "" if relevance is None else f"{relevance:.2f}  "


def print_place(chunk: Chunk, short_id: ShortId) -> None:
    """Print the short id of a chunk, and the lines of the file that it was made from."""
    first, last = chunk.lines
    lines = f"{first}" if first == last else f"{first}-{last}"
    text = Text(f"{short_id(chunk.id)}  {chunk.book}/{chunk.document}:{lines}", style="dim")
    for line in broken(text, out.width - INDENT) if out.is_terminal else [text]:
        out.print(Text(" " * INDENT) + line)


def print_receipt(retrieval: Retrieval) -> None:
    """Print why each examined chunk was kept or excluded, the parts of each score, and the time of each step."""
    from retrieval.search.receipt import debug_lines

    out.print()
    for line in debug_lines(retrieval):
        out.print(line)


SHOWN = 160
"""Most characters shown of a document."""


def neighbour_record(neighbour: Neighbour, rank: int) -> dict[str, object]:
    """Return one chunk as JSON values."""
    return asdict(neighbour) | {"rank": rank, "distance": round(neighbour.distance, 6)}


def print_neighbours(kept: Sequence[Neighbour]) -> None:
    """Print each chunk: its distance and title, its collection and id, and the beginning of its document."""
    if not kept:
        out.print("No chunk answers this question.")
    for rank, neighbour in enumerate(kept, start=1):
        out.print(Text(f"{rank:>3}. {neighbour.distance:.4f}  {_line(neighbour.title)}", style="bold"))
        out.print(Text(f"{' ' * INDENT}{neighbour.collection}: {_line(neighbour.id)}", style="dim"))
        if neighbour.document:
            text = _line(neighbour.document)
            out.print(Text(" " * INDENT + (text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")))


def _line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
