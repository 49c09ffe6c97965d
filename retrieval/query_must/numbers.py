"""Numbers that stand together: a value, a list or a range, read forwards and spelled out.

Rule 5 of the canonical text. A list goes on only where the next number cannot be counting a noun; a range after a label
becomes its values, at most MOST_VALUES, and beyond that its two ends and an open interval.
"""

from math import inf, isnan
from typing import NamedTuple

from retrieval.query_must.lexicon import Lexicon
from retrieval.query_must.tokens import Token
from retrieval.query_must.vocabulary import Label

MOST_VALUES = 100
END = Token("mark", "")
"""What stands before the first token and after the last."""

_NUMERALS = ("number", "ordinal", "spelled")


class Numeral(NamedTuple):
    """A number as canonical text says it."""

    text: str
    value: float
    plain: bool
    """A cardinal that stands for itself; an ordinal or a fraction is none."""


class Run(NamedTuple):
    """Numbers that belong together, and the tokens [start, stop) that said so."""

    numerals: tuple[Numeral, ...]
    spans: tuple[tuple[float, float], ...]
    """Intervals too long to be spelled out."""
    start: int
    stop: int


class Link(NamedTuple):
    """What joins a number to the next one, which stands at `at`."""

    at: int
    ranged: bool
    tight: bool = False
    """A bare dash: nothing can count a noun here."""
    reversed_sign: bool = False
    """`levels 1 –3`: the label has no negative numbers, so the sign is the dash of a range."""


class Sentence(NamedTuple):
    """Marked tokens and the lexicon that marked them, with the questions that reading asks."""

    tokens: list[Token]
    lexicon: Lexicon

    def at(self, index: int) -> Token:
        """Return the token at an index, or END outside."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else END

    def is_numeral(self, index: int) -> bool:
        """Whether a number, ordinal or number word stands there."""
        return self.at(index).kind in _NUMERALS

    def is_counted(self, index: int) -> bool:
        """Whether a unit, a per cent sign or the plural of a counted noun stands there; `4 cleric` counts nobody."""
        token = self.at(index)
        if token.kind == "word":
            plural = token.raw != token.text
            return token.text in self.lexicon.units or (plural and token.text in self.lexicon.counted)
        return token.text == "%"

    def has_own_number(self, index: int) -> bool:
        """Whether the label at `index` is followed by a number of its own: `wis 15`, `HD: 4`."""
        index += 1
        while self.at(index).text in (":", "="):
            index += 1
        return self.is_numeral(index) or self.at(index).kind == "whole"


def numeral(token: Token) -> Numeral:
    """Return what a number token says; number words become figures, ordinals lose their ending."""
    if token.kind in ("spelled", "ordinal"):
        return Numeral(f"{token.value:.0f}", token.value, not token.ordinal)
    return Numeral(token.text, token.value, token.kind == "number")


def spell_out(first: Numeral, last: Numeral) -> tuple[tuple[Numeral, ...], tuple[tuple[float, float], ...]]:
    """Return the values after `first` up to `last`, and the interval where they are too many or not whole."""
    low, high = sorted((first.value, last.value))
    if isnan(low) or isnan(high):
        return (last,), ()
    if not (low.is_integer() and high.is_integer()) or high - low >= MOST_VALUES:
        return (last,), ((low, high),)
    step = 1 if last.value >= first.value else -1
    plain = first.plain and last.plain
    values = range(int(first.value) + step, int(last.value) + step, step) if low != high else ()
    return tuple(Numeral(str(value), float(value), plain) for value in values), ()


def read_run(sentence: Sentence, start: int, label: Label, *, between: bool = False, stop: int = 0) -> Run:
    """Read the list or range that begins with the numeral at `start`.

    `between` makes the first `and` a range. With `stop`, the numbers before that token are known to belong together
    (they stand before their label), and no question is asked about what follows each.
    """
    numerals: list[Numeral] = [numeral(sentence.at(start))]
    spans: list[tuple[float, float]] = []
    end = start + 1
    while (not stop or end < stop) and (link := find_link(sentence, end, label, between=between)) is not None:
        if not stop and not _goes_on(sentence, link, end - 1):
            break
        following = numeral(sentence.at(link.at))
        if link.reversed_sign:
            following = Numeral(following.text.removeprefix("-"), -following.value, following.plain)
        if link.ranged:
            values, span = spell_out(numerals[-1], following)
            numerals.extend(values)
            spans.extend(span)
        else:
            numerals.append(following)
        end, between = link.at + 1, False
    return Run(tuple(numerals), tuple(spans), start, end)


def find_link(sentence: Sentence, at: int, label: Label, *, between: bool = False) -> Link | None:
    """Find what joins the number before `at` to a next one, or None."""
    token, lexicon = sentence.at(at), sentence.lexicon
    if token.kind == "number" and token.text.startswith("-") and not label.negative:
        return Link(at, ranged=True, tight=True, reversed_sign=True)
    ranged = tight = False
    if token.text == "-" and token.kind == "mark":
        ranged = tight = True
        at += 1
    elif token.kind == "word" and token.raw in lexicon.range_words:
        ranged = True
        at += 1
    elif token.raw == "up" and sentence.at(at + 1).raw == "to":
        ranged = True
        at += 2
    else:
        after = _skip_list_words(sentence, at)
        if after == at:
            return None
        ranged, at = between and sentence.at(after - 1).raw == "and", after
    if ranged and sentence.at(at).kind == "label" and sentence.at(at).text == label.name:
        at += 1
    return Link(at, ranged, tight) if sentence.is_numeral(at) else None


def _skip_list_words(sentence: Sentence, at: int) -> int:
    if sentence.at(at).text in (",", ";", "&", "/") and sentence.at(at).kind == "mark":
        at += 1
    if sentence.at(at).kind == "word" and sentence.at(at).raw in sentence.lexicon.list_words:
        at += 1
    return at


def _goes_on(sentence: Sentence, link: Link, previous: int) -> bool:
    """Whether the next number of a list is the label's too, and does not count what follows it."""
    if sentence.at(previous).ordinal != sentence.at(link.at).ordinal:
        return False
    following = sentence.at(link.at + 1)
    if following.kind == "label":
        return link.ranged and sentence.has_own_number(link.at + 1)
    if link.tight:
        return following.text != "%" or following.kind != "mark"
    if sentence.is_counted(link.at + 1):
        return False
    if following.kind == "word":
        chosen = link.ranged or sentence.at(link.at - 1).raw == "or"
        # After a choice or a range a singular noun is described, not counted: `level 3 or 4 cleric`.
        return following.raw in sentence.lexicon.connectives or (chosen and following.text == following.raw)
    return following.kind == "mark" or link.ranged


def bound(value: float, way: str) -> tuple[float, float]:
    """Return the interval that opens from a value upwards or downwards."""
    return (value, inf) if way == "higher" else (-inf, value)
