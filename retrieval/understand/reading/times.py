"""The times that a question uses as conditions, and the date field of each."""

from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import takewhile

from retrieval.understand.analysis import TemporalRef
from retrieval.understand.catalog.catalog import Catalog, CatalogField, spaced
from retrieval.understand.catalog.words import STEM, Word, stem, text_of
from retrieval.understand.reading.grammar import AUXILIARIES, DATING, GLUE, PHRASES, RELATIVES, SENSES, STOPS, is_past
from retrieval.understand.reading.periods import (
    Period,
    before,
    in_year,
    is_month,
    is_number,
    length_of_time,
    period,
    year_of,
)

RECENT = 12
"""Months: `recent` means at most this old."""
_SURE = 0.95
_TO = frozenset({"to", "until", "till", "through", "and", "-", "–", "—"})
_OPENING = frozenset({"between", "from", "in", "during", "of"})
_NEW = frozenset({"recent", "newest", "latest"})
_PASSED = frozenset({"recently", "lately", "newly"})
_LATER = (1, 2, 3)
"""Indices of the senses of events after a document was made."""


@dataclass(frozen=True, slots=True)
class Range:
    """A time with the positions of its words."""

    start: date | None
    end: date | None
    first: int
    """Position of its first word, including the preposition."""
    stop: int
    confidence: float = _SURE


