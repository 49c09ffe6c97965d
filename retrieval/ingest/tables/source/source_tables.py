"""Tables as they are in the source: found, captioned, with every cell and its line."""

import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from retrieval.ingest.html_tables import parse_html_table, without_raised
from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.parser import split_row
from retrieval.ingest.markdown.spans import without_marks
from retrieval.ingest.markdown.words import plain_text, with_blank_comments
from retrieval.ingest.tables.header import joined_headers, without_placeholders
from retrieval.ingest.tables.source.captions import Caption, about, caption_at
from retrieval.ingest.tables.source.dittos import without_dittos
from retrieval.ingest.tables.source.drawn_tables import (
    DrawnTable,
    is_grid,
    is_list_table,
    parse_grid,
    parse_list_table,
)
from retrieval.ingest.tables.source.labels import labels_below
from retrieval.ingest.tables.source.notes import Notes, footnotes, marked, note_of, notes_below, notes_in
from retrieval.ingest.tables.source.outer_titles import with_outer_titles
from retrieval.ingest.tables.source.purposes import purpose_of
from retrieval.ingest.tables.source.spaced_tables import is_spaced, parse_spaced
from retrieval.ingest.tables.table import Table, TableRow
from retrieval.types import Document

NAMESPACE = uuid.UUID("6f1f4d0e-6c0c-5a55-9d7b-5b0f2a1f7c11")
"""Namespace of every id of the project; changing it changes all ids."""
_UNSPANNED = (
    "the table on line {line} has rowspan or colspan for far more cells than it has words; each counts as 1: write the "
    "spans that it has"
)
_BOLD_ROW = re.compile(r"[\s|>]*(?:(?:\*\*|__)[^|]+(?:\*\*|__)[\s|]*)+")
_FIRST_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_MARGIN = re.compile(r"[ \t>]*")
_DELIMITER = re.compile(r"(?=.*(?:---|:-|-:))[\s|]*(?:(?::?-{2,}:?|:-:?|-:)\s*(?:\|[\s|]*|$))+")


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
    placed: list[PlacedTable] = []
    tables = dict(_tables_in(blocks))
    captions = with_outer_titles(blocks, _captions(blocks, tables))
    for index, parsed in tables.items():
        block, found = blocks[index], captions[index]
        caption = parsed.caption or (found.words if found else None)
        introduced = found is not None and found.introduces
        called = "" if introduced else caption or ""
        twin = content_id(document.book, document.path, *block.heading_path, called, *parsed.header)
        seen[twin] += 1
        first = document.first_line + block.lines[0]
        filled = without_dittos([cells for cells, _, _ in parsed.rows])
        table = Table(
            id=content_id(twin, str(seen[twin])),
            book=document.book,
            document=document.path,
            heading_path=block.heading_path,
            caption=caption,
            header=parsed.header,
            rows=tuple(
                TableRow(
                    cells,
                    first + line,
                    source,
                    underlined=place in parsed.underlined,
                    bold=bool(_BOLD_ROW.fullmatch(source)),
                    notes=parsed.notes[place],
                )
                for place, ((_, line, source), cells) in enumerate(zip(parsed.rows, filled, strict=True))
            ),
            lines=(first, document.first_line + block.lines[1] - 1),
            header_source=parsed.header_source,
            introduced=introduced,
            about=about(blocks, index) if not caption else found.about if found else "",
            purpose=purpose_of(blocks, index, found),
            warning=_UNSPANNED.format(line=first) if parsed.unspanned else "",
        )
        placed.append(PlacedTable(table, index, found.block if found else None))
    return tuple(placed)


def _captions(blocks: Sequence[Block], tables: Mapping[int, "_Parsed"]) -> dict[int, Caption | None]:
    """What the words around each table call it, by the index of its block; nothing where it says so itself."""
    below = labels_below(blocks, tables)
    taken, found = set(below), dict[int, Caption | None]()
    for index, parsed in tables.items():
        directly_under = index - 1 in found and _alike(blocks[index - 1], blocks[index])
        above = found[index - 1] if directly_under else None
        found[index] = None if parsed.caption else caption_at(blocks, index, above, taken, below)
        caption = found[index]
        taken |= {caption.block} if caption and caption.block is not None else set()
    return found


def _tables_in(blocks: Sequence[Block]) -> Iterator[tuple[int, "_Parsed"]]:
    """The tables of a document by the index of their block."""
    everywhere = footnotes(blocks)
    for index, block in enumerate(blocks):
        parsed = _parse(block, {**everywhere, **notes_below(blocks, index)})
        # A heading over no row is a box around words: it stays prose.
        if parsed and any(any(cells) for cells, _, _ in parsed.rows):
            yield index, _headed_by_bold_row(parsed)


def _headed_by_bold_row(parsed: "_Parsed") -> "_Parsed":
    """Under a header without a word, a first row that is bold in each cell, over one that is not, is the header."""
    bold = [bool(_BOLD_ROW.fullmatch(source)) for _, _, source in parsed.rows[:2]]
    if any(parsed.header) or bold != [True, False] or len(parsed.header) < 2 or not all(parsed.rows[0][0]):
        return parsed
    header, _, source = parsed.rows[0]
    underlined = frozenset(place - 1 for place in parsed.underlined if place)
    return replace(
        parsed,
        header=header,
        header_source=f"{parsed.header_source}\n{source}".lstrip("\n"),
        rows=parsed.rows[1:],
        notes=parsed.notes[1:],
        underlined=underlined,
    )


