"""The lexer: a single regular expression that finds words, numbers, dates, times, dice and other notations in a text.

`tokens` (canonical text) and `numbers.numerals` (the grammar of numbers) both consume its lexemes. Words contain only
letters, so `c5d` is three adjacent lexemes; a date, a time and dice are one lexeme each. Lexemes keep their position
and their case.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

AT_ONCE = 64
"""Cached questions: search, predicates and embedder read the same one."""


class Lexeme(NamedTuple):
    """A piece of text at `start`, up to `end`. `kind` is the name of a group of the pattern."""

    kind: str
    text: str
    start: int
    end: int
    lower: str


VULGAR = dict(
    zip(
        "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞",
        (1 / 2, 1 / 3, 2 / 3, 1 / 4, 3 / 4, 1 / 5, 2 / 5, 3 / 5, 4 / 5, 1 / 6, 5 / 6, 1 / 8, 3 / 8, 5 / 8, 7 / 8),
        strict=True,
    )
)
UNSPACED = (
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3"
    r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
)
"""Letters of scripts without blanks between words: Thai, Lao, Burmese, Khmer, kana, Chinese."""

# The order matters: the longest reading of a run of digits is tried first. Every repeated group of a number
# has a limit, so that the time is proportional to the length of the text. `Q1/2024` has no fraction, since
# its first number belongs to a name.
_LEXEME = re.compile(
    rf"""
    (?P<money>   (?:(?<![\w])[kKMB]?Cr|[$€£¥])(?=[\s]?[.0-9]) )
  | (?P<vulgar>  [{"".join(VULGAR)}] )
  | (?P<raised>  [⁰¹²³⁴-⁹]+ )
  | (?P<word>    [^\W\d_{UNSPACED}]{{2,}}(?:['’][^\W\d_{UNSPACED}]+(?![\d_]))*
               | [^\W\d_{UNSPACED}](?:['’][^\W\d_{UNSPACED}]+(?![\d_]))+ )
  | (?P<date>    [0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}(?![^\W_]|-)
               | [0-9]{{1,2}}[/.][0-9]{{1,2}}[/.][0-9]{{4}}(?![^\W_]|/) )
  | (?P<time>    (?:(?<![^\W\d_])|(?<=[0-9]T))[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?(?:\.[0-9]+)?(?![0-9:]) )
  | (?P<ratio>   (?<![0-9]-)(?<![^\W\d_])[0-9]{{1,3}}(?::[0-9]+){{1,7}}+(?![^\W_]|:|\.[0-9])
               | [0-9]+(?:/[0-9]+){{2,15}}+(?![^\W_]) )
  | (?P<version> [0-9]+(?:\.[0-9]+){{2,15}}+(?!(?<=\.[0-9]{{3}}),[0-9]+(?![\w.])) )
  | (?P<dice>    [0-9]*[dD](?:[0-9]+|%)(?=[sS]?(?![^\W_]))[sS]? )
  | (?P<chain>   [0-9]+(?:[-–][0-9]+){{2,15}}+(?![^\W_]) | [0-9]{{1,3}}(?:\.[0-9]{{3}}){{1,7}}+,[0-9]+(?![\w.]) )
  | (?P<hex>     0[xX][0-9a-fA-F]{{1,16}}(?!\w) )
  | (?P<power>   [0-9]{{1,9}}\^-?[0-9]{{1,4}}(?!\w) )
  | (?P<sum>     (?<![^\W\d_])[0-9]{{1,9}}\+[0-9]{{1,9}}(?![^\W_]) )
  | (?P<slashed> (?<![^\W\d_])[0-9]+[/⁄][0-9]+(?![^\W_]|\.[0-9]) )
  | (?P<ordinal> [0-9]+(?:,[0-9]{{3}}){{0,7}}+(?i:st|nd|rd|th)(?![^\W_]) )
  | (?P<figure>  (?<=[^\W\d_]\.)[0-9]+(?=\.[0-9]+[^\W\d_]{{3}})
               | (?:[1-9][0-9]{{0,2}}(?:[ ][0-9]{{3}}){{0,6}}?[ ]000(?![.,]?[0-9]|[ ][0-9])
                   |[0-9]{{1,3}}(?:(?:,[0-9]{{3}}){{1,7}}+|(?:[\u00a0\u2009\u202f][0-9]{{3}}){{1,7}}+)(?![0-9])
                   |[0-9]+)
                 (?:\.[0-9]+)?(?:[eE][-+]?[0-9]{{1,3}}(?!\w))? | (?<![\w.])\.[0-9]+ )
  | (?P<times>   (?:(?<!\w)[xX]|×)(?=\s?[0-9]+(?:\.[0-9]+)?(?!\w)) )
  | (?P<dotted>  [^\W\d_](?:\.[^\W\d_](?![^\W_]))+\.? )
  | (?P<letter>  [{UNSPACED}] | [^\W\d_] )
  | (?P<mark>    \S )
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=AT_ONCE)
def lex(text: str) -> Sequence[Lexeme]:
    """Return the lexemes of a text, left to right. Everything but white space belongs to one.

    Thousands may be separated by blanks if the last group is zeros: `level 3 500 gp` has two numbers.
    """
    return tuple(
        Lexeme(match.lastgroup or "", words := match.group(), match.start(), match.end(), words.lower())
        for match in _LEXEME.finditer(text)
    )


def worth_of_sum(text: str) -> float:
    """Return a value that only preserves the order: hit dice of `5+3` are more than 5+1 and less than 6."""
    base, _, more = text.partition("+")
    return float(base) + min(float(more), 99.0) / 100


def fraction(slashed: str, largest_divisor: int = 32) -> float | None:
    """Return the value of a fraction like `3/4` or `5/4`; None for a larger value or divisor: `18/50` is a score."""
    over, _, under = slashed.replace("⁄", "/").partition("/")
    if not under.isdecimal() or len(under) > 2 or len(over) > 3:
        return None
    return int(over) / int(under) if 2 <= int(under) <= largest_divisor and int(over) < 2 * int(under) else None
