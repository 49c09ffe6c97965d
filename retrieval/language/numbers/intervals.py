"""Intervals and labels: a number alone, `7 to 9`, `17+`, `200 tons or less`, `Table 9`."""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from retrieval.language.lexer import Lexeme
from retrieval.language.numbers.amounts import Amount, amount, following
from retrieval.language.numbers.numerals import PERCENTILE_HUNDRED, hyphen_at, mark_at, touches, word_at
from retrieval.language.numbers.quantity import (
    AFTER_LABEL,
    AS_TEXT,
    DOWNWARDS,
    FUNCTION_WORDS,
    LONGEST_BOUND,
    MONTHS,
    NUMBER_WORDS,
    NUMBERING,
    OPENERS,
    OPENING,
    PHRASES,
    SUMMING,
    UNKNOWN_WAY,
    UPWARDS,
    Kind,
    Unit,
    beyond,
    singular,
)

_DASHES = frozenset("-–—−‐‑‒~…")
_STILL = frozenset({"present", "now", "today"})
_TO = frozenset({"to", "through", "thru", "until", "till"})
_BEGINNINGS = OPENERS | NUMBER_WORDS | {"between", "from", "a", "an", "-", "−", "–", "+"}
"""Words and marks with which a quantity can begin."""


class Interval(NamedTuple):
    """Both ends in the unit of the higher one, and the indices of the first piece and of the piece after the last."""

    low: float
    high: float
    kind: Kind
    at: int
    bare_next: int
    next: int
    unit: Unit | None = None
    singular: bool = False
    label: str | None = None
    base: tuple[float, float] | None = None
    """Both ends in base units, if they are written in different units."""

    @property
    def shares_unit(self) -> bool:
        """Whether the unit at the end of a list can also be its unit, unlike in `a bonus of 2 and 300 points`."""
        return self.unit is None and self.label is None and self.kind in ("number", "range", "ordinal")

    def labelled(self, label: str | None) -> "Interval":
        """Return the interval with its label; then the noun after it is not its unit, as in `level 9 fighter`.

        An ordinal numbers the noun that follows it, not the word before it: `a ranger of 12th level`.
        """
        if self.kind == "ordinal":
            return self if self.unit else self._replace(label=label)
        if label and self.singular:
            return self._replace(label=label, unit=None, next=self.bare_next, singular=False)
        return self._replace(label=label)

    def in_base_units(self) -> tuple[float, float]:
        """Return both ends in base units; excluded bounds remain excluded."""
        if self.base:
            return self.base
        return in_base(self.low, self.unit), in_base(self.high, self.unit)


def in_base(value: float, unit: Unit | None) -> float:
    """Return a written value in the base unit."""
    return value if unit is None else value * unit.factor + unit.offset


def interval(pieces: Sequence[Lexeme], at: int) -> Interval | None:
    """Return the number, range or open interval that begins at an index; None if there is none."""
    first = pieces[at]
    if first.kind in {"word", "mark"}:
        if first.lower not in _BEGINNINGS:
            return None
        if first.lower == "between":
            return _between(pieces, at)
        if first.lower == "from":
            return _from(pieces, at)
        if first.lower in OPENERS:
            return _opened(pieces, at)
    start = amount(pieces, at)
    return start and _grown(pieces, start)


def _single(start: Amount) -> Interval:
    return Interval(
        start.value, start.value, start.kind, start.at, start.bare_next, start.next, start.unit, start.singular
    )


def _grown(pieces: Sequence[Lexeme], start: Amount) -> Interval:
    """Return a number extended by what follows it: the other end of a range, a plus, `or more`."""
    if start.kind in AS_TEXT:
        return _single(start)
    grown = None if _is_of_code(pieces, start.at) else _range(pieces, start)
    return grown or _open_after(pieces, start) or _single(start)