def _alike(one: Block, other: Block) -> bool:
    """Whether two blocks are equally deep in lists and quotations."""
    margins = [_MARGIN.match(block.source) for block in (one, other)]
    return len({match[0] for match in margins if match}) == 1


@dataclass(frozen=True, slots=True)
class _Parsed:
    caption: str | None
    header: tuple[str, ...]
    header_source: str
    rows: tuple[tuple[tuple[str, ...], int, str], ...]
    notes: tuple[tuple[str, ...], ...]
    """Row by row, what the marks in its cells mean."""
    underlined: frozenset[int] = frozenset()
    """Places of rows with a delimiter line below them."""
    unspanned: bool = False
    """Whether its spans were not read."""


def _parse(block: Block, notes: Notes) -> _Parsed | None:
    if is_grid(block.shown):
        return _parse_drawn(block, parse_grid(block.shown), notes)
    if is_list_table(block.source):
        return _parse_drawn(block, parse_list_table(block.source), notes)
    if block.kind == "table" and is_spaced(block.source):
        return _parse_drawn(block, parse_spaced(block.source), notes)
    if block.kind == "table":
        return _parse_pipes(block.source, notes)
    if block.kind == "html" and "<table" in block.source.lower():
        return _parse_html(block.source, notes)
    return None


def _parse_pipes(source: str, notes: Notes) -> _Parsed:
    lines = source.split("\n")
    shown = without_marks(with_blank_comments(source)).split("\n")
    raw = [split_row(line) for line in shown]
    grid, said = _read(raw, {**notes, **notes_in(raw)}, plain_text)
    first = next(number for number, line in enumerate(shown) if number and _FIRST_DELIMITER.fullmatch(line))
    delimiters = {first, *(number for number, line in enumerate(shown) if _is_delimiter(line))}
    width = max(len(cells) for number, cells in enumerate(grid) if number not in delimiters)
    padded = [cells + ("",) * (width - len(cells)) for cells in grid]
    headers = padded[:first]
    kept = [i for i in range(first + 1, len(lines)) if shown[i].strip() and i not in delimiters]
    kept = [i for i in kept if padded[i] not in headers]
    heads = frozenset(place for place, i in enumerate(kept) if i + 1 in delimiters)
    rows = tuple((padded[i], i, lines[i]) for i in kept)
    header = reduce(joined_headers, [without_placeholders(cells) for cells in headers])
    return _Parsed(None, header, "\n".join(lines[:first]), rows, tuple(said[i] for i in kept), heads)


def _parse_drawn(block: Block, drawn: DrawnTable, notes: Notes) -> _Parsed | None:
    if not drawn.rows:
        return None
    lines = block.source.split("\n")
    width = max(len(row.cells) for row in (*drawn.headers, *drawn.rows))
    raw = [row.cells + ("",) * (width - len(row.cells)) for row in (*drawn.headers, *drawn.rows)]
    cells, said = _read(raw, {**notes, **notes_in(raw)}, plain_text)
    count = len(drawn.headers)
    header = reduce(joined_headers, cells[:count]) if count else ("",) * width
    sources = ["\n".join(lines[row.start : row.end]).rstrip("\n") for row in (*drawn.headers, *drawn.rows)]
    rows = zip(cells[count:], (row.start for row in drawn.rows), sources[count:], strict=True)
    title = plain_text(drawn.title) or None
    return _Parsed(title, header, "\n".join(sources[:count]), tuple(rows), tuple(said[count:]))


def _read(
    raw: Sequence[Sequence[str]], notes: Notes, words: Callable[[str], str]
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The words of every cell, and of every row what its marks mean."""
    known = [{} if note_of(cells) else notes for cells in raw]
    pairs = [[marked(cell, of_row) for cell in cells] for cells, of_row in zip(raw, known, strict=True)]
    said = [tuple(dict.fromkeys(note for _, notes_of in row for note in notes_of)) for row in pairs]
    return [tuple(words(cell) for cell, _ in row) for row in pairs], said


def _is_delimiter(line: str) -> bool:
    """A line of `---` alone; cells of one dash say that there is nothing."""
    return bool(_DELIMITER.fullmatch(line))


def _parse_html(source: str, notes: Notes) -> _Parsed | None:
    drawn = parse_html_table(source)
    if drawn is None:
        return None
    (header, *grid), (_, *said) = _read([drawn.header, *drawn.rows], {**notes, **notes_in(drawn.rows)}, without_raised)
    lines = source.split("\n")
    ends = [*drawn.lines[1:], len(lines)][: len(drawn.lines)]
    rows = tuple(
        (cells, start, "\n".join(lines[start : max(end, start + 1)]))
        for cells, start, end in zip(grid, drawn.lines, ends, strict=True)
    )
    header_end = drawn.lines[0] if drawn.lines else len(lines)
    header_source = "\n".join(lines[:header_end])
    return _Parsed(drawn.caption, header, header_source, rows, tuple(said), unspanned=drawn.unspanned)
