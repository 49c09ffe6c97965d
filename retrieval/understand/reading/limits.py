"""Which of several fields of numbers is meant: a lowest and a highest of one thing, what money is called, and none."""

from collections.abc import Collection, Iterator, Sequence
from math import isinf

from retrieval.quantities.quantity import Quantity
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import AUXILIARIES
from retrieval.understand.reading.past import is_past
from retrieval.understand.reading.units import HIGHEST, LIMITS, LOWEST, is_money

WORTH = frozenset(
    """worth cost costing paying pay paid earn earning price priced cheap cheaper cheapest expensive pricey pricier dear
    dearer grand quid buck tenner fiver""".split()  # noqa: SIM905
)
"""Words that a sum of money stands behind."""
_NONE = frozenset({"no", "never", "without", "zero"})
_VERB = 3
"""Letters that the name of what is counted has more than."""


def fitting(fields: Sequence[CatalogField], near: Collection[str], quantity: Quantity) -> CatalogField:
    """Of fields that a word calls alike, the one that the most words call; of a lowest and a highest, by the bound.

    Args:
        fields: at least one.
        near: keys of the words around the number.
        quantity: what is compared: `at least 50k` asks the lowest.
    """
    said = {side for side in (LOWEST, HIGHEST) if side & set(near)}
    low, high = quantity.written
    bound = LOWEST if isinf(high) and not isinf(low) else HIGHEST if isinf(low) and not isinf(high) else frozenset()

    def votes(field: CatalogField) -> tuple[int, bool, bool]:
        called = set(field.words)
        return len(called & set(near)), any(side & called for side in said), bool(bound & called)

    return max(fields, key=votes)


def one_thing(fields: Sequence[CatalogField]) -> bool:
    """Whether all fields are of one thing: `salary_min` and `salary_max`."""
    return len({frozenset(field.words) - LIMITS for field in fields}) == 1


def counted(words: Sequence[Word], catalog: Catalog) -> Iterator[tuple[CatalogField, int, Sequence[Word]]]:
    """Fields that are asked for 0 or 1 in words, and the words that do: `no customers affected`, `a single session`.

    Args:
        words: of the question.
        catalog: with the fields; one that no document has so many of is not asked for it.
    """
    numbers = [each for each in catalog.fields.values() if each.kind == "number"]
    flagged = {stem(word) for each in catalog.fields.values() if each.kind == "flag" for word in each.words}
    for at, word in enumerate(words):
        if word.key == "nothing" and (field := _nothing(words, at, numbers)):
            yield field, 0, words[max(0, at - 2) : at + 1]
            continue
        out = word.key == "out" and at + 1 < len(words) and words[at + 1].key == "of"
        if word.key not in _NONE and word.key != "single" and not out:
            continue
        asked = int(word.key == "single")
        stop = at + 1 + out
        passed = AUXILIARIES | {"a", "an", "any"}
        while stop < len(words) and (words[stop].key in passed or (word.key == "never" and _is_won(words, stop))):
            stop += 1
        said = stem(words[stop].key) if stop < len(words) else ""
        fields = [each for each in numbers if asked in each.counts]
        both = {word.key for word in words[stop : stop + 2]}  # `a single hit point`
        called = [
            each
            for each in fields
            if any(len(name) > _VERB and stem(name) == said for name in each.words) or both == set(each.words)
        ]
        if len(called) == 1 and said not in flagged:
            yield called[0], asked, words[at : stop + 1]


def _nothing(words: Sequence[Word], at: int, numbers: Sequence[CatalogField]) -> CatalogField | None:
    """The field whose verb stands before `nothing`: `depends on nothing else`, `costs nothing`."""
    said = {stem(word.key) for word in words[max(0, at - 2) : at]}
    paid = not WORTH.isdisjoint(word.key for word in words[max(0, at - 2) : at])
    called = [
        each
        for each in numbers
        if 0 in each.counts and (said & set(map(stem, each.words)) or (paid and is_money(each)))
    ]
    return called[0] if len(called) == 1 else None


def _is_won(words: Sequence[Word], at: int) -> bool:
    """A verb of the past before what is counted: `never won an award`."""
    return is_past(words[at]) and at + 1 < len(words) and words[at + 1].key in ("a", "an", "any")
