"""The times that a question states as conditions, and the date field of each."""

from collections.abc import Collection, Container, Sequence
from dataclasses import replace
from datetime import date, timedelta

from retrieval.understand.analysis import TemporalRef
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, text_of
from retrieval.understand.reading.grammar import AUXILIARIES, DATING, GLUE, NEGATIONS, is_event, meant_date
from retrieval.understand.reading.number_fields import dimension
from retrieval.understand.reading.times.periods import is_month, period
from retrieval.understand.reading.times.relative import WEEKDAYS, age
from retrieval.understand.reading.times.spans import (
    BACK,
    BOUNDS,
    MONTHS,
    ONWARD,
    SEASONS,
    SURE,
    Period,
    Range,
    before,
    earlier,
    in_year,
    is_number,
    later,
    nearest,
    said_here,
    since,
    year_of,
)

Gap = tuple[date, date]
"""First and last day of what lies between two times of a list."""


def listed(words: Sequence[Word], found: Range, today: date) -> tuple[Range, tuple[Gap, ...]]:
    """A time with those that are listed behind it, from the first to the last, and what is left out between them.

    Args:
        words: of the question.
        found: the first of the list; one that is open at an end is no list.
        today: what `last month` goes back from.
    """
    gaps: list[Gap] = []
    while found.start and found.end and found.stop + 1 < len(words) and words[found.stop].key in ("or", "and", ","):
        begin = found.stop + 1
        for skipped in (("or", "and"), ("in", "from")):  # `2019, 2020, or in 2021`
            begin += words[begin].key in skipped and begin + 1 < len(words)
        following = period(words, begin, today)
        if following is None:
            break
        start, end = _of_year(words, found, begin, following.start, following.length)
        if following.start <= end:
            break
        between = (end + timedelta(days=1), following.start - timedelta(days=1))
        gaps += [between] if between[0] <= between[1] else []
        found = replace(found, start=start, end=following.end, stop=begin + following.length)
    return found, tuple(gaps)


def _of_year(words: Sequence[Word], found: Range, begin: int, day: date, length: int) -> Gap:
    """A month without a year is of the year that the next one tells: `January or February 2024`."""
    start, end = found.start or day, found.end or day
    terms = [word.text.lower() for word in words[found.first : found.stop]]
    told = any(year_of(word.text) for word in words[begin : begin + length])
    if not told or any(map(year_of, terms)) or not any(word in MONTHS for word in terms):
        return start, end
    year = day.year if start.month < day.month else day.year - 1
    return in_year(start, year), in_year(end, year + end.year - start.year, closes=start != end)


STOPS = frozenset(
    {"of", "for", "in", "on", "by", "with", "from", "to", "about", "and", "or", "that", "which", "is", "are", "was"}
    | {"were", "at", "as", "how", "what", "who", "when", "where", "why", "do", "does", "did", "has", "have", "had"}
)
"""Words that end a phrase of nouns."""


def may_be_time(words: Sequence[Word], at: int, phrase: tuple[str, ...], *, happens: bool) -> bool:
    """Whether a bare year, month or season is a time: `in May`, `after 2019`, but not `over 2000 words`.

    Args:
        words: of the question.
        at: place of the year, month or season.
        phrase: the words before it.
        happens: whether a word before them says what happened then: `made in summer`.
    """
    if not is_number(words[at].text):
        return is_month(words[at]) or happens
    if phrase[0] in ("over", "for", "by", "of", "past", "on") and not (happens and phrase[0] in ("for", "by")):
        return False
    following = words[at + 1] if at + 1 < len(words) else None
    return following is None or not following.is_plural or following.key in STOPS | {"onward"}


def is_attribute(words: Sequence[Word], at: int, heads: Container[int]) -> bool:
    """`the 2019 proposals`, `2018 governance PEPs`: a year before what documents are called."""
    before_it = words[at - 1].key if at else "the"
    near = any(number in heads for number in range(at + 1, min(len(words), at + 4)))
    is_year = 1900 <= int(words[at].text) <= 2100
    return is_year and near and before_it in ("the", "all", "of", "and", "or", ",", "show", "me")


