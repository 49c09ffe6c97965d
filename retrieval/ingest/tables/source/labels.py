"""Lines that name a table by their form, `Table 3. Omens`, and the side of the table on which each stands."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.words import plain_text

TABLE = r"(?i:table|tableau|tabelle|tabella|tabela|tabla|таблица)"
"""The word for a table in a label, in English, French, German, Italian, Portuguese, Spanish and Russian."""

NUMBERED = re.compile(rf"\s*[*_]{{0,3}}{TABLE}\s+(?:\d|[A-Z]\d|[IVXLC]+(?![A-Za-z])|[A-Z](?:[.:\d-]|\s*$))")
"""`Table 3`, `Table IV`, `Table B-2`."""
_TITLED = re.compile(NUMBERED.pattern + r"[\w.-]*[*_]{0,3}\s*(?:[:.–—]|\s-\s)\s*(?P<words>\S[^|]{0,160})")
"""`Table 3: Armor.`; not `Table 3 shows the armor.`"""
ANCHOR = re.compile(r"(?<!\s)\s*\{[#.][^{}]*\}\s*$")
_LABELLED = re.compile(rf"(?:{TABLE})?:\s+(?P<words>\S[^|]{{0,200}})")
"""`Table: Armor` or `: Armor`, as Pandoc and Quarto write it."""
_SENTENCE = re.compile(
    r"(?:(?:[A-Z][\w'’-]*|of|the|and|for|to|in|by|with)\s+)+"
    r"(?:is|are|has|have|can|may|must|shows?|lists?|gives?|summari[sz]es?|provides?|describes?|contains?|includes?|details?)"
    r"\b.*[.!?]",
    re.DOTALL,
)
"""`Table: Random Weather is for general use.` speaks of a table that is called so elsewhere."""


@dataclass(frozen=True, slots=True)
class _Label:
    block: int
    under: bool
    """Whether a table ends directly above it."""
    over: int | None
    """Index of the next table, if nothing but prose is between."""
    section: tuple[str, ...]

    @property
    def side(self) -> int:
        """1 if it can only be below its table, -1 if it can only be above, 0 if it may be either."""
        return int(self.under) - int(self.over is not None)


def is_titled(line: str) -> bool:
    """Whether a line is the number of a table and its title, and no sentence about it."""
    match = _TITLED.fullmatch(line)
    return match is not None and not _SENTENCE.fullmatch(plain_text(match["words"]))


def label_of(block: Block) -> str:
    """The words of a paragraph that is nothing but the label of a table, without the mark of Pandoc; else empty."""
    if not block.is_paragraph:
        return ""
    line = ANCHOR.sub("", block.shown).strip()
    if match := _LABELLED.fullmatch(line):
        words = plain_text(match["words"])
        return "" if _SENTENCE.fullmatch(words) else words.rstrip(":. ")
    return plain_text(line).rstrip(":.* ") if "\n" not in line and is_titled(line) else ""


def labels_below(blocks: Sequence[Block], tables: Collection[int]) -> frozenset[int]:
    """The blocks that are labels of the tables directly above them.

    A line between two tables is read as the lines that leave no doubt: those of its section, or else of the document.
    Where none does, it is the label of the table that it touches, and of the lower one if it touches two.

    Args:
        blocks: of one document.
        tables: the indexes of its tables.
    """
    labels = [_label(blocks, index, tables) for index, block in enumerate(blocks) if label_of(block)]
    sections: dict[tuple[str, ...], list[_Label]] = defaultdict(list)
    for label in labels:
        sections[label.section].append(label)
    everywhere = _lean(labels)
    below: set[int] = set()
    named: set[int] = set()
    for label in labels:
        lean = _lean(sections[label.section]) or everywhere
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


def _lean(labels: Iterable[_Label]) -> int:
    """Above 0 where more labels must be below their tables than above them."""
    return sum(label.side for label in labels)


def _is_below(label: _Label, lean: int, *, named: bool) -> bool:
    """Whether a label under a table is that table's; `named` says that it has one above it."""
    if lean > 0:
        return True
    if named:
        return False
    return label.over is None or (lean == 0 and label.over > label.block + 1)
