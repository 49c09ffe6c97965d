"""Lists of definitions: items that begin with a name in bold or in code, or terms, followed by their meaning.

::

    - **roll_size** is the size at which a log is cut. Default: `100MiB`
    - `--dry-run`: show what would be done
    - **Health insurance:** employer 6.56 %, employee 6.36 %

    Exposure
    : How bright the picture is, in EV

Terms are those of PHP Markdown Extra, which Pandoc, kramdown, Hugo and MkDocs also read. References list settings,
placeholders, rates and creatures in this way, and a question asks for one item. Such a list is both a table and text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.ingest.markdown.parser import block_tokens
from retrieval.ingest.tables.table import DrawnRow, DrawnTable

COLUMNS = ("name", "under", "meaning")
"""`under` has the name of the item above a nested one; the column is omitted if there are no nested ones."""
MIN_ROWS, MIN_LENGTH = 6, 150
"""Definitions, or words of all of them, from which a list is a table; with fewer of both it is one passage."""
MIN_ITEMS = 3
MIN_SHARE = 0.8
"""Share of a list's items that must define something, and of the definitions that must have distinct names."""
MIN_WORDS = 2
"""Fewest words of a meaning; with fewer, the list is one of names."""
MAX_NAME_WORDS = 7
"""Most words of a name; more are a bold sentence."""

_ITEM = re.compile(r"(?P<indent> *)(?:[-*+]|\d{1,3}[.)])(?P<gap> +)(?:\[[ xX]\] +)?(?P<words>\S.*)")
_NAME = r"(?:\*\*(?:[^*\n]|\*(?!\*))+\*\*|__[^_\n]+__|(?P<{0}>`+)[^`\n]+(?P={0})|\[`[^`\n]+`\]\([^()\s]*\))"
_DEFINED = re.compile(
    rf"(?P<name>{_NAME.format('first')}(?:(?:,| /| or| and|/) ?{_NAME.format('next')})*)"
    r"(?:[ ]*<[^<>]*>)*[ ]*(?:[:=,]|--?(?=\s)|[–—])?[ ]*(?P<meaning>.*)"
)
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_MEANING = re.compile(r"^ {0,3}[:~][ \t]+(?=\S)", re.MULTILINE)
"""The mark before the meaning of a term."""


@dataclass(slots=True)
class _Item:
    """An item being parsed; `start` and `end` are lines of the list, the end exclusive."""

    indent: int
    name: str
    """Empty if it defines nothing."""
    under: str
    start: int
    end: int
    words: list[str] = field(default_factory=list)

    @property
    def meaning(self) -> str:
        return " ".join(filter(None, self.words))

    @property
    def defines(self) -> bool:
        return bool(self.name) and len(self.meaning.split()) >= MIN_WORDS


def parse_definitions(source: str) -> DrawnTable | None:
    """Return a list's definitions as a table; None if it is not a list, or has too few definitions."""
    lines = source.rstrip().split("\n")
    items = _items(lines) if _ITEM.match(lines[0]) else _terms(lines)
    if not items:
        return None
    outer = [item for item in items if item.indent == items[0].indent]
    names = [item.name for item in outer if item.defines]
    if len(names) < max(MIN_ITEMS, MIN_SHARE * len(outer)) or len(set(names)) < MIN_SHARE * len(names):
        return None
    rows = [item for item in items if item.defines]
    if len(rows) < MIN_ROWS and sum(len(item.meaning.split()) for item in rows) < MIN_LENGTH:
        return None
    cells = [DrawnRow((item.name, item.under, item.meaning), item.start, item.end) for item in rows]
    return DrawnTable.of(COLUMNS, cells)


def _items(lines: Sequence[str]) -> list[_Item]:
    """Return items in reading order. The words of one without a definition are added to the item it is nested in."""
    items: list[_Item] = []
    parents: list[_Item] = []
    is_code = False
    for number, line in enumerate(lines):
        is_fence = bool(_FENCE.match(line))
        is_code ^= is_fence
        match = None if is_code or is_fence else _ITEM.match(line)
        if match:
            while parents and parents[-1].indent >= len(match["indent"]):
                parents.pop()
        item = _item_at(match, parents[-1] if parents else None, number) if match else None
        if item:
            items.append(item)
            parents.append(item)
        elif items:
            items[-1].end = number + 1 if line.strip() else items[-1].end
            if not is_code and not is_fence:
                items[-1].words.append(match["words"] if match else line.strip())
    return items


def _terms(lines: Sequence[str]) -> list[_Item]:
    """Return terms with what is written about each, in reading order."""
    items: list[_Item] = []
    source = "\n".join(lines)
    above = ""
    for token in block_tokens(source) if _MEANING.search(source) else ():
        start, end = token.map or (0, 0)
        if token.type == "dt_open":
            term = lines[start].strip()
            if items:
                items[-1].end = min(items[-1].end, start)  # a list within a meaning
            items.append(_Item(0, term if len(term.split()) <= MAX_NAME_WORDS else "", "", start, start + 1))
        elif token.type == "dd_open":
            items[-1].end = max(number + 1 for number in range(start, end) if lines[number].strip())
        elif token.type == "inline" and above != "dt_open" and items:
            items[-1].words += token.content.split("\n")
        above = token.type
    return items


def _item_at(match: re.Match[str], above: _Item | None, number: int) -> _Item | None:
    defined = _DEFINED.fullmatch(match["words"])
    name = _without_colon(defined["name"]) if defined and len(defined["name"].split()) <= MAX_NAME_WORDS else ""
    if above is not None and not name:
        return None
    words = defined["meaning"] if defined and name else match["words"]
    return _Item(len(match["indent"]), name, above.name if above else "", number, number + 1, [words])


def _without_colon(name: str) -> str:
    """Return the name without a colon or a full stop at the end of its bold text."""
    mark = next((mark for mark in ("**", "__") if name.endswith(mark)), "")
    return name.removesuffix(mark).rstrip(" :.") + mark if mark else name
