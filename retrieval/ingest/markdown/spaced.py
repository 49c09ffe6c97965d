"""Where the tables are whose columns are lined up with spaces under a line of dashes, as Pandoc writes them."""

import re
from collections.abc import Iterator, Sequence

from retrieval.ingest.markdown.parser import block_tokens

COLUMNS = re.compile(r" {0,3}-{2,}(?: +-{2,})+[ \t]*")
"""`------ ---- ----`: a run of dashes for each column."""
BORDER = re.compile(r" {0,3}-{4,}[ \t]*")
"""`------------`: the line above and below a table whose rows take several lines."""
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_ANY_COLUMNS = re.compile(rf"^{COLUMNS.pattern}$", re.MULTILINE)
MAX_HEADER_LINES = 3
"""Lines of a header without a border above it; more of them are prose."""


def spaced_tables(text: str) -> tuple[tuple[int, int], ...]:
    """The lines of each such table at the top level of a document: 0-based, the end exclusive, in order."""
    if not _ANY_COLUMNS.search(text):
        return ()
    lines = text.split("\n")
    # What looks like it in code, in a list or in a quotation is no line of its own there.
    ruled = [token.map[0] for token in block_tokens(text) if token.type == "hr" and not token.level and token.map]
    return tuple(_found(lines, [place for place in ruled if COLUMNS.fullmatch(lines[place])]))


def _found(lines: Sequence[str], ruled: Sequence[int]) -> Iterator[tuple[int, int]]:
    done = 0
    for place in ruled:
        table = _around(lines, place, done) if place >= done else None
        if table and any(_is_in_two(line, lines[place]) for line in lines[slice(*table)] if not _is_ruled(line)):
            yield table
            done = table[1]


def _around(lines: Sequence[str], ruled: int, done: int) -> tuple[int, int] | None:
    """The table of a line of dashes that is no earlier table's last line."""
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
    return bool(line.strip()) and not _HEADING.match(line) and not _is_ruled(line)


def _is_ruled(line: str) -> bool:
    return bool(COLUMNS.fullmatch(line) or BORDER.fullmatch(line))


def _closed(lines: Sequence[str], start: int, closing: re.Pattern[str]) -> int:
    """The line after the one that ends a table; 0 if a heading or two blank lines come before it."""
    for place in range(start, len(lines)):
        if _is_ruled(lines[place]):
            return place + 1 if place > start and closing.fullmatch(lines[place]) else 0
        if _HEADING.match(lines[place]) or not any(line.strip() for line in lines[place : place + 2]):
            return 0
    return 0


def _is_across(line: str, ruled: str) -> bool:
    """Whether a word of a line lies across the place where a column begins."""
    return any(line[place - 1 : place].strip() and line[place : place + 1].strip() for place in _begins(ruled))


def _is_in_two(line: str, ruled: str) -> bool:
    """Whether a line has words in two columns or more."""
    return any(line[:place].strip() and line[place:].strip() for place in _begins(ruled))


def _begins(ruled: str) -> list[int]:
    """Where the columns after the first begin."""
    return [match.start() for match in re.finditer(r"-+", ruled)][1:]
