"""Numbers and versions that a question compares documents with: `numbered under 100`, `Python 3.13 and later`."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isinf

from retrieval.quantities.measures import measure
from retrieval.quantities.quantity import Quantity
from retrieval.quantities.reading import quantities
from retrieval.understand.analysis import Entity, FilterOperator, Span
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField, plain
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.figures import Figures
from retrieval.understand.reading.limits import counted
from retrieval.understand.reading.number_fields import NumberFields
from retrieval.understand.reading.units import in_unit_of, unit_of

_DIMENSIONS = frozenset({"high", "long", "tall", "wide", "deep", "thick", "old", "heavy", "across", "each", "apiece"})
_LISTING = (",", "and", ", and", "&")
_UNIT = re.compile(r"\s*([^\W\d_]+)")
_ARTICLE = re.compile(r"an?\b(?! (?:dozen|hundred|thousand|million))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compared:
    """A number in a question that is a condition."""

    entities: tuple[Entity, ...]
    span: Span


def numeric_conditions(
    text: str, words: Sequence[Word], catalog: Catalog, taken: Sequence[Span], valued: Collection[int] = ()
) -> Iterator[Compared]:
    """Quantities that a field of numbers is compared with, by its name or because documents are numbered by it.

    Args:
        text: the question.
        words: its words.
        catalog: with the fields.
        taken: spans of what is read already.
        valued: places of words that are values.
    """
    figures, fields = Figures.of(text, _counted(catalog)), NumberFields(catalog)
    found = [_without_noun(_with_unit(each, figures.text), fields) for each in quantities(figures.text)]
    spans = [figures.span(each.start, each.end) for each in found]
    for place, (quantity, span) in enumerate(zip(found, spans, strict=True)):
        others = [*taken, *spans[:place], *spans[place + 1 :]]
        compared = quantity.kind in ("number", "open", "range") or fields.ranked(quantity)
        compared = compared or (quantity.kind == "fraction" and fields.holds(quantity.low))  # `rating 1/4`
        if not compared or any(_meet(span, other) for other in taken):
            continue
        if _ARTICLE.match(quantity.text):
            continue
        asked = fields.asked(words, span, quantity, others, valued)
        if asked:
            whole = _with_dimension(words, span, quantity)
            yield Compared(tuple(_bounds(text[slice(*whole)], whole, *asked, quantity, catalog)), whole)
    for field, number, said in counted(words, catalog):
        span = (said[0].start, said[-1].end)
        if not any(_meet(span, other) for other in taken):
            exact = Entity(text[slice(*span)], field.name, number, FilterOperator.EQ, 0.8, span)
            yield Compared((exact,), span)


def _counted(catalog: Catalog) -> frozenset[str]:
    """The words of the names of fields of numbers."""
    return frozenset(word for each in catalog.fields.values() if each.kind == "number" for word in each.words)


def _with_dimension(words: Sequence[Word], span: Span, quantity: Quantity) -> Span:
    """The span with the word that says what is measured, which is no value then: `30 cm high`."""
    behind = next((word for word in words if word.start >= span[1]), None)
    measured = quantity.unit is not None and behind is not None and behind.text.lower() in _DIMENSIONS
    return (span[0], behind.end) if measured and behind else span


def alternatives(text: str, numbers: Sequence[Compared]) -> Iterator[tuple[Entity, ...]]:
    """The entities of all numbers, those together of which one is enough: `over 150 kg or under 1 kg`."""
    group: tuple[Entity, ...] = ()
    for each in numbers:
        if len(each.entities) > 1:  # a range: both bounds hold
            yield from ((*(group,) * bool(group), *((entity,) for entity in each.entities)))
            group = ()
            continue
        between = text[group[-1].span[1] : each.span[0]].strip(" ").lower() if group else ""
        listed = between in _LISTING and _one_field((*group, *each.entities))
        if between.strip(" ,") == "or" or listed:
            group += each.entities
            continue
        if group:
            yield group
        group = each.entities
    if group:
        yield group


def _one_field(entities: Sequence[Entity]) -> bool:
    """Whether all are numbers of one field: `proposals 20 and 257` are two proposals."""
    return {(each.field, each.operator) for each in entities} == {(entities[0].field, FilterOperator.EQ)}


def _with_unit(found: Quantity, text: str) -> Quantity:
    """The quantity with the unit behind it, where a noun before it was taken for its label: `instruments of 1 kilo`."""
    following = _UNIT.match(text, found.end)
    if found.unit or not following or not unit_of(following[1])[0]:
        return found
    again = next(iter(quantities(text[found.start : following.end()])), found)
    return replace(again, start=found.start, end=following.end(), label=found.label)


def _without_noun(found: Quantity, fields: NumberFields) -> Quantity:
    """The quantity without a noun that it does not count: the level is 2 in `level 2 bard spells`."""
    written, _, noun = found.text.rpartition(" ")
    if not (found.label in fields.called and written and found.unit and noun.isalpha() and measure(found.unit) is None):
        return found
    return replace(found, unit=None, end=found.start + len(written), text=written)


def _bounds(
    said: str, span: Span, field: CatalogField, certainty: float, quantity: Quantity, catalog: Catalog
) -> Iterator[Entity]:
    low, high = in_unit_of(field, quantity, tuple(catalog.fields.values()))
    if low == high:
        yield Entity(said, field.name, plain(low), FilterOperator.EQ, certainty, span)
        return
    for bound, open_ended, strict, loose in (
        (low, isinf(low), FilterOperator.GT, FilterOperator.GTE),
        (high, isinf(high), FilterOperator.LT, FilterOperator.LTE),
    ):
        if not open_ended:
            whole = float(f"{bound:.8g}")
            yield Entity(said, field.name, plain(whole), loose if whole == bound else strict, certainty, span)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
