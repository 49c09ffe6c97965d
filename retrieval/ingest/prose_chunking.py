"""Prose divided at headings: whole if it fits, else by sub-heading, else by paragraph, without overlap."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.parser import heading_text, is_links, without_attributes, without_comments
from retrieval.ingest.tables.captions import is_bold_line
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.source_tables import PlacedTable
from retrieval.ingest.tables.table import Table
from retrieval.settings import TOKEN_CAP
from retrieval.types import Document

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def bytes_of(text: str) -> int:
    """Return the length of a text in UTF-8 bytes."""
    return len(text.encode())


def divided(text: str, size: int, length: Callable[[str], int] = bytes_of) -> Iterator[str]:
    """Yield parts of at most `size`, divided between lines, else sentences, else words, else anywhere.

    Args:
        size: in bytes, or in the units of `length`; no character has more than four of them.
        length: returns the length of a text; two texts joined by a blank or a line end are at most one unit longer.
    """
    for separator in (re.compile(r"\n"), _SENTENCE_END, re.compile(r"\s+")):
        parts = separator.split(text)
        if len(parts) > 1 and all(length(part) <= size for part in parts):
            yield from _joined(parts, "\n" if separator.pattern == r"\n" else " ", size, length)
            return
    step = size // 4
    yield from (text[start : start + step] for start in range(0, len(text), step))


def _joined(parts: Sequence[str], glue: str, size: int, length: Callable[[str], int]) -> Iterator[str]:
    current: list[str] = []
    total = 0
    for part in parts:
        cost = length(part) + len(glue)
        if current and total + cost > size:
            yield glue.join(current)
            current, total = [], 0
        current.append(part)
        total += cost
    yield glue.join(current)


BYTES_PER_TOKEN = 3
_LEAST_BYTES = 2


def estimate_tokens(text: str) -> int:
    """Return an estimate of a text's tokens: three UTF-8 bytes each."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)


def most_tokens(text: str) -> int:
    """Return an upper bound of a text's tokens: two UTF-8 bytes each.

    The tokenizer of `wordllama` stays below 0.83 of that on every passage of more than 600 characters of a rulebook and
    of a protocol's manual; a few words with numbers may have more.
    """
    return math.ceil(len(text.encode()) / _LEAST_BYTES)


WORKING_TOKENS = 256
"""The size that ranked best among 64 to 1,024, in `estimate_tokens`."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """Settings for dividing prose into passages. A text that fits stays whole; others are divided at their headings."""

    working_tokens: int = WORKING_TOKENS
    """Sections and paragraphs are joined up to this size; one paragraph alone may be longer."""
    cap: int = TOKEN_CAP
    """Limit of every passage. Longer paragraphs are divided between lines, else sentences, words, or anywhere."""
    header_level: int = 1
    """A document that does not fit is divided at headings of this level and above, even if two such sections would fit
    together."""
    fallback_header_level: int = 2
    """... and a section that does not fit is divided at this level; the rest that does not fit, level by level."""
    split_only_when_needed: bool = True
    """Whether a document that fits stays whole."""
    count: Callable[[str], int] = estimate_tokens
    """Counts the tokens of a text."""
    glue: int = 0
    """Tokens of the blank line between two paragraphs."""

    @property
    def limit(self) -> int:
        """Most tokens of a passage of several paragraphs."""
        return min(self.working_tokens, self.cap)

    @property
    def room(self) -> int:
        """Most tokens of one paragraph: the cap, less a reserve for the headings above it."""
        return self.cap - min(512, self.cap // 4)

    def parts(self, text: str) -> Iterator[str]:
        """Yield the parts of a paragraph that exceeds `room`."""
        if self.count is estimate_tokens:
            return divided(text, self.room * BYTES_PER_TOKEN)
        return divided(text, self.room, self.count)

    def whole_from(self, level: int) -> int:
        """Return the heading level from which sections below one of `level` may stay whole."""
        return self.header_level if level < self.header_level else self.fallback_header_level

    def keeps_whole(self, level: int, least: int) -> bool:
        """Whether a section of a level may stay whole if it fits; the document itself has level 0."""
        return level >= least if level else self.split_only_when_needed


USUAL = Cuts()
"""The default settings."""


@dataclass(frozen=True, slots=True)
class SectionPart:
    """A heading, a paragraph, a list, or the line that replaces a table."""

    text: str
    source: str
    """Empty for a table."""
    lines: tuple[int, int]
    path: tuple[str, ...]
    level: int = 0
    """Level of a heading; 0 for anything else."""

    @property
    def is_prose(self) -> bool:
        """Whether it is neither a heading nor a table."""
        return self.level == 0 and bool(self.source)


def without_tables_of_links(pieces: Sequence[SectionPart]) -> list[SectionPart]:
    """Return the pieces, without tables and other sections' headings if all their prose is links.

    `[Sheet](https://...)` above three tables does not describe them, and does not answer questions about their rows.
    """
    prose = [piece for piece in pieces if piece.is_prose]
    if not all(is_links(piece.text) for piece in prose):
        return list(pieces)
    links = [piece.path for piece in prose if any(map(str.isalnum, piece.text))]
    over = {path[:depth] for path in links for depth in range(len(path) + 1)}
    return [piece for piece in pieces if piece.is_prose or (piece.level and piece.path in over)]


BOLD_LINE_LEVEL = 7
"""Level of a bold line on its own, a heading below all others."""

MAX_TITLES = 3
"""Most consecutive bold lines that head the same prose; more are prose."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of prose under the nearest heading above all of it; `lines` are 1-based lines of the file, inclusive."""

    heading_path: tuple[str, ...]
    text: str
    source: str
    lines: tuple[int, int]
    titles: tuple[str, ...] = ()
    """Headings and bold lines within the passage."""


