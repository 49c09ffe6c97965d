"""Function words, verbs and past forms, as far as conditions need them."""

from collections.abc import Sequence
from datetime import date
from itertools import takewhile

from retrieval.understand.catalog.catalog import Catalog, CatalogField, spaced
from retrieval.understand.catalog.words import STEM, Word, stem

PREPOSITIONS = frozenset(
    {"of", "for", "in", "on", "by", "with", "from", "to", "about", "at", "into", "under", "over", "between", "among"}
    | {"within", "during", "since", "before", "after", "until", "through", "via", "per", "regarding", "concerning"}
    | {"outside", "without", "except", "excluding", "below", "above", "than", "like", "against", "around", "as"}
)
AUXILIARIES = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "become", "became", "becomes", "get", "got", "gets", "do"}
    | {"does", "did", "has", "have", "had", "stay", "stayed", "remain", "remained", "remains", "marked", "ended", "end"}
    | {"will", "would", "can", "could", "should", "must", "may", "might", "went", "go", "made", "doe", "ha", "wa"}
)
ADVERBS = frozenset(
    {"still", "also", "ever", "now", "currently", "already", "yet", "either", "neither", "both", "only", "just", "even"}
    | {"so", "far", "up", "finally", "officially", "eventually", "later", "all", "since"}
)
RELATIVES = frozenset({"that", "which", "who", "whose", "where"})
CONJUNCTIONS = frozenset({"and", "or", "nor", ",", "/", "&", "but"})
NEGATIONS = frozenset(
    {
        "not",
        "nothing",
        "never",
        "no",
        "without",
        "except",
        "excluding",
        "outside",
        "non",
        "nor",
        "neither",
        "besides",
        "isn't",
    }
    | {"aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "hasn't", "haven't", "hadn't", "won't", "cannot"}
    | {"minus", "exclude", "omit", "skip"}
)
SUBJECTS = frozenset({"what", "which", "who", "anything", "everything", "something", "any", "all", "those", "these"})
ASKING = frozenset(
    {
        "show",
        "list",
        "find",
        "give",
        "get",
        "me",
        "us",
        "i",
        "want",
        "need",
        "see",
        "please",
        "display",
        "fetch",
        "look",
    }
    | {
        "search",
        "return",
        "there",
        "tell",
        "the",
        "a",
        "an",
        "my",
        "our",
        "every",
        "each",
        "some",
        "many",
        "much",
        "how",
    }
    | {
        "it",
        "its",
        "their",
        "they",
        "we",
        "you",
        "your",
        "he",
        "she",
        "his",
        "her",
        "them",
        "when",
        "this",
        "if",
        "i.e.",
        "e.g.",
    }
)
CARRIERS = frozenset(
    {"need", "needed", "needing", "require", "required", "requiring", "want", "wanted", "available", "looking", "look"}
    | {
        "interested",
        "seeking",
        "thing",
        "stuff",
        "please",
        "right",
        "moment",
        "someone",
        "somebody",
        "anyone",
        "contain",
    }
    | {"containing", "include", "including", "own", "belong", "hold", "use", "used", "using", "exist", "everyone"}
)
"""Words that carry a condition and say nothing of a topic."""
GLUE = PREPOSITIONS | AUXILIARIES | ADVERBS | RELATIVES | CONJUNCTIONS | NEGATIONS | SUBJECTS | ASKING
"""Words that say nothing of a topic."""


def is_noun_like(key: str) -> bool:
    """Whether a word may stand within a phrase of nouns and adjectives."""
    return key[0].isalpha() and key not in GLUE


_IRREGULAR = frozenset(
    """
    awoke became began begun bent bitten bled blew blown bore born bought bound bred broke broken brought
    built burnt came cast caught chose chosen clung crept cut dealt did done drank drawn drew driven drove
    drunk dug eaten fallen fed fell fled flew flown forbidden forgot forgotten fought found froze frozen gave
    given gone got gotten grew grown heard held hidden hit hung hurt kept knew known laid lay led left lent
    lost made met paid put ran ridden risen rode rose run sang sat saw seen seized sent set sewn shaken shone
    shot shown shrank shut slain slept slid sold sown spent spoke spoken spun stole stolen stood struck stuck
    sung sunk swam swept swore sworn taken taught threw thrown told took tore torn understood went woke won
    wove woven written wrote
    """.split()  # noqa: SIM905
)
"""Those that do not end with `ed`."""


def is_past(word: Word) -> bool:
    """Whether a word looks like a verb of the past."""
    terms = word.text.lower()
    return terms in _IRREGULAR or (terms.endswith("ed") and len(terms) >= STEM)


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
    terms = word.text.lower()
    return is_past(word) or terms in DATING or any(_is_called(date, terms) for date in catalog.dates)


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
        terms = word.text.lower()
        named = next((date for date in dates if _is_called(date, terms)), None)
        does = {terms, terms.removeprefix("un")}  # `untouched since March`
        meant = named or next((each for sense in SENSES if does & sense and (each := _of_sense(dates, sense))), None)
        if meant:
            return meant
    full = [date for date in dates if date.kind != "year"] or dates
    most = max(sum(each.counts.values()) for each in full)
    full = [each for each in full if sum(each.counts.values()) > _HAVE * most]
    usual = min(full, key=_rank)
    for holds in (_parts, _reaches):
        matches = next((date for date in (usual, *dates) if holds(date, start, end)), None)
        if matches:
            return matches
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
    own = next((position for position, sense in enumerate(SENSES) if _of_sense([field], sense)), len(SENSES))
    return own + len(SENSES) * (own in _LATER)


def _of_sense(dates: Sequence[CatalogField], sense: frozenset[str]) -> CatalogField | None:
    """The date whose name has a word of this sense; `date` itself says least."""
    vague = frozenset({"date", "last", "at", "on", "time"})
    plain = next((date for date in dates if sense & (_name(date) - vague)), None)
    return plain or next((date for date in dates if sense & _name(date)), None)


def _name(field: CatalogField) -> frozenset[str]:
    return frozenset(spaced(field.name).lower().split())
