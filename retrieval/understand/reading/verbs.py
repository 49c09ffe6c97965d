"""Verbs and nouns that say which date of a document is meant."""

from collections.abc import Sequence
from datetime import date

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import STEM, Word, stem

MADE = frozenset(
    {"created", "opened", "written", "started", "proposed", "introduced", "filed", "submitted", "authored", "published"}
    | {"posted", "added", "issued", "made", "drafted", "reported", "sent", "signed", "produced", "recorded"}
)
SENSES: tuple[frozenset[str], ...] = (
    MADE | {"create", "creation", "publication", "publish", "date", "open", "start", "release", "released"},
    frozenset({"updated", "modified", "changed", "edited", "revised", "update", "modification", "last", "touched"}),
    frozenset({"due", "deadline", "expires", "expired", "expire", "expiry", "expiring", "expiration"}),
    frozenset({"closed", "resolved", "finished", "completed", "ended", "close", "end", "resolution", "completion"}),
    frozenset({"acquired", "acquisition", "bought", "purchased", "purchase", "obtained", "got", "received", "came"}),
    frozenset({"arrived", "arrival", "arrive", "came", "landed", "entered", "docked", "reached"}),
    frozenset({"departed", "departure", "left", "sailed"}),
    frozenset({"made", "built", "founded", "born", "took", "taken", "held", "drawn", "painted", "cast", "struck"}),
)
"""Words that mean the same date; the first is what a time without a verb is about."""
DATING = frozenset(word for sense in SENSES for word in sense)


_IRREGULAR = frozenset(
    {
        "came",
        "got",
        "gotten",
        "made",
        "taken",
        "took",
        "held",
        "bought",
        "sold",
        "built",
        "found",
        "sent",
        "went",
        "began",
    }
    | {
        "began",
        "begun",
        "born",
        "won",
        "lost",
        "met",
        "ran",
        "put",
        "left",
        "given",
        "gave",
        "seen",
        "shown",
        "set",
        "cast",
    }
    | {"struck", "drawn", "written", "wrote"}
)
"""Verbs of the past that do not end with `ed`."""


def is_event(word: Word, catalog: Catalog) -> bool:
    """Whether a word before a time says what happened then: `acquired`, `came`, and what a date is called."""
    said = word.text.lower()
    return is_past(word) or said in DATING or any(_is_called(each, said) for each in catalog.dates)


def is_past(word: Word) -> bool:
    """Whether a word looks like a verb of the past."""
    said = word.text.lower()
    return said in _IRREGULAR or (said.endswith("ed") and len(said) >= STEM)


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
    for word in (*words[max(0, first - 4) : first][::-1], *words[stop : stop + 2]):
        said = word.text.lower()
        named = next((each for each in dates if _is_called(each, said)), None)
        meant = named or next((each for sense in SENSES if said in sense and (each := _of_sense(dates, sense))), None)
        if meant:
            return meant
    full = [each for each in dates if each.kind != "year"] or dates
    usual = next((each for sense in SENSES if (each := _of_sense(full, sense))), full[0])
    return usual if _reaches(usual, start, end) else next((each for each in dates if _reaches(each, start, end)), usual)


def _is_called(field: CatalogField, said: str) -> bool:
    """`created` by `created_at`; `acquisitions` by `acquired`."""
    return any(said == word or stem(said) == stem(word) for word in _name(field) if len(word) >= STEM or said == word)


def _reaches(field: CatalogField, start: date | None, end: date | None) -> bool:
    """Whether a document has such a date."""
    earliest, latest = min(field.counts, key=str), max(field.counts, key=str)
    if start and str(field.stored(start, is_end=False)) > str(latest):
        return False
    return not (end and str(field.stored(end, is_end=True)) < str(earliest))


def _of_sense(dates: Sequence[CatalogField], sense: frozenset[str]) -> CatalogField | None:
    """The date whose name has a word of this sense; `date` itself says least."""
    vague = frozenset({"date", "last", "at", "on", "time"})
    plain = next((each for each in dates if sense & (_name(each) - vague)), None)
    return plain or next((each for each in dates if sense & _name(each)), None)


def _name(field: CatalogField) -> frozenset[str]:
    return frozenset(field.name.lower().replace("_", " ").replace("-", " ").split())
