"""Verbs and nouns that say which date of a document is meant."""

from collections.abc import Sequence
from datetime import date
from itertools import takewhile

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField, spaced
from retrieval.understand.catalog.words import STEM, Word, stem
from retrieval.understand.reading.grammar import RELATIVES
from retrieval.understand.reading.past import is_past

MADE = frozenset(
    {"created", "opened", "written", "started", "proposed", "introduced", "filed", "submitted", "authored", "published"}
    | {"posted", "added", "issued", "made", "drafted", "reported", "sent", "signed", "produced", "recorded"}
)
SENSES: tuple[frozenset[str], ...] = (
    MADE | {"create", "creation", "publication", "publish", "date", "open", "start", "release", "released"},
    frozenset({"updated", "modified", "changed", "edited", "revised", "update", "modification", "last", "touched"}),
    frozenset(
        {"due", "deadline", "expires", "expired", "expire", "expiry", "expiring", "expiration", "run", "runs", "lapse"}
    ),
    frozenset({"closed", "resolved", "finished", "completed", "ended", "close", "end", "resolution", "completion"}),
    frozenset({"acquired", "acquisition", "bought", "purchased", "purchase", "obtained", "got", "received", "came"}),
    frozenset({"arrived", "arrival", "arrive", "came", "landed", "entered", "docked", "reached"}),
    frozenset({"departed", "departure", "left", "sailed"}),
    frozenset({"made", "built", "founded", "born", "took", "taken", "held", "drawn", "painted", "cast", "struck"}),
)
"""Words that mean the same date; the first is what a time without a verb is about."""
_LATER = (1, 2, 3)
"""Senses of what happens to a document after it was made."""
_HAVE = 0.9
"""Share of the documents that have a date, where a time without a verb may mean it."""
DATING = frozenset(word for sense in SENSES for word in sense)


def is_event(word: Word, catalog: Catalog) -> bool:
    """Whether a word before a time says what happened then: `acquired`, `came`, and what a date is called."""
    said = word.text.lower()
    return is_past(word) or said in DATING or any(_is_called(each, said) for each in catalog.dates)


def meant_date(
    words: Sequence[Word], first: int, stop: int, catalog: Catalog, start: date | None, end: date | None
) -> CatalogField | None:
    """Which date a time is about: the one whose verb stands nearest, else the one of the making that reaches so far.

    Args:
        words: of the question.
        first: place of the first word of the time, and `stop` the place behind its last.
        stop: see `first`.
        catalog: with the dates; None comes back where it has none.
        start: first day of the time; None where it is open.
        end: its last day.
    """
    dates = catalog.dates
    if not dates:
        return None
    behind = takewhile(
        lambda word: word.key not in RELATIVES, words[stop : stop + 2]
    )  # what it begins has its own time
    for word in (*words[max(0, first - 4) : first][::-1], *behind):
        said = word.text.lower()
        named = next((each for each in dates if _is_called(each, said)), None)
        does = {said, said.removeprefix("un")}  # `untouched since March`
        meant = named or next((each for sense in SENSES if does & sense and (each := _of_sense(dates, sense))), None)
        if meant:
            return meant
    full = [each for each in dates if each.kind != "year"] or dates
    most = max(sum(each.counts.values()) for each in full)
    full = [each for each in full if sum(each.counts.values()) > _HAVE * most]
    usual = min(full, key=_rank)
    for holds in (_parts, _reaches):
        found = next((each for each in (usual, *dates) if holds(each, start, end)), None)
        if found:
            return found
    return usual


def _is_called(field: CatalogField, said: str) -> bool:
    """`created` by `created_at`; `acquisitions` by `acquired`."""
    return any(said == word or stem(said) == stem(word) for word in _name(field) if len(word) >= STEM or said == word)


def _parts(field: CatalogField, start: date | None, end: date | None) -> bool:
    """Whether an open end lies within the dates: `from 1650 on` says nothing of what was all bought since 1998."""
    if not _reaches(field, start, end) or (start and end):
        return _reaches(field, start, end)
    earliest, latest = min(map(str, field.counts)), max(map(str, field.counts))
    if start:
        return str(field.stored(start, is_end=False)) > earliest
    return end is None or str(field.stored(end, is_end=True)) < latest


def _reaches(field: CatalogField, start: date | None, end: date | None) -> bool:
    """Whether a document has such a date."""
    earliest, latest = min(field.counts, key=str), max(field.counts, key=str)
    if start and str(field.stored(start, is_end=False)) > str(latest):
        return False
    return not (end and str(field.stored(end, is_end=True)) < str(earliest))


def _rank(field: CatalogField) -> int:
    """How seldom a time without a verb means a date: first comes the making, last a change, a deadline and the end."""
    own = next((place for place, sense in enumerate(SENSES) if _of_sense([field], sense)), len(SENSES))
    return own + len(SENSES) * (own in _LATER)


def _of_sense(dates: Sequence[CatalogField], sense: frozenset[str]) -> CatalogField | None:
    """The date whose name has a word of this sense; `date` itself says least."""
    vague = frozenset({"date", "last", "at", "on", "time"})
    plain = next((each for each in dates if sense & (_name(each) - vague)), None)
    return plain or next((each for each in dates if sense & _name(each)), None)


def _name(field: CatalogField) -> frozenset[str]:
    return frozenset(spaced(field.name).lower().split())