def is_calendar_word(word: Word) -> bool:
    """Whether a word names a day of the week, a month or a season."""
    return word.key in {*WEEKDAYS, *MONTHS, *SEASONS}


_COMPARED = {("more", "than"): True, ("less", "than"): False, ("over",): True, ("under",): False}
_COMPARED |= {("at", "least"): True, ("at", "most"): False, ("upwards", "of"): True, ("well", "over"): True}
"""Before how long ago something was: whether that was earlier."""
_OR_LONGER = (("or", "more"), ("or", "longer"), ("and", "more"), ("and", "longer"))
_TIMES = frozenset({"second", "month"})
"""What fields of durations measure."""
_NEAR = 4


def untouched(words: Sequence[Word], at: int, today: date, catalog: Catalog) -> Range | None:
    """`nobody has touched for a year`, `not updated in six months`, `unchanged since March`."""
    if words[at].key not in ("for", "in", "since") or at == 0:
        return None
    denied = any(_denies(word) for word in words[max(0, at - _NEAR) : at])
    if not (_is_undone(words[at - 1]) or (denied and is_event(words[at - 1], catalog))):
        return None
    if words[at].key != "since":
        return _since_so_long(words, at, today)
    day = period(words, at + 1, today)
    return earlier(day, at, at + 1 + day.length, words) if day else None


def lasting(words: Sequence[Word], at: int, today: date, catalog: Catalog, valued: Collection[int]) -> Range | None:
    """`open for more than two weeks`, `that have been waiting for a month`: so long ago or longer.

    Args:
        words: of the question.
        at: place of `for`.
        today: what it goes back from.
        catalog: with the fields; where one measures a time, it is asked instead.
        valued: places of words that are values.
    """
    if words[at].key != "for" or at == 0:
        return None
    been = any(word.key == "been" for word in words[max(0, at - _NEAR) : at])
    if not (been or at - 1 in valued):
        return None
    numbers = [field for field in catalog.fields.values() if field.kind in ("number", "identity")]
    return None if any(dimension(number, numbers) in _TIMES for number in numbers) else _since_so_long(words, at, today)


def long_ago(words: Sequence[Word], at: int, today: date) -> Range | None:
    """`more than two months ago` is before that day, `less than a week ago` after it; `under two years old` as well."""
    begin, is_earlier = _compared(words, at)
    if begin == at:
        return None
    bound = earlier if is_earlier else later
    matches = period(words, begin, today)
    if matches and words[begin + matches.length - 1].key in ("ago", "back"):
        return bound(matches, at, begin + matches.length, words)
    old = age(words, begin, today)
    if old and begin + old.length < len(words) and words[begin + old.length].key == "old":
        return bound(old, at, begin + old.length + 1, words)
    return None


def _since_so_long(words: Sequence[Word], at: int, today: date) -> Range | None:
    """`for over two years`, `in six months`, `for a year or more`; `for less than a year` says nothing of before."""
    begin, is_earlier = _compared(words, at + 1)
    old = age(words, begin, today) if is_earlier or begin == at + 1 else None
    if old is None:
        return None
    stop = begin + old.length
    keys = tuple(word.key for word in words[stop : stop + 2])
    return earlier(old, at, stop + (2 if keys in _OR_LONGER else 0), words)


def _compared(words: Sequence[Word], at: int) -> tuple[int, bool]:
    """The place behind `more than` and its like, and whether it goes back further; the place itself without."""
    keys = tuple(word.key for word in words[at : at + 2])
    phrase = next((each for each in _COMPARED if keys[: len(each)] == each), ())
    return at + len(phrase), _COMPARED.get(phrase, False)


def _is_undone(word: Word) -> bool:
    """`untouched`, `unchanged`."""
    return word.key.startswith("un") and word.key.removeprefix("un") in DATING


def _denies(word: Word) -> bool:
    return word.key in NEGATIONS | {"nobody", "none"} or word.key.endswith(("n't", "n’t"))


