"""Verbs and nouns that say which date of a document is meant."""

from collections.abc import Sequence

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import Word

MADE = frozenset(
    {"created", "opened", "written", "started", "proposed", "introduced", "filed", "submitted", "authored", "published"}
    | {"posted", "added", "issued", "made", "drafted", "reported", "received", "sent", "signed", "produced", "recorded"}
)
SENSES: tuple[frozenset[str], ...] = (
    MADE | {"create", "creation", "publication", "publish", "date", "open", "start", "release", "released"},
    frozenset({"updated", "modified", "changed", "edited", "revised", "update", "modification", "last", "touched"}),
    frozenset({"due", "deadline", "expires", "expired", "expire", "expiry", "expiring", "expiration"}),
    frozenset({"closed", "resolved", "finished", "completed", "ended", "close", "end", "resolution", "completion"}),
)
"""Words that mean the same date; the first is what a time without a verb is about."""
DATING = frozenset(word for sense in SENSES for word in sense)


def meant_date(words: Sequence[Word], first: int, stop: int, catalog: Catalog) -> CatalogField | None:
    """Which date a time is about: the one whose verb stands nearest, else the one of the making.

    Args:
        words: of the question.
        first: place of the first word of the time, and `stop` the place behind its last.
        stop: see `first`.
        catalog: with the dates; None comes back where it has none.
    """
    dates = catalog.dates
    if not dates:
        return None
    for word in (*words[max(0, first - 4) : first][::-1], *words[stop : stop + 2]):
        said = word.text.lower()
        named = next((each for each in dates if said in _name(each)), None)
        meant = named or next((each for sense in SENSES if said in sense and (each := _of_sense(dates, sense))), None)
        if meant:
            return meant
    return next((each for sense in SENSES if (each := _of_sense(dates, sense))), dates[0])


def _of_sense(dates: Sequence[CatalogField], sense: frozenset[str]) -> CatalogField | None:
    """The date whose name has a word of this sense; `date` itself says least."""
    vague = frozenset({"date", "last", "at", "on", "time"})
    plain = next((each for each in dates if sense & (_name(each) - vague)), None)
    return plain or next((each for each in dates if sense & _name(each)), None)


def _name(field: CatalogField) -> frozenset[str]:
    return frozenset(field.name.lower().replace("_", " ").replace("-", " ").split())
