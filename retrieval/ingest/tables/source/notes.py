"""Notes under a table, and the marks in its cells that point to them."""

import re
from collections.abc import Iterator, Mapping, Sequence

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.words import plain_text
from retrieval.ingest.tables.source.labels import label_of

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
"""Words by mark: `1`, `a`, `*`; `^1` for a footnote of markdown."""


def footnotes(blocks: Sequence[Block]) -> Notes:
    """The footnotes of a document, `[^1]: ...`, wherever they are."""
    lines = (line for block in blocks if block.kind == "text" for line in _logical_lines(block.shown))
    return {mark: words for mark, words in filter(None, map(_note, lines)) if mark.startswith("^")}


def notes_below(blocks: Sequence[Block], index: int) -> Notes:
    """The notes in the text directly below a table, or below its label; none if that begins with something else."""
    found: dict[str, str] = {}
    labelled = index + 1 < len(blocks) and bool(label_of(blocks[index + 1]))
    for block in blocks[index + 1 + labelled :]:
        lines = [line for line in _logical_lines(block.shown) if not _TITLE.fullmatch(line)]
        notes = [_note(line) for line in lines] if block.kind == "text" else [None]
        if notes and notes[0] is None:
            break
        for mark, words in filter(None, notes):
            # A list with stars for bullets explains no star.
            found[mark] = "" if mark in found and mark == "*" else found.get(mark, words)
    return {mark: words for mark, words in found.items() if words}


def notes_in(rows: Sequence[Sequence[str]]) -> Notes:
    """The notes in the last rows of a table, which fill one cell."""
    found: dict[str, str] = {}
    for cells in reversed(rows):
        note = note_of(cells)
        if note is None:
            break
        found.setdefault(*note)
    return found


def note_of(cells: Sequence[str]) -> tuple[str, str] | None:
    """Mark and words of a row that is a note: it fills one cell; None if it is none."""
    filled = [cell for cell in cells if cell.strip()]
    return _note(filled[0]) if len(filled) == 1 and len(cells) > 1 else None


def marked(cell: str, notes: Notes) -> tuple[str, tuple[str, ...]]:
    """A cell as written without the raised and bracketed marks of these notes, and the words of all its notes.

    A mark that no note explains is a part of the cell, and so is a symbol: `Bow*` is quoted with its star.
    """
    if not notes:
        return cell, ()
    said: dict[str, None] = {}

    def taken_off(match: re.Match[str]) -> str:
        words = _meant(match, notes)
        said.update(dict.fromkeys(words))
        return "" if words else match[0]

    bare = _MARK.sub(taken_off, cell)
    if symbol := _SYMBOL_BEHIND.search(plain_text(bare)):
        said.update(dict.fromkeys(_meant(symbol, notes)))
    return bare, tuple(said)


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
    """The lines of a text, those that only go on joined to the one before."""
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
