"""Spans of lines of a markdown text, including tables aligned with spaces."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from retrieval.ingest.markdown.boxes import box_of
from retrieval.ingest.markdown.parser import HEADING_MARK, PIPE, Token, block_tokens, split_row

BlockKind = Literal["heading", "table", "html", "text"]

_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})
_CONTAINERS = _LISTS | {"blockquote_open", "dl_open"}
_MARGIN = re.compile(r"^[ \t]*(?:>[ \t]*)*")
_NO_LANGUAGE = frozenset({"", "text", "txt", "plain", "plaintext"})
"""Languages of fences that do not contain code."""
_DELIMITER = re.compile(r"(?=[^\n]*-)[-:|+ \t]+")
_MARK = re.compile(r"^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]*")
"""The mark of the first line of an item."""
_ITEM = re.compile(r"^(?:(?:[-+*]|\d{1,9}[.)]|>)[ \t]+)+")


_DASHES = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)*\s*:?-{2,}:?\s*\|?\s*")
"""A delimiter row with at least one run of two dashes: cells with a single `-` mean that there is no value."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of lines of one kind, the end exclusive."""

    kind: BlockKind
    level: int
    """1 to 6 for a heading, 0 otherwise."""
    start: int
    end: int
    source: str
    is_paragraph: bool = False
    """Whether a text is running text rather than a list, a quotation or code."""


_INDENTED = re.compile(r" {0,3}\t| {4}")
"""The beginning of a line of code."""


def spans_of(text: str, first: int = 0) -> Iterator[Span]:
    """Yield the spans of a text in reading order.

    Args:
        text: whole lines.
        first: the number of its first line.
    """
    lines = text.split("\n")
    tokens = block_tokens("\n".join(_with_delimiters_counted(lines)) if "|" in text else text)
    done = 0
    for index, token in enumerate(tokens):
        if token.level or not token.map or token.nesting < 0 or token.map[0] < done:
            continue
        start, end = token.map
        box = box_of(lines[start]) if token.type == "paragraph_open" else None
        if box and box.is_indented:
            done = _indented_end(lines, start)
            yield _span(lines, "text", start, start + 1, first)
            yield from _inside(lines, start + 1, done, first)
            yield from _filled(lines, done, end, first)
        elif token.type == "table_open":
            yield from _table(lines, start, end, first)
        elif _is_fenced_table(token, lines):
            yield from _table(lines, start + 1, end - 1, first)
        elif _is_indented_table(token):
            yield from _inside(lines, start, end, first)
        elif _is_raw_html(token, lines):
            yield _span(lines, "html", start + 1, end - 1, first)
        elif token.type in _CONTAINERS:
            inside = list(takewhile(lambda token: token.level > 0, tokens[index + 1 :]))
            divided = _list if token.type in _LISTS else _container
            yield from divided(lines, inside, start, end, first)
        else:
            yield _span(lines, _kind(token), start, end, first, _level(token), running=token.type == "paragraph_open")


