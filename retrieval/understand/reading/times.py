"""The times that a question names as conditions, and which date each is about."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from retrieval.understand.analysis import TemporalRef
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, text_of
from retrieval.understand.reading.bare_times import STOPS, is_attribute, may_be_time
from retrieval.understand.reading.grammar import NEGATIONS
from retrieval.understand.reading.nearest import nearest
from retrieval.understand.reading.periods import period
from retrieval.understand.reading.relative import age
from retrieval.understand.reading.spans import Period, before, is_number
from retrieval.understand.reading.verbs import DATING, is_event, meant_date

RECENT = 12
"""Months: what is recent is not older."""

_SINCE = (("since",), ("starting",), ("beginning",), ("from",))
_AFTER = (("after",), ("later", "than"), ("newer", "than"), ("younger", "than"), ("more", "recent", "than"), ("past",))
_BEFORE = (("before",), ("earlier", "than"), ("older", "than"), ("prior", "to"), ("pre",))
_UNTIL = (("until",), ("till",), ("through",), ("up", "to"), ("by",), ("no", "later", "than"), ("as", "of"))
_WITHIN = (("in",), ("during",), ("on",), ("within",), ("of",), ("for",), ("over",), ("throughout",), ("dated",))
_TO = frozenset({"to", "until", "till", "through", "thru", "and", "-", "–", "—"})
_ONWARD = (("onward",), ("on",), ("and", "later"), ("and", "after"), ("or", "later"), ("and", "onward"), ("+",))
_BACK = (("or", "earlier"), ("and", "earlier"), ("or", "before"), ("and", "before"), ("or", "older"))
_NEW = frozenset({"recent", "newest", "latest"})

_SURE = 0.95


@dataclass(frozen=True, slots=True)
class _Range:
    start: date | None
    end: date | None
    first: int
    """Of the words that say it, with its preposition."""
    stop: int
    confidence: float


def temporal_refs(
    text: str, words: Sequence[Word], catalog: Catalog, today: date, heads: Container[int] = ()
) -> tuple[TemporalRef, ...]:
    """The times that are conditions, left to right, not overlapping.

    Args:
        text: the question.
        words: its words.
        catalog: with the dates.
        today: what `last month` goes back from.
        heads: places of the nouns that documents are called by.
    """
    found: list[TemporalRef] = []
    at = 0
    while at < len(words):
        each = _range(words, at, today, heads, catalog) or _recent(words, at, heads, today, catalog)
        if each is None:
            at += 1
            continue
        each = _with_list(words, each, today)
        field = meant_date(words, each.first, each.stop, catalog, each.start, each.end)
        if field:
            start, end = nearest(words[each.first : each.stop], each.start, each.end, field, today)
            each = replace(each, start=start, end=end)
        span = (words[each.first].start, words[each.stop - 1].end)
        negated = at > 0 and words[at - 1].key in ("not", "never", "except")
        found.append(
            TemporalRef(
                text_of(text, words[each.first : each.stop]),
                each.start,
                each.end,
                each.confidence,
                span,
                field.name if field else None,
                negated,
            )
        )
        at = each.stop
    return tuple(found)


def _range(words: Sequence[Word], at: int, today: date, heads: Container[int], catalog: Catalog) -> _Range | None:
    """`between A and B`, `from A to B`, `A to B`, one time behind a preposition, or one that needs none."""
    first = period(words, at, today)
    for begin, opening in ((at + 1, period(words, at + 1, today)), (at, first)):
        if opening and (begin == at or words[at].key in ("between", "from")):
            both = _until(words, begin + opening.length, opening, today)
            if both and (begin > at or words[begin + opening.length].key != "and"):
                return replace(both, first=at)
    behind = _untouched(words, at, today) or _long_ago(words, at, today) or _behind_preposition(words, at, today)
    if behind or first is None:
        return behind
    onward, back = (_said(words, at + first.length, which) for which in (_ONWARD, _BACK))
    if onward or back:
        start, end = (first.start, None) if onward else (None, first.end)
        return _Range(start, end, at, at + first.length + onward + back, _SURE)
    if not first.is_bare:
        # Without a preposition a time is an attribute of something: of what was made then, or of the topic.
        ends = all(not word.key[0].isalnum() for word in words[at + first.length :])
        opens = at == 0 or ends or words[at - 1].key == "," or words[at - 1].is_plural
        sure = 0.9 if opens or is_event(words[at - 1], catalog) else 0.6
        return _Range(first.start, first.end, at, at + first.length, sure)
    is_named = is_number(words[at].text) and is_attribute(words, at, heads)
    return _Range(first.start, first.end, at, at + first.length, 0.8) if is_named else None


def _untouched(words: Sequence[Word], at: int, today: date) -> _Range | None:
    """`nobody has touched for a year`, `not updated in six months`."""
    if words[at].key not in ("for", "in") or at == 0 or words[at - 1].text.lower() not in DATING:
        return None
    denied = any(word.key in NEGATIONS | {"nobody"} or word.key.endswith("n't") for word in words[max(0, at - 4) : at])
    old = age(words, at + 1, today) if denied else None
    return _earlier(old, at, at + 1 + old.length, words) if old else None


def _long_ago(words: Sequence[Word], at: int, today: date) -> _Range | None:
    """`more than two months ago` is before that day, `less than a week ago` after it."""
    than = tuple(word.key for word in words[at : at + 2])
    found = period(words, at + 2, today) if than in (("more", "than"), ("less", "than")) else None
    if found is None or words[at + 1 + found.length].key not in ("ago", "back"):
        return None
    bound = _earlier if than[0] == "more" else _later
    return bound(found, at, at + 2 + found.length, words)


def _behind_preposition(words: Sequence[Word], at: int, today: date) -> _Range | None:
    said = tuple(word.key for word in words[at : at + 3])
    for phrase, bound in _BOUNDS:
        begin = at + len(phrase)
        if said[: len(phrase)] != phrase or begin >= len(words):
            continue
        begin += words[begin].key == "the" and period(words, begin, today) is None and begin + 1 < len(words)
        found = period(words, begin, today)
        if found and not (found.is_bare and not may_be_time(words, begin, phrase)):
            return bound(found, at, begin + found.length, words)
        old = age(words, begin, today) if found is None and phrase[-1] == "than" else None
        if old:
            return bound(old, at, begin + old.length, words)
    return None


def _with_list(words: Sequence[Word], found: _Range, today: date) -> _Range:
    """`from 2001 or 2002`: one time that goes on where the other ends."""
    if found.start is None or found.end is None:
        return found
    joint = found.stop
    if joint + 1 < len(words) and words[joint].key in ("or", "and", ","):
        following = period(words, joint + 1, today)
        if following and following.start == found.end + timedelta(days=1):
            longer = replace(found, end=following.end, stop=joint + 1 + following.length)
            return _with_list(words, longer, today)
    return found


def _until(words: Sequence[Word], joint: int, first: Period, today: date) -> _Range | None:
    if joint + 1 >= len(words) or words[joint].key not in _TO:
        return None
    last = period(words, joint + 1, today)
    if last is None:
        return None
    start = first.start
    has_year = any(is_number(word.text) and len(word.text) == 4 for word in words[max(0, joint - 4) : joint])
    if not has_year and not first.is_bare and start > last.start:
        start = start.replace(year=last.start.year, day=min(start.day, 28) if start.month == 2 else start.day)
    if first.is_bare and not is_number(words[joint - 1].text) and start > last.start:
        start = first.start.replace(year=last.start.year)  # September to November 2018
    elif first.is_bare and not is_number(words[joint - 1].text):
        start = first.start.replace(
            year=last.start.year if first.start.month <= last.start.month else last.start.year - 1
        )
    return _Range(start, last.end, joint, joint + 1 + last.length, 0.95) if start <= last.end else None


def _earlier(found: Period, first: int, stop: int, _: Sequence[Word]) -> _Range:
    return _Range(None, found.start - timedelta(days=1), first, stop, _SURE)


def _later(found: Period, first: int, stop: int, _: Sequence[Word]) -> _Range:
    return _Range(found.end + timedelta(days=1), None, first, stop, _SURE)


def _since(found: Period, first: int, stop: int, words: Sequence[Word]) -> _Range:
    if words[first].key != "from":
        return _Range(found.start, None, first, stop, _SURE)
    onward = _said(words, stop, _ONWARD)
    return _Range(found.start, None if onward else found.end, first, stop + onward, _SURE)


def _said(words: Sequence[Word], at: int, phrases: Sequence[tuple[str, ...]]) -> int:
    """How many words say one of these: `and later`."""
    said = tuple(word.key for word in words[at : at + 2])
    return max((len(phrase) for phrase in phrases if said[: len(phrase)] == phrase), default=0)


def _up_to(found: Period, first: int, stop: int, _: Sequence[Word]) -> _Range:
    return _Range(None, found.end, first, stop, 0.9)


def _within(found: Period, first: int, stop: int, words: Sequence[Word]) -> _Range:
    back, onward = (_said(words, stop, which) for which in (_BACK, _ONWARD[2:]))
    return _Range(None if back else found.start, None if onward else found.end, first, stop + back + onward, _SURE)


_Bound = Callable[[Period, int, int, Sequence[Word]], _Range]
_BOUNDS: tuple[tuple[tuple[str, ...], _Bound], ...] = (
    *((phrase, _earlier) for phrase in _BEFORE),
    *((phrase, _later) for phrase in _AFTER),
    *((phrase, _since) for phrase in _SINCE),
    *((phrase, _up_to) for phrase in _UNTIL),
    *((phrase, _within) for phrase in _WITHIN),
)


def _recent(words: Sequence[Word], at: int, heads: Container[int], today: date, catalog: Catalog) -> _Range | None:
    """`recent` before what documents are called, `recently created`."""
    said = words[at].key
    if said in ("recently", "lately", "newly") and at + 1 < len(words) and is_event(words[at + 1], catalog):
        return _Range(before(today, months=RECENT), None, at, at + 1, 0.9)
    if said in _NEW and at + 1 < len(words) and words[at + 1].is_plural:
        following = words[at + 2].key if at + 2 < len(words) else "by"
        if following in ("by", "from", "of", ",", "?"):
            return _Range(before(today, months=RECENT), None, at, at + 1, 0.8)
    if said in _NEW and not (at + 1 < len(words) and words[at + 1].key in ("call", "than")):
        for place in range(at + 1, min(len(words), at + 6)):
            if place in heads:
                return _Range(before(today, months=RECENT), None, at, at + 1, 0.85)
            if not words[place].key.isalpha() or words[place].key in STOPS:
                return None
    return None