def _is_of_code(pieces: Sequence[Lexeme], at: int) -> bool:
    """Whether a hyphen joins a number to letters before it: `CVE-2024-1234` and `ISO-8859-1` are not ranges."""
    joined = mark_at(pieces, at - 1) == "-" and touches(pieces, at - 1) and touches(pieces, at)
    return at > 1 and joined and pieces[at - 2].kind == "word"


def _range(pieces: Sequence[Lexeme], start: Amount) -> Interval | None:
    range_mark = start.next
    if mark_at(pieces, range_mark) == "+" and touches(pieces, range_mark) and word_at(pieces, range_mark + 1) in _TO:
        range_mark += 1
    after_mark = _after_range_mark(pieces, range_mark)
    last = amount(pieces, after_mark) if after_mark else None
    if last:
        return _joined(start, last)
    # `10 to <16`, `10 but less than 16`: without a connecting word, a number before a bound is a separate quantity.
    meets = after_mark or range_mark + (word_at(pieces, range_mark) == "but")
    end, below = _after_upper_bound(pieces, meets) if meets > range_mark else (0, False)
    last = amount(pieces, end) if end else None
    both = _joined(start, last) if last else None
    if both and _begins_with(both, start):
        return _within_bounds(both, without_low=False, without_high=below)
    return _twice_counted(pieces, start)


def _after_upper_bound(pieces: Sequence[Lexeme], at: int) -> tuple[int, bool]:
    """Return the index after `<` or `at most`, and whether the number after it is excluded; 0 if there is none."""
    for length in range(LONGEST_BOUND, 0, -1):
        bound = PHRASES.get(tuple(piece.lower for piece in pieces[at : at + length]))
        if bound and not bound[0]:
            return at + length, bound[1]
    return 0, False


def _within_bounds(both: Interval, *, without_low: bool, without_high: bool) -> Interval:
    """Return a range without the ends that its bounds exclude."""
    (low, high), base = (
        (beyond(low) if without_low else low, -beyond(-high) if without_high else high)
        for low, high in ((both.low, both.high), both.in_base_units())
    )
    return both._replace(low=low, high=high, base=base)


def _twice_counted(pieces: Sequence[Lexeme], start: Amount) -> Interval | None:
    """Return a range with the same unknown unit after both ends: `100.01 GT to 500 GT`; else None."""
    counted = word_at(pieces, start.next)
    position = _after_range_mark(pieces, start.next + 1) if counted and start.unit is None else 0
    last = amount(pieces, position) if position else None
    if last is None or last.unit or word_at(pieces, last.next) != counted:
        return None
    both = _joined(start, last)
    return both and both._replace(next=last.next + 1, bare_next=last.next + 1)


def _after_range_mark(pieces: Sequence[Lexeme], at: int) -> int:
    """Return the index after `-`, `to` or `up to`; 0 if there is none."""
    if word_at(pieces, at) in _TO:
        return at + 1
    if word_at(pieces, at) == "up" and word_at(pieces, at + 1) == "to":
        return at + 2
    if (
        mark_at(pieces, at) == "."
        and mark_at(pieces, at + 1) == "."
        and touches(pieces, at)
        and touches(pieces, at + 1)
    ):
        return at + 2
    if mark_at(pieces, at) not in _DASHES:
        return 0
    # `3 -5` is a number and a negative one; `3-5`, `3 - 5` and `3 –5` are ranges.
    lone = not touches(pieces, at) and touches(pieces, at + 1) and pieces[at].text != "–"
    return 0 if lone else at + 1


def _joined(start: Amount, last: Amount) -> Interval | None:
    if last.kind in AS_TEXT or ("fraction" in (start.kind, last.kind) and not start.value < last.value):
        return None
    unit, own = last.unit or start.unit, start.unit or last.unit
    if unit and own and unit.name != own.name:
        return None
    low, high = start.value, _completed(start, last)
    ends = in_base(low, own), in_base(high, unit)
    if ends[0] > ends[1]:
        low, high, unit, own = high, low, own, unit
        ends = ends[1], ends[0]
    base = None
    if unit and own and own != unit:
        base, low = ends, (ends[0] - unit.offset) / unit.factor
    return Interval(low, high, "range", start.at, last.bare_next, last.next, unit, last.singular, base=base)