def _with_delimiters_counted(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines; a line of dashes below a row is changed to have as many columns as the row, and rows below it
    that would be code because of their indentation are moved to the left.

    In GFM, there is no table if the numbers differ, and `- | -` is a list; kramdown, PHP Markdown Extra and authors
    are less strict.
    """
    in_table = False
    for above, line, below in zip(("", *lines), lines, (*lines[1:], ""), strict=False):
        dashes = _bare(line)
        is_below_row = "|" in line and "|" in above and "|" in below and is_delimiter(dashes)
        n_columns = len(split_row(_bare(above))) if is_below_row else 0
        in_table = "|" in line and (in_table or (is_below_row and not _INDENTED.match(line)))
        if in_table and _INDENTED.match(line):
            yield line.lstrip()
        elif n_columns < 2 or _parts(dashes, n_columns):
            yield line
        else:
            yield f"{line.removesuffix(dashes)}|{'---|' * n_columns}"


def is_delimiter(line: str) -> bool:
    """Whether a line without marks of quotations can be the one between a header and its rows, in any dialect."""
    return bool(_DELIMITER.fullmatch(line))


def _parts(dashes: str, n_columns: int) -> bool:
    parts = split_row(dashes)
    whole = all(part.strip() and " " not in part.strip() for part in parts)
    return len(parts) == n_columns and whole and not dashes.startswith("- ")


def without_marks(markup: str) -> str:
    """Return lines without indentation, marks of quotations and `:::` of boxes, the first also without a list mark.

    `:::info Ports` is kept because it has words.
    """
    return _ITEM.sub("", "\n".join(line for line in map(_bare, markup.split("\n")) if not _is_fence(line)))


def _is_fence(line: str) -> bool:
    box = box_of(line) if line.startswith(":::") else None
    return box is not None and not box.title


def _bare(line: str) -> str:
    return _MARGIN.sub("", line, count=1)


def _span(
    lines: Sequence[str], kind: BlockKind, start: int, end: int, first: int, level: int = 0, *, running: bool = False
) -> Span:
    return Span(kind, level, first + start, first + end, "\n".join(lines[start:end]), running)


def _kind(token: Token) -> BlockKind:
    if token.type == "heading_open":
        return "heading"
    return "html" if token.type == "html_block" else "text"


def _level(token: Token) -> int:
    return int(token.tag[1]) if token.type == "heading_open" else 0


def _indented_end(lines: Sequence[str], start: int) -> int:
    end = start + 1
    while end < len(lines) and (lines[end].startswith(("    ", "\t")) or not lines[end].strip()):
        end += 1
    return end


def _inside(lines: Sequence[str], start: int, end: int, first: int) -> Iterator[Span]:
    """Yield the spans of a box or of indented text, each with its source as it is in the document."""
    yield from _dedented(
        lines, [line.removeprefix("\t").removeprefix("    ") for line in lines[start:end]], start, first
    )


def _dedented(lines: Sequence[str], inner: Sequence[str], start: int, first: int) -> Iterator[Span]:
    for span in spans_of("\n".join(inner), first + start):
        yield replace(span, source="\n".join(lines[span.start - first : span.end - first]))


def _is_raw_html(token: Token, lines: Sequence[str]) -> bool:
    """Whether a fence contains raw HTML in Pandoc's notation."""
    if token.type != "fence" or not token.map or token.info.strip().lower() != "{=html}":
        return False
    return lines[token.map[1] - 1].strip().startswith(token.markup)


def _is_fenced_table(token: Token, lines: Sequence[str]) -> bool:
    """Whether a fence without a language contains exactly one pipe table."""
    if token.type != "fence" or not token.map or token.info.strip().lower() not in _NO_LANGUAGE:
        return False
    start, end = token.map
    inside = [inner for inner in block_tokens(token.content) if not inner.level and inner.nesting >= 0]
    closed = lines[end - 1].strip().startswith(token.markup)
    return (
        closed
        and end > start + 4
        and [inner.type for inner in inside] == ["table_open"]
        and all(PIPE.search(line) for line in lines[start + 1 : end - 1] if line.strip())
    )


def _is_indented_table(token: Token) -> bool:
    """Whether an indented block contains a pipe table, as in components of MDX and tabs: it is text, not code."""
    is_code = token.type == "code_block" and "|" in token.content
    return is_code and any(inner.type == "table_open" for inner in block_tokens(token.content))


def _table(lines: Sequence[str], start: int, end: int, first: int) -> Iterator[Span]:
    """Yield a table, which ends at a line without a pipe (a row on GitHub): a note, a caption or a mark like `:::`."""
    stop = next((number for number in range(start + 2, end) if not PIPE.search(lines[number])), end)
    yield _span(lines, "table", start, stop, first)
    if stop < end:
        yield from spans_of("\n".join(map(_bare, lines[stop:end])), first + stop)


def _list(lines: Sequence[str], inside: Sequence[Token], start: int, end: int, first: int) -> Iterator[Span]:
    """Yield a list, with separate spans for the content of each item that contains a table, a tab or a line across.

    In MkDocs, a page may consist of such items: `-   **Limits**`, then a tab with a table.
    """
    apart = [token.map[0] for token in inside if token.map and _is_apart(token, lines)]
    done = start
    for top, below in (item.map for item in inside if item.level == 1 and item.map):
        if any(top <= line < below for line in apart):
            yield from _filled(lines, done, top, first)
            for span in _dedented(lines, list(_item(lines[top:below])), top, first):
                # A heading of an item does not head what is below the list.
                yield replace(span, kind="text", level=0) if span.level else span
            done = below
    yield from _filled(lines, done, end, first)


def _is_apart(token: Token, lines: Sequence[str]) -> bool:
    if token.type == "paragraph_open" and token.map:
        box = box_of(lines[token.map[0]].strip())
        return box is not None and box.is_tab
    return token.type in ("table_open", "hr") or _is_indented_table(token)


def _item(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of an item without its mark, and without the indentation that its second line has."""
    first = lines[0].expandtabs(4)
    width = len(first) - len(_MARK.sub("", first))
    shown = [line.expandtabs(4) if line.startswith((" ", "\t")) else line for line in lines[1:]]
    width = max(width, next((_indentation(line) for line in shown if line.strip()), 0))
    yield _MARK.sub("", lines[0])
    yield from (line[min(width, _indentation(line)) :] for line in shown)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _container(lines: Sequence[str], inside: Sequence[Token], start: int, end: int, first: int) -> Iterator[Span]:
    """Yield a quotation divided at its tables. The paragraph directly above a table may introduce it."""
    kinds = Counter(token.type for token in inside)
    if not kinds["table_open"]:
        # A list of one term may be a paragraph above the caption of a table, which Pandoc begins with a colon.
        is_caption = kinds["dt_open"] == 1
        cuts = [token.map[0] for token in inside if token.type == "dd_open" and token.map] if is_caption else []
        for top, below in zip((start, *cuts), (*cuts, end), strict=True):
            yield from _filled(lines, top, below, first, running=is_caption)
        return
    done, paragraph = start, (start, start)
    for token in inside:
        top, below = token.map or (0, 0)
        if token.type == "paragraph_open":
            paragraph = (top, below)
        elif token.type == "table_open":
            blank = not any(_bare(line).strip() for line in lines[paragraph[1] : top])
            cut = paragraph[0] if blank and paragraph[0] >= done and paragraph[1] > paragraph[0] else top
            yield from _filled(lines, done, cut, first)
            yield from _filled(lines, cut, top, first, running=True)
            yield from _table(lines, top, below, first)
            done = below
    yield from _filled(lines, done, end, first)


def _filled(lines: Sequence[str], start: int, end: int, first: int, *, running: bool = False) -> Iterator[Span]:
    filled = [number for number in range(start, end) if _bare(lines[number]).strip()]
    if filled:
        yield _span(lines, "text", filled[0], filled[-1] + 1, first, running=running)


def with_rows_apart(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans, with the rows of each pipe table without a delimiter line as a table, as in kramdown."""
    for span in spans:
        done, lines = 0, span.source.split("\n")
        for start, end in _runs_of_rows(span.source) if span.kind == "text" and "|" in span.source else ():
            if any(line.strip() for line in lines[done:start]):
                yield _part(span, lines, done, start)
            yield replace(_part(span, lines, start, end), kind="table", is_paragraph=False)
            done = end
        if not done:
            yield span
        elif any(line.strip() for line in lines[done:]):
            yield _part(span, lines, done, len(lines))


def _part(span: Span, lines: Sequence[str], start: int, end: int) -> Span:
    return replace(span, start=span.start + start, end=span.start + end, source="\n".join(lines[start:end]))


def _runs_of_rows(source: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of each table within the paragraphs of a text: 0-based, the end exclusive."""
    shown = [_bare(line).strip() for line in source.split("\n")]
    for token in block_tokens(source):
        start, end = token.map if token.type == "paragraph_open" and token.map else (0, 0)
        if any(line.startswith("+") for line in shown[start:end]):
            continue  # a grid, or a drawing
        while start < end:
            stop = start
            while stop < end and PIPE.search(shown[stop]):
                stop += 1
            if stop > start and shown[start].startswith("|") and _is_table(shown[start:stop]):
                yield start, stop
            start = max(stop, start + 1)


def _is_table(rows: Sequence[str]) -> bool:
    """Whether rows begin with a delimiter line, or two of them are closed and have the same number of cells."""
    closed = [len(split_row(row)) for row in rows if row.startswith("|") and row.endswith("|")]
    counts = Counter(count for count in closed if count > 1)
    begins = len(rows) > 1 and bool(_DASHES.fullmatch(rows[0])) and len(split_row(rows[0])) > 1
    return begins or max(counts.values(), default=0) > 1


COLUMNS = re.compile(r" {0,3}-{2,}(?: +-{2,})+[ \t]*")
"""`------ ---- ----`: a run of dashes for each column."""
BORDER = re.compile(r" {0,3}-{4,}[ \t]*")
"""`------------`: the line above and below a table with multi-line rows."""
_ANY_COLUMNS = re.compile(rf"^{COLUMNS.pattern}$", re.MULTILINE)
MAX_HEADER_LINES = 3
"""Most lines of a header without a border above it; more are prose."""


def spaced_tables(text: str) -> tuple[tuple[int, int], ...]:
    """Return the lines of each table aligned with spaces at the top level: 0-based, the end exclusive, in order."""
    if not _ANY_COLUMNS.search(text):
        return ()
    lines = text.split("\n")
    # Similar lines in code, lists and quotations do not begin a table.
    ruled = [token.map[0] for token in block_tokens(text) if token.type == "hr" and not token.level and token.map]
    return tuple(_found(lines, [position for position in ruled if COLUMNS.fullmatch(lines[position])]))


def _found(lines: Sequence[str], ruled: Sequence[int]) -> Iterator[tuple[int, int]]:
    done = 0
    for position in ruled:
        table = _around(lines, position, done) if position >= done else None
        if table and any(_is_in_two(line, lines[position]) for line in lines[slice(*table)] if not _is_ruled(line)):
            yield table
            done = table[1]


def _around(lines: Sequence[str], ruled: int, done: int) -> tuple[int, int] | None:
    """Return the table around a line of dashes that is not the last line of an earlier table; None if there is none."""
    start = ruled
    while start > done and _is_words(lines[start - 1]):
        start -= 1
    bordered = start > done and bool(BORDER.fullmatch(lines[start - 1]))
    if bordered and start < ruled:
        end = _closed(lines, ruled + 1, BORDER)
        return (start - 1, end) if end else None
    if start == ruled:
        end = _closed(lines, ruled + 1, COLUMNS)
        return (start, end) if end else None
    fits = not any(_is_across(line, lines[ruled]) for line in lines[start:ruled])
    if not fits or ruled - start > MAX_HEADER_LINES:
        return None
    below = ruled + 1
    while below < len(lines) and _is_words(lines[below]):
        below += 1
    closes = below < len(lines) and bool(COLUMNS.fullmatch(lines[below]) or BORDER.fullmatch(lines[below]))
    return (start, below + closes) if below > ruled + 1 else None


def _is_words(line: str) -> bool:
    return bool(line.strip()) and not HEADING_MARK.match(line) and not _is_ruled(line)


def _is_ruled(line: str) -> bool:
    return bool(COLUMNS.fullmatch(line) or BORDER.fullmatch(line))


def _closed(lines: Sequence[str], start: int, closing: re.Pattern[str]) -> int:
    """Return the line after the one that ends a table; 0 if a heading or two blank lines come before it."""
    for number in range(start, len(lines)):
        if _is_ruled(lines[number]):
            return number + 1 if number > start and closing.fullmatch(lines[number]) else 0
        if HEADING_MARK.match(lines[number]) or not any(line.strip() for line in lines[number : number + 2]):
            return 0
    return 0


def _is_across(line: str, ruled: str) -> bool:
    """Whether a word of a line extends across the beginning of a column."""
    return any(line[begin - 1 : begin].strip() and line[begin : begin + 1].strip() for begin in _begins(ruled))


def _is_in_two(line: str, ruled: str) -> bool:
    """Whether a line has words in two or more columns."""
    return any(line[:begin].strip() and line[begin:].strip() for begin in _begins(ruled))


def _begins(ruled: str) -> list[int]:
    """Return the beginnings of the columns after the first."""
    return [match.start() for match in re.finditer(r"-+", ruled)][1:]