RECENT = 12
"""Months: what is recent is not older."""

_TO = frozenset({"to", "until", "till", "through", "thru", "and", "-", "–", "—"})
_OPENING = frozenset({"between", "from", "in", "during", "of", "for", "within", "over"})
_NEW = frozenset({"recent", "newest", "latest"})
_NOW = (("straight", "away"), ("right", "away"), ("right", "now"), ("at", "once"), ("immediately",), ("now",))
_STARTING = frozenset({"from", "avail", "available", "availability", "vacant", "ready"})
"""Words of dates from which on something may be had."""
_PASSED = frozenset({"recent", "recently", "lately", "newly"})


def temporal_refs(
    text: str,
    words: Sequence[Word],
    catalog: Catalog,
    today: date,
    heads: Container[int] = (),
    valued: Collection[int] = (),
) -> tuple[TemporalRef, ...]:
    """The times that are conditions, left to right, not overlapping.

    Args:
        text: the question.
        words: its words.
        catalog: with the dates.
        today: what `last month` goes back from.
        heads: places of the nouns that documents are called by.
        valued: places of words that are values: `Monday` is no date of courses that are held on Mondays.
    """
    refs: list[TemporalRef] = []
    at = 0
    while at < len(words):
        old = untouched(words, at, today, catalog)
        each = (
            old
            or lasting(words, at, today, catalog, valued)
            or _range(words, at, today, heads, catalog)
            or _recent(words, at, heads, today, catalog)
            or _recent_values(words, at, valued, today, catalog)
        )
        if each is None:
            at += 1
            continue
        if _is_value(words[each.first : each.stop], each.first, valued):
            at = each.stop
            continue
        each, gaps = listed(words, each, today)
        field = meant_date(words, each.first, each.stop, catalog, each.start, each.end)
        if field and words[each.first].key in _PASSED and field.reaches_past(today):
            each = replace(each, end=today)  # what happens next year is not recent
        if field:
            start, end = nearest(words[each.first : each.stop], each.start, each.end, field, today)
            each = replace(each, start=start, end=end)
        terms, span = text_of(text, words[each.first : each.stop]), (words[each.first].start, words[each.stop - 1].end)
        negated = not old and _is_denied(words, each.first, catalog)
        name = field.name if field else None
        refs.append(TemporalRef(terms, each.start, each.end, each.confidence, span, name, negated))
        refs += [TemporalRef(terms, *gap, each.confidence, span, name, not negated) for gap in gaps]
        at = each.stop
    return tuple(refs)


def _is_value(said: Sequence[Word], first: int, valued: Collection[int]) -> bool:
    """Whether the days, months and seasons of a time are values of another field, and nothing else is said of it."""
    told = [at for at, word in enumerate(said, first) if word.key not in GLUE or is_calendar_word(word)]
    return bool(told) and all(at in valued and is_calendar_word(said[at - first]) for at in told)


def _is_denied(words: Sequence[Word], at: int, catalog: Catalog) -> bool:
    """`not in 2020`, `never shown in May`, `except in 2020`, `neither in 2019`."""
    at -= 1
    while at >= 0 and (is_event(words[at], catalog) or words[at].key in AUXILIARIES):
        at -= 1
    return at >= 0 and (words[at].key in ("not", "never", "except", "neither", "nor") or words[at].key.endswith("n't"))


def _begins(catalog: Catalog) -> bool:
    """Whether a date says when something begins."""
    return any(word.startswith(("start", "begin")) for date in catalog.dates for word in date.words)


def _range(words: Sequence[Word], at: int, today: date, heads: Container[int], catalog: Catalog) -> Range | None:
    """`between A and B`, `from A to B`, `A to B`, one time behind a preposition, or one that needs none."""
    first = period(words, at, today)
    for begin, opening in ((at + 1, period(words, at + 1, today)), (at, first)):
        if opening and (begin == at or words[at].key in _OPENING):
            both = _until(words, begin + opening.length, opening, today)
            if both and (words[at].key in ("between", "from") or words[begin + opening.length].key != "and"):
                return replace(both, first=at)
    behind = long_ago(words, at, today) or _behind_preposition(words, at, today, catalog)
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
    ends = at + 1 == len(words) or words[at + 1].key in (",", "?", ".", "nor")
    apart = at > 0 and words[at - 1].key in (",", "neither", "nor") and ends
    is_named = is_number(words[at].text) and (apart or is_attribute(words, at, heads))
    return Range(first.start, first.end, at, at + first.length, 0.8) if is_named else None


