"""Labels above and below tables, such as `Table 3: Armor`, and which table they belong to."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.parser import plain_text

TABLE = r"(?i:table|tableau|tabelle|tabella|tabela|tabla|таблица)"
"""The word "table" of a label in English, French, German, Italian, Portuguese, Spanish and Russian."""

NUMBERED = re.compile(rf"\s*[*_]{{0,3}}{TABLE}\s+(?:\d|[A-Z]\d|[IVXLC]+(?![A-Za-z])|[A-Z](?:[.:\d-]|\s*$))")
"""`Table 3`, `Table IV`, `Table B-2`."""
_TITLED = re.compile(NUMBERED.pattern + r"[\w.-]*[*_]{0,3}\s*(?:[:.–—]|\s-\s)\s*(?P<words>\S[^|]{0,160})")
"""`Table 3: Armor.`; not `Table 3 shows the armor.`"""
ANCHOR = re.compile(r"(?<!\s)\s*\{[#.][^{}]*\}\s*$")
_LABELLED = re.compile(rf"(?:{TABLE})?:\s+(?P<words>\S[^|]{{0,200}})")
"""`Table: Armor` or `: Armor`, the notation of Pandoc and Quarto."""
_SENTENCE = re.compile(
    r"(?:(?:[A-Z][\w'’-]*|of|the|and|for|to|in|by|with)\s+)+"
    r"(?:is|are|has|have|can|may|must|shows?|lists?|gives?|summari[sz]es?|provides?|describes?|contains?|includes?|details?)"
    r"\b.*[.!?]",
    re.DOTALL,
)
"""A sentence about a table with another label: `Table: Random Weather is for general use.`"""


@dataclass(frozen=True, slots=True)
class _Label:
    block: int
    under: bool
    """Whether a table ends directly above it."""
    over: int | None
    """Index of the next table, if only prose is between."""
    section: tuple[str, ...]

    @property
    def side(self) -> int:
        """1 if it can only be below its table, -1 if it can only be above it, 0 if it may be either."""
        return int(self.under) - int(self.over is not None)


def is_titled(line: str) -> bool:
    """Whether a line is the number of a table and its title, rather than a sentence about it."""
    match = _TITLED.fullmatch(line)
    return match is not None and not _SENTENCE.fullmatch(plain_text(match["words"]))


def label_of(block: Block) -> str:
    """Return the words of a paragraph that is only the label of a table, without Pandoc's mark; else empty."""
    if not block.is_paragraph:
        return ""
    line = ANCHOR.sub("", block.shown).strip()
    if match := _LABELLED.fullmatch(line):
        words = plain_text(match["words"])
        return "" if _SENTENCE.fullmatch(words) else words.rstrip(":. ")
    return plain_text(line).rstrip(":.* ") if "\n" not in line and is_titled(line) else ""


def labels_below(blocks: Sequence[Block], tables: Collection[int]) -> frozenset[int]:
    """Return the blocks that are labels of the tables directly above them.

    A line between two tables is read like the unambiguous ones of its section, or else of the document. Without these,
    it is the label of the adjacent table, or of the lower one if both are adjacent.

    Args:
        blocks: of one document.
        tables: the indexes of its tables.
    """
    labels = [_label(blocks, index, tables) for index, block in enumerate(blocks) if label_of(block)]
    # Above 0 where more labels must be below their tables than above them.
    sections: dict[tuple[str, ...], int] = defaultdict(int)
    for label in labels:
        sections[label.section] += label.side
    everywhere = sum(sections.values())
    below: set[int] = set()
    named: set[int] = set()
    for label in labels:
        lean = sections[label.section] or everywhere
        if label.under and _is_below(label, lean, named=label.block - 1 in named):
            below.add(label.block)
        elif label.over is not None:
            named.add(label.over)
    return frozenset(below)


def _label(blocks: Sequence[Block], index: int, tables: Collection[int]) -> _Label:
    below = index + 1
    while below < len(blocks) and below not in tables and blocks[below].kind == "text" and not label_of(blocks[below]):
        below += 1
    return _Label(index, index - 1 in tables, below if below in tables else None, blocks[index].heading_path)


def _is_below(label: _Label, lean: int, *, named: bool) -> bool:
    """Whether a label under a table belongs to it; `named` is whether that table has a label above it."""
    if lean > 0:
        return True
    if named:
        return False
    return label.over is None or (lean == 0 and label.over > label.block + 1)
