"""What a table is for, in a sentence."""

import re
from collections.abc import Sequence

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.words import plain_text
from retrieval.ingest.tables.source.captions import (
    Caption,
    ends_short,
    is_plain_paragraph,
    naming,
    sentences_of,
)

MAX_PURPOSE = 120
"""Characters of a sentence that is shown with every row."""
MIN_OWN_WORDS = 3
"""Such a sentence says at least so many words that neither the title nor every other table has."""

_LETTERS = re.compile(r"[^\W\d_]+")
_POINTER = re.compile(r"\bsee (?:also )?(?:below|above)", re.IGNORECASE)
"""It speaks of something else that is below."""
_SAYS_NOTHING = frozenset(
    (
        *("the", "this", "that", "these", "those", "its", "their", "each", "all", "and", "for", "with", "from", "are"),
        *("table", "tables", "list", "lists", "listed", "following", "follows", "below", "above", "shown", "shows"),
        *("show", "see", "given", "gives", "described", "summarized", "summarised", "included", "found"),
        *("can", "may", "use", "used"),
    )
)


def purpose_of(blocks: Sequence[Block], index: int, called: Caption | None) -> str:
    """One short sentence that says what the table in block `index` is for; empty where the prose above says none.

    It is what introduces the table, or of the paragraph above the sentence that names it, or, where that paragraph is
    all there is between heading and table, its first one.
    """
    said = called.about or (called.words if called.introduces else "") if called else ""
    if said:
        return _short(_introducing(sentences_of(said)), blocks[index].heading_path, called)
    top = called.block if called and called.block is not None and called.block < index else index
    if not top or not is_plain_paragraph(blocks[top - 1]):
        return ""
    sentences = sentences_of(plain_text(blocks[top - 1].shown))
    named = naming(sentences)
    alone = top > 1 and blocks[top - 2].kind == "heading"
    return _short(named[-1:] or (sentences[:1] if alone else []), blocks[index].heading_path, called)


def _introducing(sentences: Sequence[str]) -> Sequence[str]:
    """The one that speaks of the table, or else the last; of a short last one (`They are`) the one before it."""
    named = naming(sentences)
    return named[-1:] or (sentences[-2:-1] if ends_short(sentences) else sentences[-1:])


def _short(sentences: Sequence[str], headings: Sequence[str], called: Caption | None) -> str:
    """The first sentence, if it is short and says more than what the table is called."""
    said = sentences[0].strip().rstrip(":; ") if sentences else ""
    title = " ".join(headings[-1:]) + f" {called.words if called and not called.introduces else ''}"
    own = set(_words(said)) - set(_words(title)) - _SAYS_NOTHING
    whole = len(said) <= MAX_PURPOSE and not said.startswith("(") and not _POINTER.search(said)
    return said if whole and len(own) >= MIN_OWN_WORDS else ""


def _words(text: str) -> list[str]:
    return [word for word in _LETTERS.findall(text.casefold()) if len(word) > 2]