def _behind_preposition(words: Sequence[Word], at: int, today: date, catalog: Catalog) -> Range | None:
    keys = tuple(word.key for word in words[at : at + 4])
    for phrase, bound in BOUNDS:
        begin = at + len(phrase)
        if keys[: len(phrase)] != phrase or begin >= len(words):
            continue
        if bound is since and keys[0] in ("starting", "beginning") and _begins(catalog):
            continue  # `starting in May` is said of what starts
        begin += words[begin].key == "-" and begin + 1 < len(words)  # `pre-2015`
        begin += words[begin].key == "the" and period(words, begin, today) is None and begin + 1 < len(words)
        matches = period(words, begin, today)
        happens = at > 0 and is_event(words[at - 1], catalog)
        if matches and (not matches.is_bare or may_be_time(words, begin, phrase, happens=happens)):
            return bound(matches, at, begin + matches.length, words)
        old = age(words, begin, today) if matches is None and phrase[-1] == "than" else None
        if old:
            return bound(old, at, begin + old.length, words)
    return None


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
    shares = not is_number(before_joint) if first.is_bare else not has_year and start > last.start
    if shares:  # `September to November 2018`, `November to February 2019`
        is_later = (start.month, start.day) > (last.start.month, last.start.day)
        start = in_year(start, last.start.year - is_later)
    return Range(start, last.end, joint, joint + 1 + last.length, 0.95) if start <= last.end else None


def _at_once(words: Sequence[Word], at: int, catalog: Catalog) -> int:
    """How many words say `straight away`, where a date tells from when on something may be had."""
    if not any(_STARTING.intersection(date.words) for date in catalog.dates):
        return 0
    keys = tuple(word.key for word in words[at : at + 2])
    return next((len(phrase) for phrase in _NOW if keys[: len(phrase)] == phrase), 0)


def _recent_values(
    words: Sequence[Word], at: int, valued: Collection[int], today: date, catalog: Catalog
) -> Range | None:
    """`recent high priority`: before values, where the question says nothing else."""
    if words[at].key not in _NEW or any(word.key not in GLUE for word in words[:at]):
        return None
    rest = range(at + 1, len(words))
    named = {word for field in catalog.fields.values() for word in field.words}
    told = all(position in valued or words[position].key in GLUE | named for position in rest)
    if not told or not any(position in valued for position in rest):
        return None
    return Range(before(today, months=RECENT), None, at, at + 1, 0.85)


def _recent(words: Sequence[Word], at: int, heads: Container[int], today: date, catalog: Catalog) -> Range | None:
    """`recent` before what documents are called, `recently created`."""
    key = words[at].key
    if now := _at_once(words, at, catalog):
        return Range(None, today, at, at + now, 0.85)
    if key in ("recently", "lately", "newly") and at + 1 < len(words) and is_event(words[at + 1], catalog):
        return Range(before(today, months=RECENT), None, at, at + 1, 0.9)
    if key in _NEW and at + 1 < len(words) and words[at + 1].is_plural:
        following = words[at + 2].key if at + 2 < len(words) else "by"
        if following in ("by", "from", "of", ",", "?"):
            return Range(before(today, months=RECENT), None, at, at + 1, 0.8)
    if key in _NEW and not (at + 1 < len(words) and words[at + 1].key in ("call", "than")):
        for number in range(at + 1, min(len(words), at + 6)):
            if number in heads:
                return Range(before(today, months=RECENT), None, at, at + 1, 0.85)
            if not words[number].key.isalpha() or words[number].key in STOPS:
                return None
    return None