@dataclass(slots=True)
class _Section:
    level: int
    pieces: list[SectionPart] = field(default_factory=list)
    children: list["_Section"] = field(default_factory=list)

    def everything(self) -> list[SectionPart]:
        return self.pieces + [piece for child in self.children for piece in child.everything()]


def cut_into_passages(
    document: Document, blocks: Sequence[Block], tables: Sequence[PlacedTable], cuts: Cuts
) -> tuple[Passage, ...]:
    """Return the prose of a document. A section that fits stays whole, with sub-sections; a table becomes a line.

    What consists of signs alone, such as a horizontal rule, is no passage of its own.
    """
    root = _outline(document, blocks, tables, cuts)
    made = [
        without_tables_of_links(pieces)
        for pieces in _cut(root, cuts)
        if any(piece.is_prose and any(map(str.isalnum, piece.text)) for piece in pieces)
    ]
    _keep_titles(root.everything(), made, [placed.table for placed in tables], cuts)
    return tuple(map(_passage, made))


def block_passages(
    document: Document, blocks: Sequence[Block], tables: Sequence[PlacedTable], cuts: Cuts
) -> tuple[Passage, ...]:
    """Return the prose of a document block by block, without regard to sections, if it cannot be divided at them."""
    of_tables = {placed.block for placed in tables}
    words = [block for index, block in enumerate(blocks) if index not in of_tables]
    return tuple(
        Passage(piece.path, piece.text, piece.source, piece.lines)
        for block in words
        for piece in _fitting(block.source, document.first_line + block.lines[0], block.heading_path, cuts)
    )


def _keep_titles(
    pieces: Sequence[SectionPart], made: list[list[SectionPart]], tables: Sequence[Table], cuts: Cuts
) -> None:
    """Put headings and bold lines that head nothing and occur nowhere else before the prose that follows.

    If that would be too long, they are added to the prose before them; if that would be too long as well, they become
    prose themselves.
    """
    known = {_name(heading) for passage in made for heading in _path(passage)}
    known |= {_name(words) for table in tables for words in (*table.heading_path, table.caption or "")}
    shown = {id(piece) for passage in made for piece in _without_stubs(passage)}
    below: dict[int, list[SectionPart]] = defaultdict(list)
    at = 0
    for piece in pieces:
        if not piece.level or id(piece) in shown or _name(heading_text(piece.source)) in known:
            continue
        while at < len(made) and made[at][0].lines <= piece.lines:
            at += 1
        below[at].append(piece)
    for at, titles in reversed(below.items()):
        size = _size(titles, cuts)
        room = [size + _size(passage, cuts) <= cuts.limit for passage in made[max(at - 1, 0) : at + 1]]
        if at < len(made) and room[-1]:
            made[at][:0] = titles
        elif at and room[0]:
            made[at - 1] += titles
        else:
            prose = [part for piece in titles for part in _fitting(piece.source, piece.lines[0], piece.path, cuts)]
            made[at:at] = _packed(prose, cuts)


def _name(words: str) -> str:
    return words.rstrip(" .:").casefold()


def _size(pieces: Sequence[SectionPart], cuts: Cuts) -> int:
    return sum(cuts.count(piece.text) + cuts.glue for piece in pieces)


def _outline(document: Document, blocks: Sequence[Block], tables: Sequence[PlacedTable], cuts: Cuts) -> _Section:
    table_at = {placed.block: placed.table for placed in tables}
    captions = {placed.caption_block for placed in tables}
    of_grids = {placed.caption_block for placed in tables if _is_of_grid(placed)}
    root = _Section(0)
    stack = [root]
    for index, block in enumerate(blocks):
        first = document.first_line + block.lines[0]
        lines = (first, first + block.source.count("\n"))
        level = block.level or (BOLD_LINE_LEVEL if is_bold_line(block) and index not in of_grids else 0)
        if index in of_grids and is_bold_line(block):
            continue
        if level:
            named = f"{block.shown} (table)" if index in captions else block.shown
            piece = SectionPart(named, block.source, lines, block.heading_path, level)
            if level == BOLD_LINE_LEVEL and _awaits_prose(stack[-1]):
                # A title and its subtitle stay together.
                stack[-1].pieces.append(piece)
                continue
            while stack[-1].level >= level:
                _settle(stack.pop(), stack[-1], cuts)
            section = _Section(level, [piece])
            stack[-1].children.append(section)
            stack.append(section)
        elif index in table_at:
            table = table_at[index]
            if table.title and any(map(_is_caption, stack[-1].pieces)):
                continue
            named = table.title or ", ".join(column for column in table.header[:4] if column)
            stack[-1].pieces.append(SectionPart(f"[Table: {named}]", "", lines, block.heading_path))
        else:
            source = block.source.rstrip()
            if index in captions and not is_bold_line(block):
                source = source.rpartition("\n")[0]
            stack[-1].pieces.extend(_fitting(source, first, block.heading_path, cuts))
    while len(stack) > 1:
        _settle(stack.pop(), stack[-1], cuts)
    return root


