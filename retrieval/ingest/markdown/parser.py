"""The tokens of markdown; the only file that knows markdown-it."""

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

__all__ = ["Token", "block_tokens", "inline_tokens", "split_row", "whole_tokens"]


@cache
def _block_parser() -> MarkdownIt:
    # Blocks alone: inline parsing of a whole book would cost most of the time and give nothing that is used.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


@cache
def _whole_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def block_tokens(text: str) -> list[Token]:
    """The blocks of a document; what is in a paragraph is not read."""
    return _block_parser().parse(text)


def inline_tokens(markup: str) -> list[Token]:
    """What is in one paragraph or cell."""
    return _inline_parser().parseInline(markup)


def whole_tokens(text: str) -> list[Token]:
    """Blocks and what is in them."""
    return _whole_parser().parse(text)


def split_row(line: str) -> tuple[str, ...]:
    """The raw cells of a pipe-table line; a ragged line keeps all it has."""
    cells = escapedSplit(line.strip())
    if cells and not cells[0]:
        cells = cells[1:]
    if cells and not cells[-1].strip() and line.rstrip().endswith("|"):
        cells = cells[:-1]
    return tuple(cells)
