"""Tables as they are in the source: found, captioned, with every cell and its line."""

import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from retrieval.ingest.html_tables import parse_html_table, without_raised
from retrieval.ingest.losses import attempt
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
    """The tables of one document. A table's id holds no data cell, so an edited cell leaves it as it is.

    A table that cannot be parsed is not among them, and its block stays text. What its surroundings say of a table is
    left out where the rule for it fails.
    """
    seen: Counter[str] = Counter()
    tables = dict(_tables_in(document, blocks))
    captions = _captions(document, blocks, tables)
    placed = (_place(document, blocks, index, parsed, captions[index], seen) for index, parsed in tables.items())
    return tuple(placed)


def _place(
    document: Document,
    blocks: Sequence[Block],
    index: int,
    parsed: "_Parsed",
    caption: Caption | None,
    seen: Counter[str],
) -> PlacedTable:
    block, words = blocks[index], parsed.caption or (caption.words if caption else None)
    introduced = caption is not None and caption.introduces
    twin = content_id(
        document.book, document.path, *block.heading_path, "" if introduced else words or "", *parsed.header
    )
    seen[twin] += 1
    first = document.first_line + block.lines[0]
    at_table = partial(attempt, document=document.path, line=first)
    table = Table(
        id=content_id(twin, str(seen[twin])),
        book=document.book,
        document=document.path,
        heading_path=block.heading_path,
        caption=words,
        header=parsed.header,
        rows=at_table(
            lambda: _rows(parsed, first),
            lambda: _rows(parsed, first, plain=True),
            "the meaning of a table's ditto marks",
        ),
        lines=(first, document.first_line + block.lines[1] - 1),
        header_source=parsed.header_source,
        introduced=introduced,
        about=at_table(
            lambda: about(blocks, index) if not words else caption.about if caption else "",
            str,
            "the paragraph above a table",
        ),
        purpose=at_table(lambda: purpose_of(blocks, index, caption), str, "the purpose of a table"),
        warning=_UNSPANNED.format(line=first) if parsed.unspanned else "",
    )
    return PlacedTable(table, index, caption.block if caption else None)


def _rows(parsed: "_Parsed", first: int, *, plain: bool = False) -> tuple[TableRow, ...]:
    """The rows of a table that begins on line `first` of the file; if `plain`, with their ditto marks."""
    cells_of_rows = [cells for cells, _, _ in parsed.rows]
    filled = cells_of_rows if plain else without_dittos(cells_of_rows)
    return tuple(
        TableRow(
            cells,
            first + line,
            source,
            underlined=ordinal in parsed.underlined,
            bold=bool(_BOLD_ROW.fullmatch(source)),
            notes=parsed.notes[ordinal],
        )
        for ordinal, ((_, line, source), cells) in enumerate(zip(parsed.rows, filled, strict=True))
    )


def _captions(
    document: Document, blocks: Sequence[Block], tables: Mapping[int, "_Parsed"]
) -> Mapping[int, Caption | None]:
    """What the words around each table call it, by the index of its block; nothing where it says so itself."""
    below = attempt(lambda: labels_below(blocks, tables), frozenset[int], "each label below a table", document.path)
    taken, captions = set(below), dict[int, Caption | None]()
    for index, parsed in tables.items():
        directly_under = index - 1 in captions and _alike(blocks[index - 1], blocks[index])
        above = captions[index - 1] if directly_under else None
        caption = attempt(
            partial(caption_at, blocks, index, above, taken, below),
            lambda: None,
            "the caption of a table",
            document.path,
            document.first_line + blocks[index].lines[0],
        )
        captions[index] = None if parsed.caption else caption
        if captions[index] and caption and caption.block is not None:
            taken.add(caption.block)
    return attempt(
        lambda: with_outer_titles(blocks, captions), lambda: captions, "each outer title of a table", document.path
    )


def _tables_in(document: Document, blocks: Sequence[Block]) -> Iterator[tuple[int, "_Parsed"]]:
    """The tables of a document by the index of their block."""
    everywhere = attempt(lambda: footnotes(blocks), dict[str, str], "each footnote of the document", document.path)
    for index in range(len(blocks)):
        if parsed := _parse_at(document, blocks, index, everywhere):
            yield index, parsed


def _parse_at(document: Document, blocks: Sequence[Block], index: int, everywhere: Notes) -> "_Parsed | None":
    """The table in a block; None if it is none, or cannot be parsed."""
    place = document.path, document.first_line + blocks[index].lines[0]
    below = attempt(lambda: notes_below(blocks, index), dict[str, str], "each note of a table", *place)
    parsed = attempt(lambda: _parse(blocks[index], {**everywhere, **below}), lambda: None, "a table", *place)
    # A heading over no row is a box around words: it stays prose.
    if parsed is None or not any(any(cells) for cells, _, _ in parsed.rows):
        return None
    return attempt(lambda: _headed_by_bold_row(parsed), lambda: parsed, "the bold header of a table", *place)


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
