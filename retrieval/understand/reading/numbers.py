"""Numbers and versions that a question compares documents with: `numbered under 100`, `Python 3.13 and later`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isinf

from retrieval.quantities.quantity import Quantity
from retrieval.quantities.reading import quantities
from retrieval.understand.analysis import Entity, FilterOperator, Span
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField, plain
from retrieval.understand.catalog.words import Word, keys
from retrieval.understand.reading.limits import MONEY, WORTH, fitting, none_of, one_thing, things

_REACH = 4
_FIRST_YEAR = 1000
"""What is less is no year."""
_COUNTED = {"star": "rating", "people": "serving", "person": "serving", "guest": "serving"}
"""What is counted, and the word of the field that counts it."""
_LARGE = 2200
"""What is larger is no year and counts nothing that a topic would."""
_ONE = re.compile(
    r"(?P<before>\b(?:than|least|most|under|over|above|below|about|of|exceeding|only|exactly) |\b)"
    r"(?P<one>(?P<half>half )?(?:an?|one))"
    r"(?= (?P<unit>[a-z]+)(?P<bound> (?:or|and) (?:less|more|longer|over|under)\b)?)",
    re.IGNORECASE,
)
"""One of a unit, in words."""
_BETTER = re.compile(r"\bor (?:better|greater|longer)\b", re.IGNORECASE)
_OFTEN = {"once": "1", "twice": "2", "thrice": "3"}
_TIMES = re.compile(r"(?P<before>\b(?:than|least|most|exactly|only) )(?P<often>once|twice|thrice)\b", re.IGNORECASE)
_EACH = re.compile(
    r"(?<=[^\W\d_] )(?<!half )(?:an?|per|each|every) (?:hour|day|week|month|year) "
    r"(?P<bound>or (?:less|fewer|more|under|over))\b",
    re.IGNORECASE,
)
"""A rate within a bound: `20 hours a week or less`."""
_CURRENCIES = {
    "euro": "eur",
    "€": "eur",
    "dollar": "usd",
    "$": "usd",
    "pound": "gbp",
    "£": "gbp",
    "yen": "jpy",
    "¥": "jpy",
}
"""What fields of money are called after."""
_UNIT = re.compile(r"\s*([^\W\d_]+)")
_ARTICLE = re.compile(r"an?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compared:
    """A number in a question that is a condition."""

    entities: tuple[Entity, ...]
    span: Span


def numeric_conditions(text: str, words: Sequence[Word], catalog: Catalog, taken: Sequence[Span]) -> Iterator[Compared]:
    """Quantities that a field of numbers is compared with, by its name or because documents are numbered by it."""
    figures = _in_figures(text)
    for found in quantities(figures):
        quantity = _with_unit(found, figures)
        span = (quantity.start, quantity.end)
        if quantity.kind not in ("number", "open", "range") or any(_meet(span, other) for other in taken):
            continue
        if _ARTICLE.match(quantity.text):
            continue
        field, certainty = _field(words, span, quantity, catalog)
        if field is not None:
            yield Compared(tuple(_bounds(text, field, quantity, certainty)), span)
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
        between = text[group[-1].span[1] : each.span[0]].strip(" ,").lower() if group else ""
        if between == "or":
            group += each.entities
            continue
        if group:
            yield group
        group = each.entities
    if group:
        yield group


def _with_unit(found: Quantity, text: str) -> Quantity:
    """The quantity with the unit behind it, where a noun before it was taken for its label: `instruments of 1 kilo`."""
    following = _UNIT.match(text, found.end)
    if found.unit or not following or not _unit(following[1])[0]:
        return found
    again = next(iter(quantities(text[found.start : following.end()])), found)
    return replace(again, start=found.start, end=following.end(), label=found.label)


def _in_figures(text: str) -> str:
    """`less than a kilo`, `20 hours a week or less` in figures and bounds, of the same length: spans stay."""

    def figure(match: re.Match[str]) -> str:
        number = "0.5" if match["half"] else "1"
        if not (match["before"] or match["bound"]):
            return match[0]
        return f"{match['before']}{number.ljust(len(match['one']))}" if _unit(match["unit"])[0] else match[0]

    text = _TIMES.sub(lambda match: f"{match['before']}{_OFTEN[match['often'].lower()]}".ljust(len(match[0])), text)
    text = _BETTER.sub(lambda match: "or more".ljust(len(match[0])), text)
    text = _EACH.sub(lambda match: match["bound"].ljust(len(match[0])), text)
    return _ONE.sub(figure, text)


def _field(
    words: Sequence[Word], span: Span, quantity: Quantity, catalog: Catalog
) -> tuple[CatalogField | None, float]:
    """The field of numbers whose name stands nearby; or the number that documents go by, behind their noun."""
    orders = {each.ordered_by for each in catalog.fields.values()}
    numbers = [
        each
        for each in catalog.fields.values()
        if each.kind in ("number", "identity", "year") and each.name not in orders
    ]
    identity = next((each for each in numbers if each.kind == "identity"), None)
    inside = [word for word in words if word.start < span[1] and word.end > span[0]]
    if not inside:
        return None, 0.0
    first, last = words.index(inside[0]), words.index(inside[-1])
    near = [word.key for word in (*words[max(0, first - _REACH) : first][::-1], *inside, *words[last + 1 : last + 2])]
    if not all(abs(bound) >= _FIRST_YEAR for bound in quantity.written):
        numbers = [each for each in numbers if each.kind != "year"]
    measured = _by_unit(numbers, quantity)
    if measured:
        return measured, 0.85
    for key in (_CURRENCIES.get(said, said) for said in near):
        called = [each for each in numbers if any(_akin(key, said) for said in each.words)]
        if called:
            return fitting(called, near, quantity), 0.9
    paid = [each for each in numbers if MONEY & set(each.words)] if WORTH & set(near) and not quantity.unit else []
    if paid and one_thing(paid):
        return fitting(paid, near, quantity), 0.8
    reached = _reached(numbers, quantity)
    if reached:
        return reached, 0.75
    behind = quantity.label in catalog.nouns or (first > 0 and words[first - 1].key in catalog.nouns)
    return (identity, 0.85) if identity and behind else (None, 0.0)


def _reached(numbers: Sequence[CatalogField], quantity: Quantity) -> CatalogField | None:
    """Of a large number that is compared, the one field that has numbers on both sides: `pay less than 12,000`."""
    bounds = [abs(bound) for bound in quantity.written if not isinf(bound)]
    if quantity.unit or quantity.kind == "number" or not bounds or not all(bound >= _LARGE for bound in bounds):
        return None
    able = [each for each in numbers if each.kind != "year" and _has_both_sides(each, bounds)]
    return able[0] if len(able) == 1 else None


def _has_both_sides(field: CatalogField, bounds: Sequence[float]) -> bool:
    values = [float(value) for value in field.counts]
    return min(values) <= min(bounds) and max(bounds) <= max(values)


def _by_unit(numbers: Sequence[CatalogField], quantity: Quantity) -> CatalogField | None:
    """The field that is called as a unit of the same dimension: `two hours` asks `minutes`, `4 stars` the `stars`."""
    if quantity.unit is None:
        return None
    meant = {quantity.unit, _COUNTED.get(quantity.unit, quantity.unit)}
    able = [each for each in numbers if any({word, _unit(word)[0]} & meant for word in things(each, numbers))]
    called = [each for each in able if any(_akin(word, said) for word in each.words for said in keys(quantity.text))]
    return next(iter(called or able), None)


def _unit(word: str) -> tuple[str, float]:
    """What one of it is, in its base unit: (`second`, 60.0) for minutes."""
    found = next(iter(quantities(f"1 {word}")), None)
    return (found.unit, found.low) if found and found.unit else ("", 1.0)


def _akin(key: str, said: str) -> bool:
    """`numbered` and `number`, `rated` and `rating`: the same beginning, and little behind it."""
    if key == said:
        return True
    shorter, longer = sorted((key, said), key=len)
    stem = shorter[: max(3, len(shorter) - 2)]
    return len(shorter) >= 4 and longer.startswith(stem) and len(longer) - len(stem) <= 4


def _bounds(text: str, field: CatalogField, quantity: Quantity, certainty: float) -> Iterator[Entity]:
    low, high = quantity.written
    scale = next((size for name, size in map(_unit, field.words) if name and name == quantity.unit), None)
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
