"""The codes of a question, `M54-60`, `BTR-80` or `7I92`: who writes one wants that very thing, and none like it."""

import re
from collections.abc import Sequence

from retrieval.types import Chunk

_WRITTEN = re.compile(r"(?<![\w.])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[^\W_]+(?:[-_/][^\W_]+)*(?!\w|\.\d)")
_AMOUNT = re.compile(
    r"""
    [a-z]\d                             # P7: as often a parameter
    | \d+ (?: st | nd | rd | th )? (?: -? [a-z]+ )*     # 12th, 7th-lvl, 20kg, 3-phase
    | \d* [dx] \d+                      # 2d6, 8x8
    | (?-i: [a-z]{4,} - \d+ s? )        # under-21s
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PARTS = re.compile(r"\d+|[^\W\d_]+")


def codes_of(question: str) -> tuple[str, ...]:
    """The words of letters and figures that are no amount, no rank and no dice, each once.

    >>> codes_of("torque of the M54-60 at 24v, 2nd gear")
    ('M54-60',)
    """
    found = (match[0] for match in _WRITTEN.finditer(question))
    return tuple(dict.fromkeys(word for word in found if not _AMOUNT.fullmatch(word)))


def nowhere(question: str, chunks: Sequence[Chunk]) -> float:
    """Share of a question's codes that none of the chunks writes, nor the headings above it; 0 where it has none.

    `mx64` is written in `MX-64T`, and `BTR-7` not in `BTR-70`.
    """
    codes = codes_of(question)
    if not codes:
        return 0.0
    texts = [" ".join((each.book, each.document, each.search_text, *each.names, *each.searched_as)) for each in chunks]
    return sum(not any(map(_pattern(code).search, texts)) for code in codes) / len(codes)


def _pattern(code: str) -> re.Pattern[str]:
    parts = _PARTS.findall(code)
    end = r"(?!\d)" if parts[-1].isdigit() else ""
    return re.compile(r"(?<![^\W_])" + r"[\W_]*".join(map(re.escape, parts)) + end, re.IGNORECASE)