def _begins_with(both: Interval, start: Amount) -> bool:
    """Whether the first number of a range is its lower end."""
    return both.in_base_units()[0] == in_base(start.value, start.unit or both.unit)


def _completed(start: Amount, last: Amount) -> float:
    """Return the upper end: 100 for `96-00`, the year 2005 for `2004–05`."""
    if last.figures.isdigit() and start.figures.isdigit() and len(last.figures) == 2 < len(start.figures) == 4:
        whole = start.value - start.value % 100 + (0 if last.figures == PERCENTILE_HUNDRED else last.value)
        whole += 100 if last.figures == PERCENTILE_HUNDRED else 0
        return whole if whole > start.value else last.value
    return last.value


def _between(pieces: Sequence[Lexeme], at: int) -> Interval | None:
    """Return the interval of `between 3 and 5`; None without two numbers."""
    low = amount(pieces, at + 1, joined=False)
    if low is None or low.kind in AS_TEXT or word_at(pieces, low.next) != "and":
        return None
    high = amount(pieces, low.next + 1)
    both = _joined(low, high) if high else None
    return both and both._replace(at=at)


def _from(pieces: Sequence[Lexeme], at: int) -> Interval | None:
    """Return the interval of `from 10 up to 20` or `from 17 on`, or None."""
    start = amount(pieces, at + 1)
    if start is None or start.kind in AS_TEXT:
        return None
    grown = _grown(pieces, start)
    if grown.kind in ("range", "open"):
        return grown._replace(at=at)
    if word_at(pieces, start.next) in ("on", "up", "upward", "upwards", "onward", "onwards"):
        return _open(start, True, False, start.next + 1)._replace(at=at)
    return None


def _opened(pieces: Sequence[Lexeme], at: int) -> Interval | None:
    """Return the interval of `more than 100`, `≥ 3` or `at most 5`, or None."""
    for length in range(LONGEST_BOUND, 0, -1):
        bound = PHRASES.get(tuple(piece.lower for piece in pieces[at : at + length]))
        if bound:
            position = at + length
            position += word_at(pieces, position) == "of" or mark_at(pieces, position) == "#"
            start = amount(pieces, position)
            if start is None or start.kind in AS_TEXT:
                return None
            if word_at(pieces, at) == "up" and word_at(pieces, at - 1) in SUMMING:
                return _single(start)._replace(at=at)  # points that add up to 104 are a single number
            return _step(pieces, start, *bound, at) or _open(start, *bound, start.next)._replace(at=at)
    return None


def _step(pieces: Sequence[Lexeme], start: Amount, upwards: bool, without: bool, at: int) -> Interval | None:
    """Return a step between two bounds: `over 3 to 4 kg`, `more than 1 but not more than 5`; or None."""
    if not upwards:
        return None
    joined = word_at(pieces, start.next) in ("and", "but")
    after_mark = 0 if joined else _after_range_mark(pieces, start.next)
    bounded, below = _after_upper_bound(pieces, after_mark or start.next + joined)
    end = bounded or after_mark
    last = amount(pieces, end) if end else None
    both = _joined(start, last) if last else None
    if both is None or not _begins_with(both, start):
        return None
    return _within_bounds(both, without_low=without, without_high=below)._replace(at=at)


