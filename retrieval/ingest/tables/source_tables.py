"""Tables of the source with all cells and their lines: pipe, HTML, drawn and spaced tables."""

import re
import unicodedata
import uuid
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import accumulate, groupby, pairwise

from retrieval.ingest.losses import attempt
from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.html_tables import parse_html_table, without_raised
from retrieval.ingest.markdown.parser import plain_text, split_row, with_blank_comments
from retrieval.ingest.markdown.spans import BORDER, COLUMNS, is_delimiter, without_marks
from retrieval.ingest.tables.captions import Caption, about, caption_at, purpose_of, with_outer_titles
from retrieval.ingest.tables.definitions import parse_definitions
from retrieval.ingest.tables.header import joined_headers, without_placeholders
from retrieval.ingest.tables.labels import labels_below
from retrieval.ingest.tables.listings import parse_listing
from retrieval.ingest.tables.notes import Notes, footnotes, marked, note_of, notes_below, notes_in
from retrieval.ingest.tables.table import DrawnRow, DrawnTable, Table, TableRow
from retrieval.types import Document

_BORDER = re.compile(r"\s*\+[-=:+]+\+\s*")
_DIRECTIVE = re.compile(r"\s*[`~:]{3,}\s*\{list-table\}\s*(?P<title>.*)")
_HEADER_ROWS = re.compile(r"\s*:header-rows:\s*(?P<count>\d{1,3})\s*")
_ROW = re.compile(r"(?P<margin>\s*)\*\s+-(?P<words>\s.*|$)")
_CELL = re.compile(r"\s*-(?P<words>\s.*|$)")


def is_grid(source: str) -> bool:
    """Whether lines are between two borders like `+---+---+`."""
    lines = source.rstrip().split("\n")
    return len(lines) > 2 and bool(_BORDER.fullmatch(lines[0])) and bool(_BORDER.fullmatch(lines[-1]))


def is_list_table(source: str) -> bool:
    """Whether a block is the directive `{list-table}`."""
    return bool(_DIRECTIVE.match(source))


def parse_grid(source: str) -> DrawnTable:
    """Parse a grid; its header ends at a border of `=`, if it has one. A cell over several columns fills the first."""
    lines = source.rstrip().split("\n")
    corners = [position for position, sign in enumerate(lines[0]) if sign == "+"]
    rows: list[DrawnRow] = []
    n_headers, start = 0, 1
    for number, line in enumerate(lines[1:], start=1):
        if not _BORDER.fullmatch(line):
            continue
        if number > start:
            rows.append(DrawnRow(_drawn_cells(lines[start:number], corners), start, number))
        if "=" in line:
            n_headers = len(rows)
        start = number + 1
    return DrawnTable("", tuple(rows[:n_headers]), tuple(rows[n_headers:]))


def _drawn_cells(lines: list[str], corners: list[int]) -> tuple[str, ...]:
    words: list[list[str]] = [[] for _ in corners[1:]]
    for line in lines:
        walls = [corner for corner in corners if line[corner : corner + 1] == "|"]
        for left, right in pairwise(walls):
            words[corners.index(left)].append(line[left + 1 : right].strip())
    return tuple(" ".join(filter(None, cell)) for cell in words)


def parse_list_table(source: str) -> DrawnTable:
    """Parse a list of lists; `:header-rows:` is the number of its header rows."""
    lines = source.split("\n")
    match = _DIRECTIVE.match(lines[0])
    rows: list[tuple[int, list[str]]] = []
    n_headers, end = 0, len(lines)
    for number, line in enumerate(lines[1:], start=1):
        if re.fullmatch(r"\s*[`~:]{3,}\s*", line):
            end = number
        elif not rows and (option := _HEADER_ROWS.fullmatch(line)):
            n_headers = int(option["count"])
        elif row := _ROW.match(line):
            rows.append((number, [row["words"].strip()]))
        elif rows and (cell := _CELL.match(line)):
            rows[-1][1].append(cell["words"].strip())
        elif rows and line.strip():
            rows[-1][1][-1] += f" {line.strip()}"
    ends = [*(start for start, _ in rows[1:]), end]
    made = [DrawnRow(tuple(cells), start, stop) for (start, cells), stop in zip(rows, ends, strict=True)]
    return DrawnTable(match["title"].strip() if match else "", tuple(made[:n_headers]), tuple(made[n_headers:]))


_GAP = re.compile(r" {2,}")
_WIDE = frozenset("WF")


def is_spaced(source: str) -> bool:
    """Whether a line of dashes marks the columns of a table."""
    return any(map(COLUMNS.fullmatch, source.split("\n")))