def _earlier(time: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    return Range(None, time.start - timedelta(days=1), first, stop)


def _later(time: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    return Range(time.end + timedelta(days=1), None, first, stop)


def _since(time: Period, first: int, stop: int, words: Sequence[Word]) -> Range:
    """Return the time from a period on; `from 2015` alone means only that period."""
    return _within(time, first, stop, words) if words[first].key == "from" else Range(time.start, None, first, stop)


def _until(time: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    return Range(None, time.end, first, stop, 0.9)


def _within(time: Period, first: int, stop: int, words: Sequence[Word]) -> Range:
    onward, back = (_length(words, stop, PHRASES[name]) for name in ("onward", "back"))
    return Range(None if back else time.start, None if onward else time.end, first, stop + max(onward, back))


_BOUNDS: tuple[tuple[str, Callable[[Period, int, int, Sequence[Word]], Range]], ...] = (
    *(("before", _earlier), ("after", _later), ("since", _since), ("until", _until), ("within", _within)),
)


def _length(words: Sequence[Word], at: int, phrases: Collection[tuple[str, ...]]) -> int:
    """Return the number of words of the longest of these phrases that begins here."""
    keys = tuple(word.key for word in words[at : at + 4])
    return max((len(phrase) for phrase in phrases if keys[: len(phrase)] == phrase), default=0)


def temporal_refs(
    text: str,
    words: Sequence[Word],
    catalog: Catalog,
    today: date,
    heads: Container[int] = (),
    valued: Collection[int] = (),
) -> tuple[TemporalRef, ...]:
    """Return the times that are conditions, left to right, without overlaps.

    Args:
        catalog: the catalogue with the date fields.
        today: the date from which `last month` is counted.
        heads: positions of the nouns for documents.
        valued: positions of words that are values.
    """
    refs: list[TemporalRef] = []
    at = 0
    while at < len(words):
        time = _range(words, at, today, heads, catalog) or _recent(words, at, heads, valued, today, catalog)
        if time is None:
            at += 1
            continue
        time, gaps = _listed(words, time, today)
        field = _meant_date(words, time, catalog)
        if field and words[time.first].key in _NEW | _PASSED and field.reaches_past(today):
            time = replace(time, end=today)  # dates in the future are not recent
        written, span = (
            text_of(text, words[time.first : time.stop]),
            (words[time.first].start, words[time.stop - 1].end),
        )
        negated, name = _is_denied(words, time.first, catalog), field.name if field else None
        refs.append(TemporalRef(written, time.start, time.end, time.confidence, span, name, negated))
        refs += [TemporalRef(written, *gap, time.confidence, span, name, not negated) for gap in gaps]
        at = time.stop
    return tuple(refs)


def _range(words: Sequence[Word], at: int, today: date, heads: Container[int], catalog: Catalog) -> Range | None:
    """Return the time of `between A and B`, `from A to B`, `A to B`, of one period after a preposition, or of one that
    needs none."""
    first = period(words, at, today)
    for begin, opening in ((at + 1, period(words, at + 1, today)), (at, first)):
        if opening and (begin == at or words[at].key in _OPENING):
            both = _to(words, begin + opening.length, opening, today)
            if both and (words[at].key in ("between", "from") or words[begin + opening.length].key != "and"):
                return replace(both, first=at)
    behind = _behind_preposition(words, at, today, catalog)
    if behind or first is None:
        return behind
    bounded = _within(first, at, at + first.length, words)
    if bounded.start is None or bounded.end is None:
        return bounded
    ends = all(not word.key[0].isalnum() for word in words[at + first.length :])
    if not first.is_bare:
        # Without a preposition, a time is an attribute of the documents or of the topic.
        opens = at == 0 or ends or words[at - 1].key == "," or words[at - 1].is_plural
        sure = 0.9 if opens or words[at].key == "year" or is_event(words[at - 1], catalog) else 0.6
        return replace(bounded, confidence=sure)
    apart = at > 0 and words[at - 1].key in (",", "neither", "nor") and (ends or words[at + 1].key == "nor")
    is_named = is_number(words[at].text) and (apart or _is_attribute(words, at, heads))
    return replace(bounded, confidence=0.8) if is_named else None


def _behind_preposition(words: Sequence[Word], at: int, today: date, catalog: Catalog) -> Range | None:
    for name, bound in _BOUNDS:
        begin = at + _length(words, at, PHRASES[name])
        if begin == at or begin >= len(words):
            continue
        time = period(words, begin, today)
        happens = at > 0 and is_event(words[at - 1], catalog)
        if time and (not time.is_bare or _may_be_time(words, begin, words[at].key, happens=happens)):
            return bound(time, at, begin + time.length, words)
        age = length_of_time([word.text.lower() for word in words[begin : begin + 2]])
        if age and time is None and words[begin - 1].key == "than":  # `older than 2 years`
            return bound(Period(age.ago(today), age.ago(today), age.length), at, begin + age.length, words)
    return None


def _to(words: Sequence[Word], joint: int, first: Period, today: date) -> Range | None:
    """Return the time from one period to another; the first may lack its year: `November to February 2019`."""
    if joint + 1 >= len(words) or words[joint].key not in _TO:
        return None
    last = period(words, joint + 1, today)
    if last is None:
        return None
    start = first.start
    has_year = any(year_of(word.text) for word in words[joint - first.length : joint])
    if not has_year and (first.is_bare or start > last.start):
        start = in_year(start, last.start.year - ((start.month, start.day) > (last.start.month, last.start.day)))
    return Range(start, last.end, joint, joint + 1 + last.length) if start <= last.end else None


Gap = tuple[date, date]
"""First and last day between two times of a list."""


def _listed(words: Sequence[Word], time: Range, today: date) -> tuple[Range, tuple[Gap, ...]]:
    """Return a time that includes those listed after it, from the first to the last, and the gaps between them."""
    gaps: list[Gap] = []
    while time.start and time.end and time.stop + 1 < len(words) and words[time.stop].key in ("or", "and", ","):
        begin = time.stop + 1 + (words[time.stop + 1].key in ("or", "and", "in", "from"))
        following = period(words, begin, today)
        if following is None or following.start <= time.end:
            break
        between = (time.end + timedelta(days=1), following.start - timedelta(days=1))
        gaps += [between] if between[0] <= between[1] else []
        time = replace(time, end=following.end, stop=begin + following.length)
    return time, tuple(gaps)


def _may_be_time(words: Sequence[Word], at: int, preposition: str, *, happens: bool) -> bool:
    """Whether a bare year, month or season is a time: `in May`, `after 2019`, but not `over 2000 words`.

    Args:
        at: the position of the year, month or season.
        preposition: the preposition before it.
        happens: whether a word before them names an event: `made in summer`.
    """
    if not is_number(words[at].text):
        return is_month(words[at]) or happens
    if preposition in ("over", "for", "by", "of", "past", "on") and not (happens and preposition in ("for", "by")):
        return False
    following = words[at + 1] if at + 1 < len(words) else None
    return following is None or not following.is_plural or following.key in STOPS | {"onward"}


def _is_attribute(words: Sequence[Word], at: int, heads: Container[int]) -> bool:
    """Whether it is a year before a noun for documents: `the 2019 proposals`, `2018 governance PEPs`."""
    before_it = words[at - 1].key if at else "the"
    near = any(number in heads for number in range(at + 1, min(len(words), at + 4)))
    return near and 1900 <= int(words[at].text) <= 2100 and before_it in ("the", "all", "of", "and", "or", ",")


def _is_denied(words: Sequence[Word], at: int, catalog: Catalog) -> bool:
    """Whether a time is negated: `not in 2020`, `never shown in May`, `except in 2020`, `neither in 2019`."""
    at -= 1
    while at >= 0 and (is_event(words[at], catalog) or words[at].key in AUXILIARIES):
        at -= 1
    return at >= 0 and (words[at].key in ("not", "never", "except", "neither", "nor") or words[at].key.endswith("n't"))


def _recent(
    words: Sequence[Word], at: int, heads: Container[int], valued: Collection[int], today: date, catalog: Catalog
) -> Range | None:
    """Return the time of `recent` before a noun for documents or in a question of only values, or of `recently
    created`."""
    key, start = words[at].key, before(today, months=RECENT)
    behind = words[at + 1] if at + 1 < len(words) else None
    if behind is None or (key not in _NEW and not (key in _PASSED and is_event(behind, catalog))):
        return None
    if key in _PASSED:
        return Range(start, None, at, at + 1, 0.9)
    following = words[at + 2].key if at + 2 < len(words) else "by"
    run = list(takewhile(lambda position: words[position].key not in STOPS, range(at + 1, min(len(words), at + 6))))
    named = behind.is_plural and following in ("by", "from", "of", ",", "?")
    silent = GLUE | {word for field in catalog.fields.values() for word in field.words}
    alone = all(position in valued or words[position].key in silent for position in range(len(words)) if position != at)
    if named or any(position in heads for position in run) or (alone and any(position in valued for position in run)):
        return Range(start, None, at, at + 1, 0.85)
    return None


def is_event(word: Word, catalog: Catalog) -> bool:
    """Whether a word before a time names an event: `acquired`, `came`, or the name of a date field."""
    term = word.text.lower()
    return is_past(word) or term in DATING or any(_is_called(field, term) for field in catalog.dates)


def _meant_date(words: Sequence[Word], time: Range, catalog: Catalog) -> CatalogField | None:
    """Return the date field that a time refers to: the one whose verb is nearest, else the date of making that covers
    the time."""
    dates = catalog.dates
    # A relative clause has its own time.
    behind = takewhile(lambda word: word.key not in RELATIVES, words[time.stop : time.stop + 2])
    for word in (*words[max(0, time.first - 4) : time.first][::-1], *behind):
        term = word.text.lower()
        named = next((field for field in dates if _is_called(field, term)), None)
        senses = (_of_sense(dates, sense) for sense in SENSES if term in sense)
        meant = named or next(filter(None, senses), None)
        if meant:
            return meant
    full = [field for field in dates if field.kind != "year"] or dates
    usual = min(full, key=_rank, default=None)
    reaching = (field for field in (usual, *dates) if field and field.reaches(time.start, time.end))
    return next(reaching, usual)


def _is_called(field: CatalogField, term: str) -> bool:
    """Whether a word means a date field: `created` means `created_at`, `acquisitions` means `acquired`."""
    return any(term == word or (len(word) >= STEM and stem(term) == stem(word)) for word in _name(field))


def _rank(field: CatalogField) -> int:
    """Return how rarely a time without a verb means a date: lowest for making, highest for a change, a deadline or the
    end."""
    own = next((position for position, sense in enumerate(SENSES) if _of_sense([field], sense)), len(SENSES))
    return own + len(SENSES) * (own in _LATER)


def _of_sense(dates: Sequence[CatalogField], sense: frozenset[str]) -> CatalogField | None:
    """Return the date field whose name has a word of this sense; `date` itself is the least specific."""
    vague = frozenset({"date", "last", "at", "on", "time"})
    plain = next((field for field in dates if sense & (_name(field) - vague)), None)
    return plain or next((field for field in dates if sense & _name(field)), None)


def _name(field: CatalogField) -> frozenset[str]:
    return frozenset(spaced(field.name).lower().split())
