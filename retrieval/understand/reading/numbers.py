"""Numbers and versions as conditions: `numbered under 100`, `Python 3.13 and later`."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isinf
from operator import ge, gt, le, lt

import numpy as np

from retrieval.index.words.word_vectors import word_vector
from retrieval.language.numbers.quantity import Quantity, measure
from retrieval.language.numbers.reading import quantities
from retrieval.understand.analysis import Entity, FilterOperator, Span
from retrieval.understand.catalog.catalog import Catalog, CatalogField, plain, version_key
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import is_noun_like

_BEFORE_NUMBER, _AFTER_NUMBER = 4, 2
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
        near = [*_before_number(words, first, apart), *(word.key for word in words[first : last + 1])]
        near += _after_number(words, last, apart)
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


def _before_number(words: Sequence[Word], first: int, others: Sequence[Span]) -> list[str]:
    """Return the keys of the words before a number, nearest first, back to another number."""
    keys: list[str] = []
    for word in words[max(0, first - _BEFORE_NUMBER) : first][::-1]:
        if any(word.start < end and word.end > start for start, end in others):
            break
        keys.append(word.key)
    return keys


def _after_number(words: Sequence[Word], last: int, others: Sequence[Span]) -> list[str]:
    """Return the keys of the counted noun: `free seats` after more than 8, `of ascent` after 1,000 m."""
    keys: list[str] = []
    for word in words[last + 1 : last + 1 + _AFTER_NUMBER]:
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


_LESS = re.compile(
    r"\b(?:cheap|short|light|small|young|low|few|narrow|cold|cool|slow|thin|weak|quick|shallow|near|clos|soon)e?r "
    r"(?=than\b)",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?!(?:other|rather|never|earlier|fewer|lower|under|smaller|shorter|younger|slower|lighter)\b)[^\W\d_]{3,}er "
    r"(?=than (?:[€$£¥] ?)?\d)",
    re.IGNORECASE,
)
"""`cheaper than 20`, `heavier than 5`."""


def _padded(written: str) -> Callable[[re.Match[str]], str]:
    """Return a function that replaces a match by a word, padded with spaces so that the following text keeps its
    position."""
    return lambda match: written.ljust(len(match[0]))


_LISTING = (",", "and", ", and", "&")
_ARTICLE = re.compile(r"an?\b(?! (?:dozen|hundred|thousand|million))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compared:
    """A number in a question that is a condition."""

    entities: tuple[Entity, ...]
    span: Span


def numeric_conditions(
    text: str, words: Sequence[Word], catalog: Catalog, taken: Sequence[Span], valued: Collection[int] = ()
) -> Iterator[Compared]:
    """Yield quantities that are compared with a numeric field, by its name or because it identifies documents.

    Args:
        catalog: the catalogue with the fields.
        taken: spans that are already read.
        valued: positions of words that are values.
    """
    fields = NumberFields(catalog)
    amounts = quantities(_MORE.sub(_padded("more"), _LESS.sub(_padded("less"), text)))
    spans = [(amount.start, amount.end) for amount in amounts]
    for position, (quantity, span) in enumerate(zip(amounts, spans, strict=True)):
        others = [*taken, *spans[:position], *spans[position + 1 :]]
        compared = quantity.kind in ("number", "open", "range") or fields.ranked(quantity)
        if not compared or _ARTICLE.match(quantity.text) or any(_meet(span, other) for other in taken):
            continue
        field_and_certainty = fields.field_of(words, span, quantity, others, valued)
        if field_and_certainty:
            yield Compared(tuple(_bounds(text[slice(*span)], span, *field_and_certainty, quantity)), span)


def alternatives(text: str, numbers: Sequence[Compared]) -> Iterator[tuple[Entity, ...]]:
    """Yield the entities of all numbers; those in one tuple are alternatives: `over 150 kg or under 1 kg`."""
    group: tuple[Entity, ...] = ()
    for number in numbers:
        if len(number.entities) > 1:  # a range: both bounds hold
            yield from ((*(group,) * bool(group), *((entity,) for entity in number.entities)))
            group = ()
            continue
        between = text[group[-1].span[1] : number.span[0]].strip(" ").lower() if group else ""
        listed = between in _LISTING and _one_field((*group, *number.entities))
        if between.strip(" ,") == "or" or listed:
            group += number.entities
            continue
        if group:
            yield group
        group = number.entities
    if group:
        yield group


def _one_field(entities: Sequence[Entity]) -> bool:
    """Whether all are numbers of one field: `proposals 20 and 257` are two proposals."""
    return {(entity.field, entity.operator) for entity in entities} == {(entities[0].field, FilterOperator.EQ)}


def _bounds(text: str, span: Span, field: CatalogField, certainty: float, quantity: Quantity) -> Iterator[Entity]:
    low, high = in_unit_of(field, quantity)
    if low == high:
        yield Entity(text, field.name, plain(low), FilterOperator.EQ, certainty, span)
        return
    for bound, open_ended, strict, loose in (
        (low, isinf(low), FilterOperator.GT, FilterOperator.GTE),
        (high, isinf(high), FilterOperator.LT, FilterOperator.LTE),
    ):
        if not open_ended:
            whole = float(f"{bound:.8g}")
            yield Entity(text, field.name, plain(whole), loose if whole == bound else strict, certainty, span)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


_REACH = 5
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)*")
_CALLED = frozenset({"version", "v", "release"})
_BEFORE_VERSION = frozenset({"in", "into", "for", "since", "before", "after", "until", "from", "than"})
"""Words before a version without a name: `went into 2.9`."""
_BETWEEN_VERSIONS = frozenset({"or", "and", ",", "to", "-", "–", "/"})
_BEHIND = (
    (r"\s*(?:and|or)?\s*(?:later|newer|above|up|higher|upwards?|onwards?|greater)\b|\s*\+", FilterOperator.GTE),
    (r"\s*(?:and|or)?\s*(?:earlier|older|below|lower|down)\b", FilterOperator.LTE),
)
_BEFORE = (
    (r"(?:no|not) (?:later|newer|higher|greater) than|at most|up to|until|through|maximum", FilterOperator.LTE),
    (r"(?:no|not) (?:earlier|older|lower) than|at least|since|from|starting with|minimum", FilterOperator.GTE),
    (r"(?:newer|later|higher|greater|more recent) than|above|after|over|beyond|past", FilterOperator.GT),
    (r"(?:older|earlier|lower|less|smaller) than|below|before|under|prior to", FilterOperator.LT),
)
_COMPARING = frozenset(word for pattern, _ in _BEFORE for word in re.findall(r"[a-z]+", pattern)) | {"in", "into"}


def version_conditions(text: str, words: Sequence[Word], catalog: Catalog) -> Iterator[tuple[Entity, ...]]:
    """Yield conditions on versions, left to right; the entities of one tuple are alternatives.

    A number is a version if a word of the field's name, `version`, or another version of the same list shortly precedes
    it.
    """
    for field in catalog.fields.values():
        if field.kind != "version":
            continue
        was = -_REACH
        for at, word in enumerate(words):
            if not _VERSION.fullmatch(word.text):
                continue
            near = [word.key for word in words[max(0, at - _REACH) : at]]
            called = [key for key in near if key in _CALLED or any(key.startswith(word) for word in field.words)]
            lists = at - was == 2 and words[at - 1].key in _BETWEEN_VERSIONS
            gap = near[::-1].index(called[-1]) if called else 0
            known = at > 0 and "." in word.text and word.text in field.counts
            ends = at + 1 == len(words) or not is_noun_like(words[at + 1].key)
            known = known and (words[at - 1].key in _BEFORE_VERSION or _follows(text, word) or ends)
            if known and not called:
                called, gap = [words[at - 1].key], 0
            if not (lists or (called and _COMPARING.issuperset(near[len(near) - gap :]))):
                continue
            was = at
            start = words[at - 1 - gap].start if called and not lists else word.start
            yield _condition(text, field, word, start)


def _follows(text: str, word: Word) -> bool:
    """Whether `or above` or a similar phrase follows a version."""
    return any(re.compile(pattern, re.IGNORECASE).match(text, word.end) for pattern, _ in _BEHIND)


def _condition(text: str, field: CatalogField, word: Word, start: int) -> tuple[Entity, ...]:
    for pattern, operator in _BEHIND:
        if match := re.compile(pattern, re.IGNORECASE).match(text, word.end):
            return _in_order(text, field, word.text, operator, (start, match.end()))
    for pattern, operator in _BEFORE:
        called = "|".join(map(re.escape, sorted({*_CALLED, *field.words})))
        if match := re.search(rf"\b(?:{pattern})\s*(?:(?:{called})\s*)?$", text[: word.start], re.IGNORECASE):
            return _in_order(text, field, word.text, operator, (min(start, match.start()), word.end))
    span, key = (start, word.end), version_key(word.text)
    exact = [value for value in field.counts if version_key(str(value)) == key]
    if field.ordered_by and len(key) == 1:
        low = _in_order(text, field, word.text, FilterOperator.GTE, span)
        high = _in_order(text, field, str(key[0] + 1), FilterOperator.LT, span)
        return (*low, *high)
    under = [value for value in field.counts if version_key(str(value))[: len(key)] == key]
    operator = FilterOperator.CONTAINS if field.listed else FilterOperator.EQ
    values = sorted(exact or under, key=lambda value: version_key(str(value)))
    return tuple(Entity(text[slice(*span)], field.name, value, operator, 0.95, span) for value in values)


def _in_order(text: str, field: CatalogField, version: str, operator: FilterOperator, span: Span) -> tuple[Entity, ...]:
    key, written = version_key(version), text[slice(*span)]
    compare: Callable[[tuple[int, ...], tuple[int, ...]], bool] = {
        FilterOperator.GT: gt,
        FilterOperator.GTE: ge,
        FilterOperator.LT: lt,
        FilterOperator.LTE: le,
    }[operator]

    def passes(other: str) -> bool:
        return compare(version_key(other)[: len(key)], key)

    if field.ordered_by:
        kept = [number for value, number in field.orders.items() if passes(value)]
        left = [number for value, number in field.orders.items() if not passes(value)]
        upwards = operator in (FilterOperator.GT, FilterOperator.GTE)
        if not kept:
            return (
                Entity(
                    written,
                    field.ordered_by,
                    plain(max(left) if upwards else min(left)),
                    FilterOperator.GT if upwards else FilterOperator.LT,
                    0.9,
                    span,
                ),
            )
        bound = min(kept) if upwards else max(kept)
        return (
            Entity(
                written,
                field.ordered_by,
                plain(bound),
                FilterOperator.GTE if upwards else FilterOperator.LTE,
                0.9,
                span,
            ),
        )
    contains = FilterOperator.CONTAINS if field.listed else FilterOperator.EQ
    known = sorted((str(value) for value in field.counts), key=version_key)
    return tuple(Entity(written, field.name, value, contains, 0.9, span) for value in known if passes(value))
