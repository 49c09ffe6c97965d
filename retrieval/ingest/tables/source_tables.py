"""Tables as they are in the source: found, captioned, with every cell and its line."""

import re
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.ingest.html_tables import parse_html_table
from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.parser import split_row
from retrieval.ingest.markdown.words import plain_text
from retrieval.types import Document, Table, TableRow

NAMESPACE = uuid.UUID("6f1f4d0e-6c0c-5a55-9d7b-5b0f2a1f7c11")
"""Namespace of every id of the project; changing it changes all ids."""

_BOLD_LINE = re.compile(r"\s*[*_]?(\*\*|__)(?P<words>.+?)\1[*_]?\s*:?\s*")
MAX_SUBTITLE = 200
"""Characters of a line that may come between a caption and its table."""
_TABLE_CAPTION = re.compile(r"\s*[*_]{0,3}(?i:table)\b[^|]{0,160}")
_NUMBERED = re.compile(r"\s*[*_]{0,3}(?i:table)\s+(?:\d|[A-Z]\d|[IVXLC]+(?![A-Za-z])|[A-Z](?:[.:\d-]|\s*$))")


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table and the blocks of its document that it takes up."""

    table: Table
    block: int
    caption_block: int | None
    """Index of the block whose last line is the caption."""


def content_id(*parts: str) -> str:
    """UUIDv5 over the parts, in order."""
    return str(uuid.uuid5(NAMESPACE, "\x1f".join(parts)))


def place_tables(document: Document, blocks: Sequence[Block]) -> tuple[PlacedTable, ...]:
    """The tables of one document. A table's id holds no data cell, so an edited cell leaves it as it is."""
    seen: Counter[str] = Counter()
    placed = []
    for index, block in enumerate(blocks):
        parsed = _parse(block)
        if parsed is None or not parsed.rows:
            # A heading over no row is a box around words: it stays prose.
            continue
        above = _caption_above(blocks, index)
        caption = parsed.caption or (above.words if above else None)
        twin = content_id(document.book, document.path, *block.heading_path, caption or "", *parsed.header)
        seen[twin] += 1
        first = document.first_line + block.lines[0]
        table = Table(
            id=content_id(twin, str(seen[twin])),
            book=document.book,
            document=document.path,
            heading_path=block.heading_path,
            caption=caption,
            header=parsed.header,
            rows=tuple(TableRow(cells, first + line, source) for cells, line, source in parsed.rows),
            lines=(first, document.first_line + block.lines[1] - 1),
            header_source=parsed.header_source,
        )
        placed.append(PlacedTable(table, index, above.block if above and not parsed.caption else None))
    return tuple(placed)


@dataclass(frozen=True, slots=True)
class _Parsed:
    caption: str | None
    header: tuple[str, ...]
    header_source: str
    rows: tuple[tuple[tuple[str, ...], int, str], ...]


def _parse(block: Block) -> _Parsed | None:
    if block.kind == "table":
        return _parse_pipes(block.source)
    if block.kind == "html" and "<table" in block.source.lower():
        return _parse_html(block.source)
    return None


def _parse_pipes(source: str) -> _Parsed:
    lines = source.split("\n")
    grid = [tuple(plain_text(cell) for cell in split_row(line)) for line in lines]
    width = max(len(cells) for number, cells in enumerate(grid) if number != 1)
    padded = [cells + ("",) * (width - len(cells)) for cells in grid]
    rows = tuple((padded[i], i, lines[i]) for i in range(2, len(lines)) if lines[i].strip())
    return _Parsed(None, padded[0], lines[0], rows)


def _parse_html(source: str) -> _Parsed | None:
    drawn = parse_html_table(source)
    if drawn is None:
        return None
    lines = source.split("\n")
    ends = [*drawn.lines[1:], len(lines)][: len(drawn.lines)]
    rows = tuple(
        (cells, start, "\n".join(lines[start : max(end, start + 1)]))
        for cells, start, end in zip(drawn.rows, drawn.lines, ends, strict=True)
    )
    header_end = drawn.lines[0] if drawn.lines else len(lines)
    return _Parsed(drawn.caption, drawn.header, "\n".join(lines[:header_end]), rows)


@dataclass(frozen=True, slots=True)
class _Caption:
    words: str
    block: int


def _caption_above(blocks: Sequence[Block], index: int) -> _Caption | None:
    """The caption in the last line of the text block above, or, over one short subtitle, of the block above that."""
    for block in range(index - 1, max(index - 3, -1), -1):
        if blocks[block].kind != "text":
            return None
        if words := caption_of(blocks[block].source):
            return _Caption(words, block)
        if len(blocks[block].source) > MAX_SUBTITLE:
            return None
    return None


def caption_of(text: str) -> str | None:
    """The words of a last line that is bold from end to end, or that begins with `Table`; None if it is neither.

    Under another line it must be `Table` with a number: a sentence may be wrapped before `table below:`.
    """
    above, _, last = text.rstrip().rpartition("\n")
    bold = _BOLD_LINE.fullmatch(last)
    if bold and not re.search(r"\*\*|__", bold["words"]):
        return plain_text(bold["words"]).rstrip(":").strip() or None
    begins = _NUMBERED.match(last) if above.strip() else True
    if begins and _TABLE_CAPTION.fullmatch(last) and not last.rstrip().endswith((".", ",", ";")):
        return plain_text(last).rstrip(":").strip() or None
    return None
