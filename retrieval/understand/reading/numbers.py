"""Numbers and versions as conditions: `numbered under 100`, `Python 3.13 and later`."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import isinf
from operator import ge, gt, le, lt

from retrieval.language.numbers.quantity import Quantity
from retrieval.language.numbers.reading import quantities
from retrieval.understand.analysis import Entity, FilterOperator, Span
from retrieval.understand.catalog.catalog import Catalog, CatalogField, plain, version_key
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.grammar import is_noun_like
from retrieval.understand.reading.number_fields import NumberFields, in_unit_of

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