def _open_after(pieces: Sequence[Lexeme], start: Amount) -> Interval | None:
    for position in dict.fromkeys((start.next, start.bare_next)):
        if mark_at(pieces, position) == "+" and touches(pieces, position) and not _goes_on(pieces, position + 1):
            return _with_unit(pieces, start, _open(start, True, False, position + 1))
        word = word_at(pieces, position + 1)
        if mark_at(pieces, position) in _DASHES and word in _STILL:
            return _open(start, True, False, position + 2)
        if word_at(pieces, position) in ("or", "and") and word in OPENING:
            if word in UNKNOWN_WAY:
                return _single(start)._replace(kind="open", bare_next=position + 2, next=max(start.next, position + 2))
            return _with_unit(pieces, start, _open(start, word in UPWARDS, False, position + 2))
    return None


def _goes_on(pieces: Sequence[Lexeme], at: int) -> bool:
    return touches(pieces, at) and (pieces[at].kind == "figure" or mark_at(pieces, at) == "+")


def _with_unit(pieces: Sequence[Lexeme], start: Amount, opened: Interval) -> Interval:
    """Return an open interval with the unit after it: `5+ years`, `5 or more ranks`."""
    if opened.unit:
        return opened
    after = following(pieces, opened.next, start.at)
    return opened._replace(unit=after.unit, next=after.next, bare_next=opened.next, singular=after.singular)


def _open(start: Amount, upwards: bool, without: bool, after: int) -> Interval:
    bound = start.value
    if without:
        bound = beyond(bound) if upwards else -beyond(-bound)
    ends = (bound, inf) if upwards else (-inf, bound)
    bare = start.bare_next if after == start.next else after
    return Interval(*ends, "open", start.at, bare, max(after, start.next), start.unit, start.singular)


_LONGEST_ABBREVIATION = 4
_NO_LABEL = FUNCTION_WORDS | NUMBER_WORDS | AFTER_LABEL
_NO_NAME = NUMBERING | MONTHS | FUNCTION_WORDS | NUMBER_WORDS
_COMPARING = (FUNCTION_WORDS - {"one"}) | UPWARDS | DOWNWARDS | frozenset("<>=≤≥⩽⩾")
"""Beginnings of intervals that separate the number from the word before it."""
_LEADING = frozenset(":=#")
_APOSTROPHES = frozenset("'’")
_SENTENCE_ENDS = frozenset(".!?:;")


def label_before(pieces: Sequence[Lexeme], at: int) -> str | None:
    """Return the label before a number: `level five`, `score of ten`, `strength: 15`, `frame no. 10`; or None."""
    position = at - 1
    if hyphen_at(pieces, position):
        position -= 1
    else:
        for _ in range(3):
            position -= _leads_to_number(pieces, position)
    if position < 0 or pieces[position].kind not in ("word", "dice"):
        return None
    word = pieces[position].lower
    return None if word in _NO_LABEL or not _APOSTROPHES.isdisjoint(word) else singular(word)


def _leads_to_number(pieces: Sequence[Lexeme], at: int) -> bool:
    mark = mark_at(pieces, at)
    return mark in _LEADING or (mark == "." and word_at(pieces, at - 1) == "no") or word_at(pieces, at) in AFTER_LABEL


def follows_name(pieces: Sequence[Lexeme], at: int) -> bool:
    """Whether a number directly follows a name: an identifier, or a capitalised word within a sentence.

    Words that number things (`Level 5`) and short ones in capitals (`AC 5`, `TL 10`) are not names.
    """
    position = at - 1
    position -= hyphen_at(pieces, position)
    if position < 0 or pieces[position].kind != "word" or pieces[at].lower in _COMPARING:
        return False
    word = pieces[position].text
    if not _APOSTROPHES.isdisjoint(word):
        return False
    if _is_identifier(word):
        return True
    if not word[0].isupper() or singular(word.lower()) in _NO_NAME:
        return False
    if word.isupper() and len(word) <= _LONGEST_ABBREVIATION:
        return False
    return position > 0 and mark_at(pieces, position - 1) not in _SENTENCE_ENDS


def _is_identifier(word: str) -> bool:
    return not word.isalpha() or (word[1:] != word[1:].lower() and not word.isupper())