def parse_spaced(source: str) -> DrawnTable:
    """Parse a table aligned with spaces. A row is a line, or all lines up to the next blank one if there are any."""
    lines = [line.expandtabs() for line in source.rstrip().split("\n")]
    ruled = next(number for number, line in enumerate(lines) if COLUMNS.fullmatch(line))
    begins = [match.start() for match in re.finditer("-+", lines[ruled])]
    top = 1 if BORDER.fullmatch(lines[0]) else 0
    end = len(lines) - bool(BORDER.fullmatch(lines[-1]) or COLUMNS.fullmatch(lines[-1]))
    header = (_row(lines, begins, top, ruled),) if ruled > top else ()
    return DrawnTable("", header, tuple(_spaced_rows(lines, begins, ruled + 1, end)))


def _spaced_rows(lines: Sequence[str], begins: Sequence[int], start: int, end: int) -> Iterator[DrawnRow]:
    parted = any(not line.strip() for line in lines[start:end])
    for blank, numbers in groupby(range(start, end), key=lambda number: not lines[number].strip()):
        run = list(numbers)
        if blank:
            continue
        if parted:
            yield _row(lines, begins, run[0], run[-1] + 1)
        else:
            yield from (_row(lines, begins, number, number + 1) for number in run)


def _row(lines: Sequence[str], begins: Sequence[int], start: int, end: int) -> DrawnRow:
    cut = [_spaced_cells(line, begins) for line in lines[start:end]]
    return DrawnRow(tuple(" ".join(filter(None, parts)) for parts in zip(*cut, strict=True)), start, end)


def _spaced_cells(line: str, begins: Sequence[int]) -> tuple[str, ...]:
    """Return the words of each column. A line that does not fit them is split at double spaces if possible."""
    for width in (_columns, len):
        places = _places(line, begins[1:], width)
        if not any(_is_amid(line, position) for position in places):
            return _cut(line, places)
    apart = _GAP.split(line.strip())
    if len(apart) == len(begins):
        return tuple(apart)
    return _cut(line, [_before_word(line, position) for position in places])


def _cut(line: str, places: Sequence[int]) -> tuple[str, ...]:
    return tuple(line[left:right].strip() for left, right in pairwise((0, *places, len(line))))


def _places(line: str, columns: Sequence[int], width: Callable[[str], int]) -> list[int]:
    """Return the index of the first character at or after each column, in one pass over the line."""
    ends = list(accumulate(map(width, line), initial=0))
    return [min(bisect_left(ends, column), len(line)) for column in columns]


def _columns(sign: str) -> int:
    """Return the columns that a character occupies: two for an emoji or a Chinese one, none for a combining accent."""
    return 0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in _WIDE)


def _is_amid(line: str, offset: int) -> bool:
    return bool(line[offset - 1 : offset].strip() and line[offset : offset + 1].strip())


def _before_word(line: str, offset: int) -> int:
    while _is_amid(line, offset):
        offset -= 1
    return offset


_DITTO = re.compile(r"[-–—\s]*(?:[\"”“″〃]|''|,,)[-–—\s]*|(?:do|dto|ditto|id|idem)\.|ditto|idem", re.IGNORECASE)
_MERGED = "^^"
"""`^^` merges a cell with the one above, in MultiMarkdown and similar dialects."""
_WORD = re.compile(r"[^\W\d_]{2}")
"""Words that must be above a ditto mark: in a list of characters, `"` means itself."""


