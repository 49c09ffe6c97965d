"""Text cut into the pieces that quantities are made of: figures, words and marks, each with its place."""

import re
from collections.abc import Sequence
from math import inf, isinf
from typing import NamedTuple


class Piece(NamedTuple):
    """A piece of text at `start`, up to `end`."""

    kind: str
    text: str
    start: int
    end: int
    lower: str


# The order is the meaning: the longest reading of a run of figures is tried first. Every group
# that repeats has a limit, so that a text takes time in proportion to its length.
_PIECE = re.compile(
    r"""
    (?P<code>    (?<![\w-])[A-Z]\w{0,20}(?:-\w{1,20}){0,4}?-(?:[A-Za-z]{1,9}[0-9]|[0-9]{1,9}[A-Za-z])\w{0,20}(?!\w) )
  | (?P<date>    [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?![\w-]) | [0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{4}(?![\w/]) )
  | (?P<time>    [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?(?![\w:]) )
  | (?P<ratio>   [0-9]+(?::[0-9]+){1,7}+(?![\w:]) | [0-9]+(?:/[0-9]+){2,7}+(?![\w/]) )
  | (?P<version> [vV]?[0-9]+(?:\.[0-9]+){2,7}+(?![\w,]) )
  | (?P<dice>    [0-9]*[dD](?:[1-9][0-9]*|%)(?!\w)(?:\s?[-+−–x×*]\s?[0-9]+(?![\w.]))? )
  | (?P<chain>   [0-9]+(?:[-–][0-9]+){2,7}+(?!\w) | [0-9]{1,3}(?:\.[0-9]{3}){1,7}+,[0-9]+ )
  | (?P<hex>     0[xX][0-9a-fA-F]{1,16}(?!\w) )
  | (?P<power>   [0-9]{1,9}\^-?[0-9]{1,4}(?!\w) )
  | (?P<sum>     [0-9]{1,9}\+[0-9]{1,9}(?!\w) | (?<![\w-])1-1(?![\w-]) )
  | (?P<slashed> [0-9]{1,9}[/⁄][0-9]{1,9}(?!\w) )
  | (?P<figure>  (?:[0-9]{1,3}(?:(?:,[0-9]{3}){1,7}+|(?:[\u00a0\u2009\u202f][0-9]{3}){1,7}+)(?![0-9])|[0-9]+)
                 (?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3}(?!\w))? | (?<![\w.])\.[0-9]+ )
  | (?P<vulgar>  [½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞] )
  | (?P<raised>  [⁰¹²³⁴-⁹]+ )
  | (?P<money>   (?:(?<![\w])[kKMB]?Cr|[$€£¥])(?=[\s]?[.0-9]) )
  | (?P<times>   (?:(?<!\w)[xX]|×)(?=\s?[0-9]+(?:\.[0-9]+)?(?!\w)) )
  | (?P<word>    [^\W\d]\w* )
  | (?P<mark>    \S )
    """,
    re.VERBOSE,
)
VULGAR = dict(
    zip(
        "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞",
        (1 / 2, 1 / 3, 2 / 3, 1 / 4, 3 / 4, 1 / 5, 2 / 5, 3 / 5, 4 / 5, 1 / 6, 5 / 6, 1 / 8, 3 / 8, 5 / 8, 7 / 8),
        strict=True,
    )
)
_GROUPING = str.maketrans("", "", ",\u00a0\u2009\u202f")
PERCENTILE_HUNDRED = "00"
MOST_PARTS = 32
"""A larger divisor is no part of anything: `18/50` is a score."""


def pieces(text: str) -> list[Piece]:
    """Cut a text, left to right; only white space and raised footnote figures fall away. `1--3` has one long dash."""
    found = [
        Piece(match.lastgroup or "", words := match.group(), match.start(), match.end(), words.lower())
        for match in _PIECE.finditer(text)
        if match.lastgroup != "raised"
    ]
    return _with_long_dashes(found) if "--" in text else found


def _with_long_dashes(found: list[Piece]) -> list[Piece]:
    """Two hyphens between two figures as the dash for which Pandoc and TeX take them; the first figure has no sign."""
    made: list[Piece] = []
    for at, piece in enumerate(found):
        second = mark_at(found, at) == mark_at(found, at - 1) == "-" and at > 1 and touches(found, at)
        figures = second and found[at - 2].kind == "figure" and at + 1 < len(found) and found[at + 1].kind == "figure"
        if figures and mark_at(found, at - 3) not in ("-", "−", "–"):
            made[-1] = Piece("mark", "–", made[-1].start, piece.end, "–")
        else:
            made.append(piece)
    return made


def value_of(piece: Piece) -> float | None:
    """What a figure is worth; None if it is no figure, or beyond what a float can hold."""
    value = _VALUES[piece.kind](piece.text) if piece.kind in _VALUES else None
    return None if value is None or isinf(value) else value


def _figure(text: str) -> float:
    return 100.0 if text == PERCENTILE_HUNDRED else float(text.translate(_GROUPING))


def _power(text: str) -> float:
    base, _, exponent = text.partition("^")
    try:
        return float(base) ** int(exponent)
    except (OverflowError, ZeroDivisionError):
        return inf


def _sum(text: str) -> float:
    # Hit dice of 5+3 are more than 5+1 and less than 6: the value keeps the order and is no addition.
    if text == "1-1":
        return 0.99
    base, _, more = text.partition("+")
    return float(base) + min(float(more), 99.0) / 100


def _slashed(text: str) -> float | None:
    over, _, under = text.replace("⁄", "/").partition("/")
    return int(over) / int(under) if 2 <= int(under) <= MOST_PARTS and int(over) < 2 * int(under) else None


_VALUES = {
    "figure": _figure,
    "hex": lambda text: float(int(text, 16)),
    "power": _power,
    "sum": _sum,
    "slashed": _slashed,
    "vulgar": VULGAR.__getitem__,
}


def touches(found: Sequence[Piece], at: int) -> bool:
    """Whether nothing stands between the piece at `at` and the one before it."""
    return 0 < at < len(found) and found[at - 1].end == found[at].start


def word_at(found: Sequence[Piece], at: int) -> str:
    """The lower-case word at a place; empty where there is none."""
    return found[at].lower if 0 <= at < len(found) and found[at].kind == "word" else ""


def hyphen_at(found: Sequence[Piece], at: int) -> bool:
    """Whether a hyphen ties the pieces before and after it together: `ten-round`, `twenty-one`."""
    return mark_at(found, at) in ("-", "‐", "‑") and touches(found, at) and touches(found, at + 1)


def mark_at(found: Sequence[Piece], at: int) -> str:
    """The mark at a place; empty where there is none."""
    return found[at].text if 0 <= at < len(found) and found[at].kind == "mark" else ""