def _is_of_grid(placed: PlacedTable) -> bool:
    """Whether a caption is directly above or below a table of many things, so that prose below it is not about them.

    The caption of a table that describes one thing is the name of that thing, and the prose below is also about it.
    """
    beside = placed.caption_block in (placed.block - 1, placed.block + 1)
    return beside and read_table(placed.table).kind == "grid"


def _is_caption(piece: SectionPart) -> bool:
    return bool(piece.level) and piece.text.endswith("(table)")


def _awaits_prose(section: _Section) -> bool:
    titles = [piece for piece in section.pieces if piece.level == BOLD_LINE_LEVEL]
    return 0 < len(section.pieces) == len(titles) < MAX_TITLES and not any(map(_is_caption, section.pieces))


def _settle(section: _Section, parent: _Section, cuts: Cuts) -> None:
    """Turn a bold line with nothing below it into prose, and add it to the prose before it."""
    if section.level != BOLD_LINE_LEVEL or any(not piece.level or _is_caption(piece) for piece in section.pieces):
        return
    parent.children.pop()
    before = parent.children[-1] if parent.children else parent
    for piece in section.pieces:
        before.pieces.extend(_fitting(piece.source, piece.lines[0], piece.path, cuts))


def _cut(section: _Section, cuts: Cuts, least: int = 0) -> Iterator[list[SectionPart]]:
    whole = section.everything()
    if cuts.keeps_whole(section.level, least) and _size(whole, cuts) <= cuts.limit:
        yield whole
        return
    yield from _packed(section.pieces, cuts)
    for child in section.children:
        yield from _cut(child, cuts, cuts.whole_from(section.level))


def _packed(pieces: Sequence[SectionPart], cuts: Cuts) -> Iterator[list[SectionPart]]:
    """Yield runs of pieces that fit, each under the headings; a paragraph that ends with a colon goes with the next."""
    heading = [piece for piece in pieces if piece.level]
    carried = _size(heading, cuts)
    current: list[SectionPart] = []
    for piece in pieces:
        if piece.level:
            continue
        if current and carried + _size([*current, piece], cuts) > cuts.limit:
            leads = current[-1].text.rstrip(" *_").endswith(":") and len(current) > 1
            leads = leads and carried + _size([current[-1], piece], cuts) <= cuts.limit
            yield heading + (current[:-1] if leads else current)
            current = current[-1:] if leads else []
        current.append(piece)
    if current:
        yield heading + current


def _without_stubs(pieces: Sequence[SectionPart]) -> Sequence[SectionPart]:
    """Return the pieces without those at the beginning from other sections that only contain a table."""
    first = next(position for position, piece in enumerate(pieces) if piece.is_prose)
    over = pieces[first].path
    of_tables = {piece.path for piece in pieces[:first] if not piece.level and piece.path != over[: len(piece.path)]}
    return [piece for position, piece in enumerate(pieces) if position >= first or piece.path not in of_tables]


def _passage(pieces: Sequence[SectionPart]) -> Passage:
    pieces = _without_stubs(pieces)
    own = [piece for piece in pieces if piece.is_prose]
    return Passage(
        heading_path=_path(pieces),
        text="\n\n".join(piece.text for piece in pieces),
        source="\n\n".join(piece.source for piece in pieces if piece.is_prose or piece.level == BOLD_LINE_LEVEL),
        lines=(min(piece.lines[0] for piece in own), max(piece.lines[1] for piece in own)),
        titles=tuple(heading_text(piece.source) for piece in pieces if piece.level),
    )


def _path(pieces: Sequence[SectionPart]) -> tuple[str, ...]:
    return _common_start([piece.path for piece in pieces if piece.is_prose])


def _common_start(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the path of the nearest heading above all the prose: a chapter that is one section is that section."""
    shortest, longest = min(paths), max(paths)
    count = next((i for i, (a, b) in enumerate(zip(shortest, longest, strict=False)) if a != b), len(shortest))
    return shortest[: min(count, len(longest))]


def _fitting(source: str, first_line: int, path: tuple[str, ...], cuts: Cuts) -> Iterator[SectionPart]:
    """Yield a block as one piece; one above the cap is divided between lines, else sentences, words, or anywhere."""
    if not source.strip():
        return
    line = first_line
    for part in [source] if cuts.count(source) <= cuts.room else cuts.parts(source):
        yield SectionPart(
            without_attributes(without_comments(part)).rstrip(), part, (line, line + part.count("\n")), path
        )
        line += part.count("\n")
