"""How a chunk is shown to a person: its title, its cells under the names of their columns, its text without markup."""

import json
import unicodedata
from collections.abc import Iterator

from rich.text import Text

from pipeline.console.row_table import broken, row_table
from retrieval.ingest.markdown.words import plain_paragraphs
from retrieval.query_must.wording import in_words
from retrieval.types import Chunk

BETWEEN = " | "
"""Between two cells on one line."""
PROSE_LINES = 3
"""Of a passage, unless all of it is wanted."""
PIPED_WIDTH = 110
"""Characters of such a line where no terminal says how wide it is."""


def long_title(chunk: Chunk) -> str:
    """Book, headings and caption, from the widest to the nearest; the row's key is among its cells."""
    parts = [chunk.book, *chunk.heading_path, chunk.caption or ""]
    return " > ".join(_clean(part) for number, part in enumerate(parts) if part and part not in parts[:number][-1:])


def cells(chunk: Chunk) -> tuple[tuple[str, str], ...]:
    """(column, cell), the one that picks the row first; a cell under no column has an empty name."""
    columns = (*chunk.columns, *[""] * (len(chunk.cells) - len(chunk.columns)))
    found = [(_clean(column), _clean(cell)) for column, cell in zip(columns, chunk.cells, strict=False)]
    key = _clean(chunk.row_key or "")
    at = next((number for number, (_, cell) in enumerate(found) if cell == key), None)
    if at is not None:
        return (found[at], *found[:at], *found[at + 1 :])
    named = not key or (chunk.heading_path and key == _clean(chunk.heading_path[-1]))
    return tuple(found) if named else (("", key), *found)


def brief(chunk: Chunk, width: int | None) -> Iterator[Text]:
    """A row's cells, all that hold something, as a small table; of a passage the first lines.

    Args:
        chunk: what to show.
        width: of the lines; None: one line, however long.
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
    """Everything about a chunk: every cell or the whole passage, its source, names, predicate and metadata."""
    if chunk.cells:
        for column, cell in cells(chunk):
            yield from _wrapped(_pair(column, cell), width)
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
    """Control characters of a book would command the terminal."""
    return "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
