"""Numbers and versions that a question compares documents with: `numbered under 100`, `Python 3.13 and later`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isinf

from retrieval.quantities.measures import measure
from retrieval.quantities.quantity import Quantity
from retrieval.quantities.reading import quantities
from retrieval.understand.analysis import Entity, FilterOperator, Span
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField, plain
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.limits import none_of
from retrieval.understand.reading.number_fields import NumberFields, unit_of

_ONE = re.compile(
    r"(?P<before>\b(?:than|least|most|under|over|above|below|about|of|exceeding|only|exactly) |\b)"
    r"(?P<one>(?P<half>half )?(?:an?|one))"
    r"(?= (?P<unit>[a-z]+)(?P<bound> (?:or|and) (?:less|more|longer|over|under)\b)?)",
    re.IGNORECASE,
)
"""One of a unit, in words."""
_BETTER = re.compile(r"\bor (?:better|greater|longer)\b", re.IGNORECASE)
_LESSER = re.compile(
    r"\b(?:cheap|short|light|small|young|low|few|narrow|cold|cool|slow|thin|weak|quick|shallow|near|clos|soon)e?r "
    r"(?=than\b)",
    re.IGNORECASE,
)
_GREATER = re.compile(
    r"\b(?:deep|hot|warm|fast|thick|strong|dear|steep|hard|loud|rich|wid|lat|heavi|bigg|hott)e?r (?=than\b)",
    re.IGNORECASE,
)
"""What is less and more of something: `cheaper than 20`; the word itself tells the field."""
_LISTING = (",", "and", ", and", "&")
_PLUS = re.compile(r"(?<=\d) plus\b")
_OFTEN = {"once": "1", "twice": "2", "thrice": "3"}
_TIMES = re.compile(r"(?P<before>\b(?:than|least|most|exactly|only) )(?P<often>once|twice|thrice)\b", re.IGNORECASE)
_EACH = re.compile(
    r"(?<=[^\W\d_] )(?<!half )(?:an?|per|each|every) (?:hour|day|week|month|year) "
    r"(?P<bound>or (?:less|fewer|more|under|over))\b",
    re.IGNORECASE,
)
"""A rate within a bound: `20 hours a week or less`."""
_UNIT = re.compile(r"\s*([^\W\d_]+)")
_ARTICLE = re.compile(r"an?\b(?! (?:dozen|hundred|thousand|million))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compared:
    """A number in a question that is a condition."""

    entities: tuple[Entity, ...]
    span: Span


def numeric_conditions(text: str, words: Sequence[Word], catalog: Catalog, taken: Sequence[Span]) -> Iterator[Compared]:
    """Quantities that a field of numbers is compared with, by its name or because documents are numbered by it."""
    figures, fields = _in_figures(text), NumberFields(catalog)
    for found in quantities(figures):
        quantity = _with_unit(found, figures)
        span = (quantity.start, quantity.end)
        if quantity.kind not in ("number", "open", "range") or any(_meet(span, other) for other in taken):
            continue
        if _ARTICLE.match(quantity.text):
            continue
        asked = fields.asked(words, span, quantity)
        if asked:
            yield Compared(tuple(_bounds(text, *asked, quantity)), span)
    for field, said in none_of(words, catalog):
        span = (said[0].start, said[-1].end)
        if not any(_meet(span, other) for other in taken):
            none = Entity(text[slice(*span)], field.name, 0, FilterOperator.EQ, 0.8, span)
            yield Compared((none,), span)


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


def _in_figures(text: str) -> str:
    """`less than a kilo`, `20 hours a week or less` in figures and bounds, of the same length: spans stay."""

    def figure(match: re.Match[str]) -> str:
        number = "0.5" if match["half"] else "1"
        if not (match["before"] or match["bound"]):
            return match[0]
        spoken_of = match["before"].strip().lower() in ("of", "about") and measure(match["unit"]) is None
        is_unit = unit_of(match["unit"])[0] and not spoken_of  # `paintings of a harbour` measures nothing
        return f"{match['before']}{number.ljust(len(match['one']))}" if is_unit else match[0]

    text = _TIMES.sub(lambda match: f"{match['before']}{_OFTEN[match['often'].lower()]}".ljust(len(match[0])), text)
    text = _BETTER.sub(lambda match: "or more".ljust(len(match[0])), text)
    text = _LESSER.sub(lambda match: "less".ljust(len(match[0])), text)
    text = _GREATER.sub(lambda match: "more".ljust(len(match[0])), text)
    text = _PLUS.sub(lambda match: "+".ljust(len(match[0])), text)
    text = _EACH.sub(lambda match: match["bound"].ljust(len(match[0])), text)
    return _ONE.sub(figure, text)


def _bounds(text: str, field: CatalogField, certainty: float, quantity: Quantity) -> Iterator[Entity]:
    low, high = quantity.written
    scale = next((size for name, size in map(unit_of, field.words) if name and name == quantity.unit), None)
    if scale:
        low, high = quantity.low / scale, quantity.high / scale
    said, span = text[quantity.start : quantity.end], (quantity.start, quantity.end)
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
