"""Titles without a mark: `4I68 Default Configurations` over one of several tables with the same heading line."""

import re
from collections.abc import Sequence

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.words import plain_text

MAX_TITLE = 200
"""Characters."""

MAX_TITLE_WORDS = 10
"""Words of a line that is a title because it touches its table."""

_TITLE = re.compile(r"(?=.*[^\W\d_])[^\W_][^|]*(?<![.:;,!?])")


def title_among_twins(blocks: Sequence[Block], index: int) -> str:
    """The line above the table in block `index`; empty where the line does not tell the table from a twin.

    Twins stand under the same headings and have the same heading line, and each of two or more has another such line
    above it: one that begins with a letter or a figure and ends no sentence.
    """
    title = _line_above(blocks, index)
    if not title:
        return ""
    twins = (place for place, block in enumerate(blocks) if place != index and _is_twin(block, blocks[index]))
    others = [line for place in twins if (line := _line_above(blocks, place))]
    return title if others and title not in others else ""


def touching_title(blocks: Sequence[Block], index: int) -> str:
    """The short line that stands on the table in block `index` without a blank line between; else empty."""
    touches = index > 0 and blocks[index - 1].lines[1] == blocks[index].lines[0]
    title = _line_above(blocks, index) if touches else ""
    return title if len(title.split()) <= MAX_TITLE_WORDS else ""


def _is_twin(block: Block, table: Block) -> bool:
    alike = (block.kind, block.heading_path) == (table.kind, table.heading_path)
    return alike and block.source.partition("\n")[0] == table.source.partition("\n")[0]


def _line_above(blocks: Sequence[Block], index: int) -> str:
    above = blocks[index - 1] if index else None
    if (
        above is None
        or not above.is_paragraph
        or "\n" in above.shown
        or above.heading_path != blocks[index].heading_path
    ):
        return ""
    words = plain_text(above.shown)
    return words if len(words) <= MAX_TITLE and _TITLE.fullmatch(words) else ""
