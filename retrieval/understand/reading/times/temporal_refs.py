"""The times that a question names as conditions, and which date each is about."""

from collections.abc import Container, Sequence
from dataclasses import replace
from datetime import date, timedelta

from retrieval.understand.analysis import TemporalRef
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, text_of
from retrieval.understand.reading.grammar import NEGATIONS
from retrieval.understand.reading.times.bare_times import STOPS, is_attribute, may_be_time
from retrieval.understand.reading.times.bounds import BACK, BOUNDS, ONWARD, SURE, Range, earlier, later, said_here
from retrieval.understand.reading.times.nearest import nearest
from retrieval.understand.reading.times.periods import period
from retrieval.understand.reading.times.relative import age
from retrieval.understand.reading.times.spans import Period, before, is_number
from retrieval.understand.reading.verbs import DATING, is_event, meant_date

RECENT = 12
"""Months: what is recent is not older."""

_TO = frozenset({"to", "until", "till", "through", "thru", "and", "-", "–", "—"})
_OPENING = frozenset({"between", "from", "in", "during", "of", "for", "within", "over"})
_NEW = frozenset({"recent", "newest", "latest"})
_PASSED = frozenset({"recent", "recently", "lately", "newly"})


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
        if field and words[each.first].key in _PASSED and field.reaches_past(today):
            each = replace(each, end=today)  # what happens next year is not recent
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


def _range(words: Sequence[Word], at: int, today: date, heads: Container[int], catalog: Catalog) -> Range | None:
    """`between A and B`, `from A to B`, `A to B`, one time behind a preposition, or one that needs none."""
    first = period(words, at, today)
    for begin, opening in ((at + 1, period(words, at + 1, today)), (at, first)):
        if opening and (begin == at or words[at].key in _OPENING):
            both = _until(words, begin + opening.length, opening, today)
            if both and (words[at].key in ("between", "from") or words[begin + opening.length].key != "and"):
                return replace(both, first=at)
    behind = _untouched(words, at, today) or _long_ago(words, at, today) or _behind_preposition(words, at, today)
    if behind or first is None:
        return behind
    onward, back = (said_here(words, at + first.length, which) for which in (ONWARD, BACK))
    if onward or back:
        start, end = (first.start, None) if onward else (None, first.end)
        return Range(start, end, at, at + first.length + onward + back, SURE)
    if not first.is_bare:
        # Without a preposition a time is an attribute of something: of what was made then, or of the topic.
        ends = all(not word.key[0].isalnum() for word in words[at + first.length :])
        opens = at == 0 or ends or words[at - 1].key == "," or words[at - 1].is_plural
        named = words[at].key == "year"
        sure = 0.9 if opens or named or is_event(words[at - 1], catalog) else 0.6
        return Range(first.start, first.end, at, at + first.length, sure)
    apart = at > 0 and words[at - 1].key == "," and (at + 1 == len(words) or words[at + 1].key in (",", "?", "."))
    is_named = is_number(words[at].text) and (apart or is_attribute(words, at, heads))
    return Range(first.start, first.end, at, at + first.length, 0.8) if is_named else None


def _untouched(words: Sequence[Word], at: int, today: date) -> Range | None:
    """`nobody has touched for a year`, `not updated in six months`."""
    if words[at].key not in ("for", "in") or at == 0 or words[at - 1].text.lower() not in DATING:
        return None
    denied = any(word.key in NEGATIONS | {"nobody"} or word.key.endswith("n't") for word in words[max(0, at - 4) : at])
    old = age(words, at + 1, today) if denied else None
    return earlier(old, at, at + 1 + old.length, words) if old else None


def _long_ago(words: Sequence[Word], at: int, today: date) -> Range | None:
    """`more than two months ago` is before that day, `less than a week ago` after it."""
    than = tuple(word.key for word in words[at : at + 2])
    found = period(words, at + 2, today) if than in (("more", "than"), ("less", "than")) else None
    if found is None or words[at + 1 + found.length].key not in ("ago", "back"):
        return None
    bound = earlier if than[0] == "more" else later
    return bound(found, at, at + 2 + found.length, words)


def _behind_preposition(words: Sequence[Word], at: int, today: date) -> Range | None:
    said = tuple(word.key for word in words[at : at + 3])
    for phrase, bound in BOUNDS:
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


def _with_list(words: Sequence[Word], found: Range, today: date) -> Range:
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


def _until(words: Sequence[Word], joint: int, first: Period, today: date) -> Range | None:
    before_joint = words[joint - 1].text
    joint += [word.key for word in words[joint : joint + 2]] in (["up", "to"], ["through", "to"])
    if joint + 1 >= len(words) or words[joint].key not in _TO:
        return None
    last = period(words, joint + 1, today)
    if last is None and words[joint + 1].key in ("now", "present"):
        last = Period(today, today, 1)
    if last is None:
        return None
    start = first.start
    has_year = any(is_number(word.text) and len(word.text) == 4 for word in words[max(0, joint - 4) : joint])
    if not has_year and not first.is_bare and start > last.start:
        start = start.replace(year=last.start.year, day=min(start.day, 28) if start.month == 2 else start.day)
    if first.is_bare and not is_number(before_joint) and start > last.start:
        start = first.start.replace(year=last.start.year)  # September to November 2018
    elif first.is_bare and not is_number(before_joint):
        start = first.start.replace(
            year=last.start.year if first.start.month <= last.start.month else last.start.year - 1
        )
    return Range(start, last.end, joint, joint + 1 + last.length, 0.95) if start <= last.end else None


def _recent(words: Sequence[Word], at: int, heads: Container[int], today: date, catalog: Catalog) -> Range | None:
    """`recent` before what documents are called, `recently created`."""
    said = words[at].key
    if said in ("recently", "lately", "newly") and at + 1 < len(words) and is_event(words[at + 1], catalog):
        return Range(before(today, months=RECENT), None, at, at + 1, 0.9)
    if said in _NEW and at + 1 < len(words) and words[at + 1].is_plural:
        following = words[at + 2].key if at + 2 < len(words) else "by"
        if following in ("by", "from", "of", ",", "?"):
            return Range(before(today, months=RECENT), None, at, at + 1, 0.8)
    if said in _NEW and not (at + 1 < len(words) and words[at + 1].key in ("call", "than")):
        for place in range(at + 1, min(len(words), at + 6)):
            if place in heads:
                return Range(before(today, months=RECENT), None, at, at + 1, 0.85)
            if not words[place].key.isalpha() or words[place].key in STOPS:
                return None
    return None
