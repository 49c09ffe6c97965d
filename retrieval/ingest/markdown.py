"""Markdown as a flat list of blocks under their headings; the only file that knows markdown-it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

BlockKind = Literal["heading", "table", "html", "text"]
_INLINE_MARK = re.compile(r"[*_`\[\]<>&\\~!]")
_HTML_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_HTML_TABLE_END = re.compile(r"</table\s*>", re.IGNORECASE)
_HTML_NAME = re.compile(r"</?([a-z][a-z0-9-]*)|<!--", re.IGNORECASE)
_HTML_ELEMENTS = (
    "a abbr acronym address area article aside audio b base bdi bdo big blink blockquote body br button canvas "
    "caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset "
    "figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img "
    "input ins kbd label legend li link main map mark marquee menu meta meter nav nobr noscript object ol optgroup "
    "option output p param picture pre progress q rp rt ruby s samp script search section select slot small source "
    "span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr "
    "track tt u ul var video wbr"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of source lines of one kind. `lines` are 0-based, the end exclusive."""

    kind: BlockKind
    lines: tuple[int, int]
    source: str
    heading_path: tuple[str, ...]
    """Plain text of the headings above, from the highest level to the nearest; a heading's own path ends with it."""
    level: int = 0
    """1 to 6 for a heading, 0 otherwise."""


@cache
def _block_parser() -> MarkdownIt:
    # Blocks alone: inline parsing of a whole book would cost most of the time and give nothing that is used.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


def parse_blocks(text: str) -> tuple[Block, ...]:
    """Top-level blocks in reading order; every non-blank line of `text` is in exactly one."""
    lines = text.split("\n")
    headings: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for kind, level, start, end in _merge_html_tables(list(_top_level(text)), lines):
        source = "\n".join(lines[start:end]).strip("\n")
        if not source.strip():
            continue
        if kind == "heading":
            headings = [entry for entry in headings if entry[0] < level] + [(level, heading_text(source))]
        path = tuple(title for _, title in headings if title)
        blocks.append(Block(kind, (start, end), source, path, level))
    return tuple(blocks)


_Span = tuple[BlockKind, int, int, int]


def _top_level(text: str) -> Iterator[_Span]:
    for token in _block_parser().parse(text):
        if token.level == 0 and token.map and token.nesting >= 0:
            yield _kind(token), _level(token), token.map[0], token.map[1]


def _kind(token: Token) -> BlockKind:
    if token.type == "heading_open":
        return "heading"
    if token.type == "table_open":
        return "table"
    return "html" if token.type == "html_block" else "text"


def _level(token: Token) -> int:
    return int(token.tag[1]) if token.type == "heading_open" else 0


def _merge_html_tables(spans: list[_Span], lines: list[str]) -> Iterator[_Span]:
    # A blank line ends an HTML block in CommonMark, and real HTML tables are full of blank lines.
    index = 0
    while index < len(spans):
        kind, level, start, end = spans[index]
        if kind == "html" and _HTML_TABLE.search("\n".join(lines[start:end])):
            while not _HTML_TABLE_END.search("\n".join(lines[start:end])) and index + 1 < len(spans):
                index += 1
                end = spans[index][3]
        yield kind, level, start, end
        index += 1


def heading_text(source: str) -> str:
    """The words of an ATX or setext heading."""
    first = source.split("\n", 1)[0]
    return plain_text(re.sub(r"^\s{0,3}#{1,6}(?:\s+|$)|(?:\s+#+)?\s*$", "", first))


def plain_text(markup: str) -> str:
    """Inline markdown and tags of HTML's own elements taken off, white space folded; `<id>` and `x < 5` are words."""
    if _INLINE_MARK.search(markup):
        markup = "".join(_words(_inline_parser().parseInline(markup)))
    return " ".join(markup.split())


def _words(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children is not None and token.type != "image":
            yield from _words(token.children)
        elif token.type in ("softbreak", "hardbreak") or (token.type == "html_inline" and _is_html(token.content)):
            yield " "
        else:
            yield token.content


def _is_html(tag: str) -> bool:
    match = _HTML_NAME.match(tag)
    return match is not None and (match[1] is None or match[1].lower() in _HTML_ELEMENTS.split())


def split_row(line: str) -> tuple[str, ...]:
    """The raw cells of a pipe-table line; a ragged line keeps all it has."""
    cells = escapedSplit(line.strip())
    if cells and not cells[0]:
        cells = cells[1:]
    if cells and not cells[-1].strip() and line.rstrip().endswith("|"):
        cells = cells[:-1]
    return tuple(cells)
