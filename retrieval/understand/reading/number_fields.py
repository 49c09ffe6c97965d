"""Chooses the numeric field with which a number in a question is compared."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isinf

import numpy as np

from retrieval.index.words.word_vectors import word_vector
from retrieval.language.numbers.quantity import Quantity, measure
from retrieval.language.numbers.reading import quantities
from retrieval.understand.analysis import Span
from retrieval.understand.catalog.catalog import Catalog, CatalogField
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import is_noun_like

_REACH, _BEHIND = 4, 2
"""Words before and after a number that may name its field."""
_FIRST_YEAR = 1000
"""Smaller numbers are not years."""
_STEMMED = 4
"""Least length of a word that is compared by its stem: `cost` and `costing`; longer words are also compared by their
beginning."""
_LIKE = 0.3
"""Least cosine of a word that means a field."""
_AHEAD = 0.1
"""By how much its cosine with that field must exceed that with any other."""
Asked = tuple[CatalogField, float]
"""A field and the certainty that it is meant."""


@lru_cache(maxsize=1 << 12)
def _unit_of(word: str) -> tuple[str, float]:
    """Return one of a unit in its base unit: (`second`, 60.0) for minutes; ("", 1.0) if the word is not a unit."""
    quantity = next(iter(quantities(f"1 {word}")), None)
    return (quantity.unit, quantity.low) if quantity and quantity.unit else ("", 1.0)


def _may_measure(field: CatalogField, quantity: Quantity) -> bool:
    """Whether a number with a unit may be a value of a field: a duration cannot be a length."""
    if quantity.unit is None or measure(quantity.unit) is None:
        return True
    dimension = next((_unit_of(word)[0] for word in field.words if measure(word)), None)
    return dimension in (None, quantity.unit)


def in_unit_of(field: CatalogField, quantity: Quantity) -> tuple[float, float]:
    """Return both ends of a number in the unit of the field: 2 hours are 120 of runtime_min."""
    for name, size in map(_unit_of, field.words):
        if name and name == quantity.unit:
            return quantity.low / size, quantity.high / size
    return quantity.written


@dataclass(frozen=True, eq=False)
class NumberFields:
    """The numeric fields of a catalogue."""

    catalog: Catalog

    def field_of(
        self,
        words: Sequence[Word],
        span: Span,
        quantity: Quantity,
        others: Sequence[Span],
        valued: Collection[int] = (),
    ) -> Asked | None:
        """Return the field that is named near a number, measures it, resembles a word near it, or is the only one with
        such values.

        Args:
            others: spans of the other numbers and times: words in or beyond them do not apply to this one.
            valued: positions of words that are values, which do not apply to a number either.
        """
        inside = [at for at, word in enumerate(words) if word.start < span[1] and word.end > span[0]]
        if not inside:
            return None
        first, last = inside[0], inside[-1]
        apart = [*others, *((words[at].start, words[at].end) for at in valued if not first <= at <= last)]
        near = [*_before(words, first, apart), *(word.key for word in words[first : last + 1])]
        near += _behind(words, last, apart)
        if quantity.label in self.called and quantity.label not in near:
            near.append(quantity.label)  # the 2 of `level 1 or 2`
        return next(filter(None, self._ways(near, quantity)), None) or self._numbered(words, first, quantity)

    def ranked(self, quantity: Quantity) -> bool:
        """Whether an ordinal is a value of a field named after it: `3rd level`, `8th or 9th level`."""
        return quantity.kind == "ordinal" and quantity.unit in self.called

    @cached_property
    def called(self) -> frozenset[str]:
        """Words of the names of numeric fields, except units."""
        numbers = [field for field in self.catalog.fields.values() if field.kind in ("number", "identity")]
        return frozenset(word for number in numbers for word in number.words if measure(word) is None)

    def _able(self, quantity: Quantity) -> Sequence[CatalogField]:
        """Return the fields that can contain such numbers, in such units."""
        orders = {field.ordered_by for field in self.catalog.fields.values()}
        years = all(abs(bound) >= _FIRST_YEAR for bound in quantity.written)
        kinds = ("number", "identity", "year") if years else ("number", "identity")
        numbers = [field for field in self.catalog.fields.values() if field.kind in kinds and field.name not in orders]
        return [number for number in numbers if _may_measure(number, quantity)]

    def _ways(self, near: Sequence[str], quantity: Quantity) -> Iterator[Asked | None]:
        fields = self._able(quantity)

        def votes(field: CatalogField) -> int:
            return sum(any(_akin(key, word) for word in field.words) for key in set(near))

        if quantity.unit:
            measuring = [
                field for field in fields if quantity.unit in {n for w in field.words for n in (w, _unit_of(w)[0])}
            ]
            yield (max(measuring, key=votes), 0.85) if measuring else None
        for key in near:
            named = [field for field in fields if any(_akin(key, word) for word in field.words)]
            yield (max(named, key=votes), 0.9) if named else None
        bounds = [bound for bound in quantity.written if not isinf(bound)]
        reaching = [field for field in fields if field.kind == "number" and _has_both_sides(field, bounds)]
        like = _likest([key for key in near if is_noun_like(key) and key not in self.catalog.nouns], reaching)
        yield (like, 0.75) if like else None
        alone = len(reaching) == 1 and (quantity.unit is None or measure(quantity.unit) is None)
        yield (reaching[0], 0.75) if alone and quantity.kind != "number" else None

    def _numbered(self, words: Sequence[Word], first: int, quantity: Quantity) -> Asked | None:
        """Return the field of the numbers that identify documents, if a noun for documents precedes the number."""
        identity = next((field for field in self._able(quantity) if field.kind == "identity"), None)
        behind = quantity.label in self.catalog.nouns or (first > 0 and words[first - 1].key in self.catalog.nouns)
        return (identity, 0.85) if identity and behind else None


def _likest(keys: Sequence[str], fields: Sequence[CatalogField]) -> CatalogField | None:
    """Return which of these fields one of the words means: `heavier` the weight, `pays` the salary."""
    if not keys or not fields:
        return None
    likes = np.stack([word_vector(" ".join(field.words) or field.name) for field in fields])
    likes = likes @ np.stack(list(map(word_vector, keys))).T
    best, word = np.unravel_index(int(likes.argmax()), likes.shape)
    others = np.delete(likes[:, word], best)
    ahead = float(likes[best, word]) - float(others.max(initial=0.0))
    return fields[int(best)] if likes[best, word] >= _LIKE and ahead >= _AHEAD else None


def _has_both_sides(field: CatalogField, bounds: Sequence[float]) -> bool:
    """Whether the field has values on both sides of these."""
    values = [float(value) for value in field.counts]
    return min(values) <= min(bounds) and max(bounds) <= max(values)


def _before(words: Sequence[Word], first: int, others: Sequence[Span]) -> list[str]:
    """Return the keys of the words before a number, nearest first, back to another number."""
    keys: list[str] = []
    for word in words[max(0, first - _REACH) : first][::-1]:
        if any(word.start < end and word.end > start for start, end in others):
            break
        keys.append(word.key)
    return keys


def _behind(words: Sequence[Word], last: int, others: Sequence[Span]) -> list[str]:
    """Return the keys of the counted noun: `free seats` after more than 8, `of ascent` after 1,000 m."""
    keys: list[str] = []
    for word in words[last + 1 : last + 1 + _BEHIND]:
        other = any(word.start < end and word.end > start for start, end in others)
        if other or not (is_noun_like(word.key) or (not keys and word.key in ("of", "in"))):
            break
        keys.append(word.key)
    return keys


def _akin(key: str, word: str) -> bool:
    """Whether two words have the same beginning and little after it: `numbered` and `number`, `rated` and `rating`."""
    if key == word or (min(len(key), len(word)) >= _STEMMED and stem(key) == stem(word)):
        return True
    shorter, longer = sorted((key, word), key=len)
    beginning = shorter[: max(3, len(shorter) - 2)]
    return len(shorter) > _STEMMED and longer.startswith(beginning) and len(longer) - len(beginning) <= 4
