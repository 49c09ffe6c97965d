"""What the words before and behind a time make of it: `since`, `before`, `and later`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.times.spans import Period

_SINCE = (
    ("on", "or", "after"),
    ("until", "at", "least"),
    ("at", "least", "until"),
    ("at", "the", "earliest"),
    ("at", "the", "earliest", "in"),
    ("not", "before"),
    ("no", "earlier", "than"),
    ("not", "earlier", "than"),
    ("since",),
    ("starting",),
    ("beginning",),
    ("from",),
)
_AFTER = (
    ("after",),
    ("later", "than"),
    ("newer", "than"),
    ("younger", "than"),
    ("more", "recent", "than"),
    ("past",),
    ("post",),
)
_BEFORE = (("before",), ("earlier", "than"), ("older", "than"), ("prior", "to"), ("pre",))
_UNTIL = (
    ("on", "or", "before"),
    ("not", "after"),
    ("not", "later", "than"),
    ("until",),
    ("till",),
    ("through",),
    ("up", "to"),
    ("up", "to", "and", "including"),
    ("by",),
    ("no", "later", "than"),
    ("at", "the", "latest"),
    ("at", "the", "latest", "in"),
    ("as", "of"),
)
_WITHIN = (("in",), ("during",), ("on",), ("within",), ("of",), ("for",), ("over",), ("throughout",), ("dated",))
ONWARD = (
    *(("onward",), ("on",), ("and", "later"), ("and", "after"), ("or", "later"), ("and", "onward"), ("+",)),
    ("at", "the", "earliest"),
)
BACK = (
    *(("or", "earlier"), ("and", "earlier"), ("or", "before"), ("and", "before"), ("or", "older")),
    ("at", "the", "latest"),
)
SURE = 0.95


@dataclass(frozen=True, slots=True)
class Range:
    """A time with the words that say it."""

    start: date | None
    end: date | None
    first: int
    """Of the words that say it, with its preposition."""
    stop: int
    confidence: float


def earlier(found: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    """What is before a time."""
    return Range(None, found.start - timedelta(days=1), first, stop, SURE)


def later(found: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    """What is after a time."""
    return Range(found.end + timedelta(days=1), None, first, stop, SURE)


def since(found: Period, first: int, stop: int, words: Sequence[Word]) -> Range:
    """What is from a time on; `from 2015` alone is of that time."""
    if words[first].key != "from":
        return Range(found.start, None, first, stop, SURE)
    onward, back = (said_here(words, stop, which) for which in (ONWARD, BACK))
    start, end = None if back else found.start, None if onward else found.end
    return Range(start, end, first, stop + max(onward, back), SURE)


def said_here(words: Sequence[Word], at: int, phrases: Sequence[tuple[str, ...]]) -> int:
    """How many words say one of these: `and later`."""
    said = tuple(word.key for word in words[at : at + 3])
    return max((len(phrase) for phrase in phrases if said[: len(phrase)] == phrase), default=0)


def _up_to(found: Period, first: int, stop: int, _: Sequence[Word]) -> Range:
    return Range(None, found.end, first, stop, 0.9)


def _within(found: Period, first: int, stop: int, words: Sequence[Word]) -> Range:
    back, onward = (said_here(words, stop, which) for which in (BACK, ONWARD[2:]))
    return Range(None if back else found.start, None if onward else found.end, first, stop + back + onward, SURE)


_Bound = Callable[[Period, int, int, Sequence[Word]], Range]
BOUNDS: tuple[tuple[tuple[str, ...], _Bound], ...] = tuple(
    sorted(
        (
            *((phrase, earlier) for phrase in _BEFORE),
            *((phrase, later) for phrase in _AFTER),
            *((phrase, since) for phrase in _SINCE),
            *((phrase, _up_to) for phrase in _UNTIL),
            *((phrase, _within) for phrase in _WITHIN),
        ),
        key=lambda each: -len(each[0]),
    )
)
