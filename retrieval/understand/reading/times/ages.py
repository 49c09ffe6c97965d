"""How long ago something was: `over a year ago`, `under two years old`, `not updated in six months`."""

from collections.abc import Collection, Sequence
from datetime import date

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.grammar import NEGATIONS
from retrieval.understand.reading.times.bounds import Range, earlier, later
from retrieval.understand.reading.times.periods import period
from retrieval.understand.reading.times.relative import age
from retrieval.understand.reading.units import dimension
from retrieval.understand.reading.verbs import DATING, is_event

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
    numbers = [each for each in catalog.fields.values() if each.kind in ("number", "identity")]
    return None if any(dimension(each, numbers) in _TIMES for each in numbers) else _since_so_long(words, at, today)


def long_ago(words: Sequence[Word], at: int, today: date) -> Range | None:
    """`more than two months ago` is before that day, `less than a week ago` after it; `under two years old` as well."""
    begin, is_earlier = _compared(words, at)
    if begin == at:
        return None
    bound = earlier if is_earlier else later
    found = period(words, begin, today)
    if found and words[begin + found.length - 1].key in ("ago", "back"):
        return bound(found, at, begin + found.length, words)
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
    said = tuple(word.key for word in words[stop : stop + 2])
    return earlier(old, at, stop + (2 if said in _OR_LONGER else 0), words)


def _compared(words: Sequence[Word], at: int) -> tuple[int, bool]:
    """The place behind `more than` and its like, and whether it goes back further; the place itself without."""
    said = tuple(word.key for word in words[at : at + 2])
    phrase = next((each for each in _COMPARED if said[: len(each)] == each), ())
    return at + len(phrase), _COMPARED.get(phrase, False)


def _is_undone(word: Word) -> bool:
    """`untouched`, `unchanged`."""
    return word.key.startswith("un") and word.key.removeprefix("un") in DATING


def _denies(word: Word) -> bool:
    return word.key in NEGATIONS | {"nobody", "none"} or word.key.endswith(("n't", "n’t"))