def without_dittos(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a table, with each ditto mark replaced by the cell that it repeats.

    Args:
        rows: cells from top to bottom, equally many in each row.
    """
    dittos: list[tuple[str, ...]] = []
    for cells in rows:
        above = dittos[-1] if dittos else ("",) * len(cells)
        dittos.append(tuple(over if _repeats(cell, over) else cell for cell, over in zip(cells, above, strict=True)))
    return tuple(dittos)


def _repeats(cell: str, above: str) -> bool:
    if cell.strip() == _MERGED:
        return any(map(str.isalnum, above))
    return bool(_DITTO.fullmatch(cell.strip()) and _WORD.search(above))


NAMESPACE = uuid.UUID("6f1f4d0e-6c0c-5a55-9d7b-5b0f2a1f7c11")
"""Namespace of every id of the project; changing it changes all ids."""
_UNSPANNED = (
    "the table on line {line} has rowspan or colspan for far more cells than it has words; each counts as 1: write the "
    "spans that it has"
)
_WIDER = (
    "the table on line {line} has rows of {cells} cells below a header of {columns}: name every column, or write a | "
    "that is text as \\|"
)
_BOLD_ROW = re.compile(r"[\s|>]*(?:(?:\*\*|__)[^|]+(?:\*\*|__)[\s|]*)+")
_MARGIN = re.compile(r"[ \t>]*")
_SEPARATOR = re.compile(r"(?=.*(?:---|:-|-:))[\s|]*(?:(?::?-{2,}:?|:-:?|-:)\s*(?:\|[\s|]*|$))+")


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table and its blocks in the document."""

    table: Table
    block: int
    caption_block: int | None
    """Index of the block whose last line is the caption."""
    stays_text: bool = False
    """Whether the block also remains text, beside its rows."""


def content_id(*parts: str) -> str:
    """Return the UUIDv5 of the parts, in order."""
    return str(uuid.uuid5(NAMESPACE, "\x1f".join(parts)))


def place_tables(document: Document, blocks: Sequence[Block]) -> tuple[PlacedTable, ...]:
    """Return the tables of one document. A table's id does not depend on data cells, so editing one does not change it.

    A table that cannot be parsed is omitted, and its block remains text. If a rule about a table's surroundings fails,
    its result is omitted.
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
        warning=parsed.warning.format(line=first),
    )
    return PlacedTable(table, index, caption.block if caption else None, stays_text=parsed.stays_text)


def _rows(parsed: "_Parsed", first: int, *, plain: bool = False) -> tuple[TableRow, ...]:
    """Return the rows of a table that begins on line `first` of the file; if `plain`, with their ditto marks."""
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
    """Return the caption in the words around each table, by the index of its block; None if it has its own."""
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
    """Yield the tables of a document with the index of their block."""
    everywhere = attempt(lambda: footnotes(blocks), dict[str, str], "each footnote of the document", document.path)
    for index in range(len(blocks)):
        if parsed := _parse_at(document, blocks, index, everywhere):
            yield index, parsed


def _parse_at(document: Document, blocks: Sequence[Block], index: int, everywhere: Notes) -> "_Parsed | None":
    """Return the table in a block; None if it is not a table or cannot be parsed."""
    key = document.path, document.first_line + blocks[index].lines[0]
    below = attempt(lambda: notes_below(blocks, index), dict[str, str], "each note of a table", *key)
    parsed = attempt(lambda: _parse(blocks[index], {**everywhere, **below}), lambda: None, "a table", *key)
    # A header without rows is a box around words, and remains prose.
    if parsed is None or not any(any(cells) for cells, _, _ in parsed.rows):
        return None
    headed = attempt(lambda: _headed_by_bold_row(parsed), lambda: parsed, "the bold header of a table", *key)
    return attempt(lambda: _with_halves_below(headed), lambda: headed, "the parts of a table side by side", *key)


def _headed_by_bold_row(parsed: "_Parsed") -> "_Parsed":
    """Make a first row with only bold cells, above one that is not bold, the header if the table's header is blank."""
    bold = [bool(_BOLD_ROW.fullmatch(source)) for _, _, source in parsed.rows[:2]]
    if any(parsed.header) or bold != [True, False] or len(parsed.header) < 2 or not all(parsed.rows[0][0]):
        return parsed
    header, _, source = parsed.rows[0]
    underlined = frozenset(position - 1 for position in parsed.underlined if position)
    return replace(
        parsed,
        header=header,
        header_source=f"{parsed.header_source}\n{source}".lstrip("\n"),
        rows=parsed.rows[1:],
        notes=parsed.notes[1:],
        underlined=underlined,
    )


def _with_halves_below(parsed: "_Parsed") -> "_Parsed":
    """Put the parts of a table below one another if its header repeats: `CR | XP | CR | XP`, with or without blank
    columns between them."""
    rows = [cells for cells, _, _ in parsed.rows]
    filled = [position for position, name in enumerate(parsed.header) if name or any(row[position] for row in rows)]
    width = _period([parsed.header[position] for position in filled])
    if width == len(filled) or parsed.underlined:
        return parsed
    parts = [filled[start : start + width] for start in range(0, len(filled), width)]
    below = [
        ((tuple(cells[position] for position in part), line, source), notes)
        for part in parts
        for (cells, line, source), notes in zip(parsed.rows, parsed.notes, strict=True)
    ]
    below = [(row, notes) for row, notes in below if any(row[0])]
    return replace(
        parsed,
        header=tuple(parsed.header[position] for position in parts[0]),
        rows=tuple(row for row, _ in below),
        notes=tuple(notes for _, notes in below),
    )


def _period(header: Sequence[str]) -> int:
    """Return the number of columns after which the names of a header repeat; its width if they do not."""
    for period in range(2, len(header) // 2 + 1):
        times, rest = divmod(len(header), period)
        if not rest and list(header[:period]) * times == list(header) and len(set(header)) > 1:
            return period
    return len(header)


def _alike(one: Block, other: Block) -> bool:
    """Whether two blocks are at the same depth of lists and quotations."""
    margins = [_MARGIN.match(block.source) for block in (one, other)]
    return len({match[0] for match in margins if match}) == 1


@dataclass(frozen=True, slots=True)
class _Parsed:
    caption: str | None
    header: tuple[str, ...]
    header_source: str
    rows: tuple[tuple[tuple[str, ...], int, str], ...]
    notes: tuple[tuple[str, ...], ...]
    """The notes to which the marks in each row refer."""
    underlined: frozenset[int] = frozenset()
    """Positions of rows with a delimiter line below them."""
    warning: str = ""
    """What could not be read as written, with `{line}` in place of its line; empty if all was."""
    stays_text: bool = False
    """Whether the block also remains text."""


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
    listing = parse_listing(block.source) or parse_definitions(block.source) if block.kind == "text" else None
    parsed = _parse_drawn(block, listing, notes) if listing else None
    return replace(parsed, stays_text=True) if parsed else None


def _parse_pipes(source: str, notes: Notes) -> _Parsed:
    lines = source.split("\n")
    shown = without_marks(with_blank_comments(source)).split("\n")
    first = next((number for number, line in enumerate(shown) if is_delimiter(line)), -1)
    n_headers = max(first, 0)
    columns = len(split_row(shown[max(first - 1, 0)]))
    raw = [split_row(line, columns) for line in shown]
    grid, notes_of_rows = _read(raw, {**notes, **notes_in(raw)}, plain_text)
    delimiters = {first, *(number for number, line in enumerate(shown) if _separates_rows(line))}
    width = max(len(cells) for number, cells in enumerate(grid) if number not in delimiters)
    padded = [cells + ("",) * (width - len(cells)) for cells in grid]
    headers = padded[:n_headers]
    kept = [i for i in range(first + 1, len(lines)) if shown[i].strip() and i not in delimiters]
    kept = [i for i in kept if padded[i] not in headers]
    heads = frozenset(position for position, i in enumerate(kept) if i + 1 in delimiters)
    rows = tuple((padded[i], i, lines[i]) for i in kept)
    header = reduce(joined_headers, [without_placeholders(cells) for cells in headers or [("",) * width]])
    filled = max((column for i in kept for column, cell in enumerate(padded[i], start=1) if cell), default=0)
    warning = _WIDER.format(line="{line}", cells=filled, columns=columns) if headers and filled > columns else ""
    notes_of_kept = tuple(notes_of_rows[i] for i in kept)
    return _Parsed(None, header, "\n".join(lines[:n_headers]), rows, notes_of_kept, heads, warning)


def _parse_drawn(block: Block, drawn: DrawnTable, notes: Notes) -> _Parsed | None:
    if not drawn.rows:
        return None
    lines = block.source.split("\n")
    width = max(len(row.cells) for row in (*drawn.headers, *drawn.rows))
    raw = [row.cells + ("",) * (width - len(row.cells)) for row in (*drawn.headers, *drawn.rows)]
    cells, notes_of_rows = _read(raw, {**notes, **notes_in(raw)}, plain_text)
    count = len(drawn.headers)
    header = reduce(joined_headers, cells[:count]) if count else ("",) * width
    sources = ["\n".join(lines[row.start : row.end]).rstrip("\n") for row in (*drawn.headers, *drawn.rows)]
    rows = zip(cells[count:], (row.start for row in drawn.rows), sources[count:], strict=True)
    title = plain_text(drawn.title) or None
    return _Parsed(title, header, "\n".join(sources[:count]), tuple(rows), tuple(notes_of_rows[count:]))


def _read(
    raw: Sequence[Sequence[str]], notes: Notes, words: Callable[[str], str]
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return the words of every cell, and the notes to which the marks of every row refer."""
    known = [{} if note_of(cells) else notes for cells in raw]
    pairs = [[marked(cell, of_row) for cell in cells] for cells, of_row in zip(raw, known, strict=True)]
    notes_of_rows = [tuple(dict.fromkeys(note for _, notes_of in row for note in notes_of)) for row in pairs]
    return [tuple(words(cell) for cell, _ in row) for row in pairs], notes_of_rows


def _separates_rows(line: str) -> bool:
    """Whether a line below the header is a delimiter like `---`; cells with a single dash are blank values."""
    return bool(_SEPARATOR.fullmatch(line))


def _parse_html(source: str, notes: Notes) -> _Parsed | None:
    drawn = parse_html_table(source)
    if drawn is None:
        return None
    (header, *grid), (_, *terms) = _read([drawn.header, *drawn.rows], {**notes, **notes_in(drawn.rows)}, without_raised)
    lines = source.split("\n")
    ends = [*drawn.lines[1:], len(lines)][: len(drawn.lines)]
    rows = tuple(
        (cells, start, "\n".join(lines[start : max(end, start + 1)]))
        for cells, start, end in zip(grid, drawn.lines, ends, strict=True)
    )
    header_end = drawn.lines[0] if drawn.lines else len(lines)
    header_source = "\n".join(lines[:header_end])
    return _Parsed(drawn.caption, header, header_source, rows, tuple(terms), warning=_UNSPANNED * drawn.unspanned)
