"""Notes under a table, and their marks in its cells."""

import re
from collections.abc import Iterator, Mapping, Sequence

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.parser import plain_text
from retrieval.ingest.tables.labels import label_of

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SYMBOL = r"(?:\\?\*){1,4}|[†‡§¶]{1,3}"
_MARK = re.compile(
    rf"""
    \s?\[\^(?P<foot>[^\[\]\s]+)\]
    | \s?<sup>\s*[\[(]?(?P<raised>\w{{1,3}}|{_SYMBOL})[\])]?\s*</sup>
    | \s?\\?\[(?P<bracket>\d{{1,2}}|[a-z]|{_SYMBOL})\\?\](?![(:\[])
    | (?P<small>[{_RAISED}]{{1,2}})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SYMBOL_BEHIND = re.compile(rf"(?:^|(?<=[^\s*\\]))\s?(?P<symbol>{_SYMBOL})\s*$")
_NOTE = re.compile(
    rf"""
    (?:[-+]\s+)?[_*]{{0,2}}?
    (?: \[\^(?P<foot>[^\[\]\s]+)\]:
      | \\?\[(?P<bracket>\d{{1,2}}|[a-z]|{_SYMBOL})\\?\][:.]?
      | <sup>\s*[\[(]?(?P<raised>\w{{1,3}}|{_SYMBOL})[\])]?\s*</sup>
      | (?P<small>[{_RAISED}]{{1,2}})
      | (?P<number>\d{{1,2}})[.)](?=\s)
      | (?P<symbol>(?:\\\*){{1,4}}|[†‡§¶]{{1,3}}|(?<!\*)\*{{1,4}}(?=\s))
    )
    \s*(?P<text>\S.*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TITLE = re.compile(r"[*_]{0,3}(?:foot)?notes?[.:]*[*_]{0,3}:?", re.IGNORECASE)

Notes = Mapping[str, str]
"""Words by mark: `1`, `a`, `*`; `^1` for a markdown footnote."""


def footnotes(blocks: Sequence[Block]) -> Notes:
    """Return the footnotes of a document, `[^1]: ...`, wherever they are."""
    lines = (line for block in blocks if block.kind == "text" for line in _logical_lines(block.shown))
    return {mark: words for mark, words in filter(None, map(_note, lines)) if mark.startswith("^")}


def notes_below(blocks: Sequence[Block], index: int) -> Notes:
    """Return the notes directly below a table or its label; none if the text there begins with something else."""
    meanings: dict[str, str] = {}
    labelled = index + 1 < len(blocks) and bool(label_of(blocks[index + 1]))
    for block in blocks[index + 1 + labelled :]:
        lines = [line for line in _logical_lines(block.shown) if not _TITLE.fullmatch(line)]
        notes = [_note(line) for line in lines] if block.kind == "text" else [None]
        if notes and notes[0] is None:
            break
        for mark, words in filter(None, notes):
            # A list with stars as bullets does not explain a star.
            meanings[mark] = "" if mark in meanings and mark == "*" else meanings.get(mark, words)
    return {mark: words for mark, words in meanings.items() if words}


def notes_in(rows: Sequence[Sequence[str]]) -> Notes:
    """Return the notes in the last rows of a table, which fill a single cell."""
    notes: dict[str, str] = {}
    for cells in reversed(rows):
        note = note_of(cells)
        if note is None:
            break
        notes.setdefault(*note)
    return notes


def note_of(cells: Sequence[str]) -> tuple[str, str] | None:
    """Return mark and words of a row that is a note in a single cell; None for other rows."""
    filled = [cell for cell in cells if cell.strip()]
    return _note(filled[0]) if len(filled) == 1 and len(cells) > 1 else None


def marked(cell: str, notes: Notes) -> tuple[str, tuple[str, ...]]:
    """Return a cell without the raised and bracketed marks of these notes, and the words of all its notes.

    Marks without a note remain in the cell, and so do symbols: `Bow*` is quoted with its star.
    """
    if not notes:
        return cell, ()
    meanings: dict[str, None] = {}

    def taken_off(match: re.Match[str]) -> str:
        words = _meant(match, notes)
        meanings.update(dict.fromkeys(words))
        return "" if words else match[0]

    bare = _MARK.sub(taken_off, cell)
    if symbol := _SYMBOL_BEHIND.search(plain_text(bare)):
        meanings.update(dict.fromkeys(_meant(symbol, notes)))
    return bare, tuple(meanings)


def _meant(match: re.Match[str], notes: Notes) -> list[str]:
    mark = _mark(match)
    return [notes[key] for key in (mark, mark.removeprefix("^")) if key in notes][:1]


def _mark(match: re.Match[str]) -> str:
    groups = {name: value for name, value in match.groupdict().items() if value and name != "text"}
    ((name, value),) = groups.items()
    value = value.replace("\\", "").lower()
    if name == "small":
        value = "".join(str(_RAISED.index(digit)) for digit in value)
    return f"^{value}" if name == "foot" else value


def _note(line: str) -> tuple[str, str] | None:
    match = _NOTE.fullmatch(line.strip())
    return (_mark(match), plain_text(match["text"].rstrip("_*"))) if match else None


def _logical_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text, with continuation lines joined to the note before them."""
    current = ""
    for line in text.split("\n"):
        if current and not _NOTE.fullmatch(line.strip()):
            current += f" {line.strip()}"
        else:
            if current:
                yield current
            current = line.strip()
    if current:
        yield current
