"""What a field of numbers measures, by the words of its name: a length, a time, money, or nothing that has a unit."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import isinf

from retrieval.quantities.measures import measure
from retrieval.quantities.quantity import Quantity
from retrieval.quantities.reading import quantities
from retrieval.understand.catalog.fields import CatalogField

LOWEST = frozenset({"min", "minimum", "lowest", "least"})
HIGHEST = frozenset({"max", "maximum", "highest"})
"""What the fields of the ends of a range are called by."""
_MONEY_NAMES = frozenset(
    """price cost value salary wage fee pay amount budget income rent fare toll tuition premium revenue turnover tariff
    deposit expense earning spend spending donation grant fine bonus""".split()  # noqa: SIM905
)
"""What fields of money are called."""
CURRENCIES = {"euro": "eur", "dollar": "usd", "pound-sterling": "gbp", "pound": "gbp", "yen": "jpy", "credit": "credit"}
"""By the unit of a sum: the code that fields of money are called after."""
_CODES = frozenset(CURRENCIES.values()) | {"chf", "sek", "nok", "dkk", "pln", "czk", "cad", "aud"}
LIMITS = LOWEST | HIGHEST
_COMPOUND = frozenset({"square-metre", "cubic-metre", "metre/second"})
_TIMES = {"second", "month"}
_DAY = 86400.0
_MONTH = 30 * _DAY
"""In seconds, a month as people count."""
_LASTING = frozenset({"time", "duration", "length", "runtime"})
"""Words of fields that hold how long something takes, in a unit that they may not tell."""
_SQUARE = frozenset({"sq", "square"})
_AREA = re.compile(r"(?:sqm|qm|sq)", re.IGNORECASE)


@lru_cache(maxsize=1 << 12)
def unit_of(word: str) -> tuple[str, float]:
    """What one of it is, in its base unit: (`second`, 60.0) for minutes; ("", 1.0) for what counts nothing."""
    if _AREA.fullmatch(word):
        return "square-metre", 1.0
    found = next(iter(quantities(f"1 {word}")), None)
    return (found.unit, found.low) if found and found.unit else ("", 1.0)


def is_money(field: CatalogField) -> bool:
    """Whether a field holds sums of money."""
    return not (_MONEY_NAMES | _CODES).isdisjoint(field.words)


def is_sum(quantity: Quantity) -> bool:
    """Whether a number is a sum of money: `40 euros`."""
    return quantity.unit in CURRENCIES


def things(field: CatalogField, others: Sequence[CatalogField]) -> tuple[str, ...]:
    """The words of a field's name; `min` before it or beside a field of the highest is no minute."""
    rest = frozenset(field.words) - LIMITS
    paired = any(frozenset(other.words) - LIMITS == rest for other in others if other is not field)
    if paired:
        return tuple(word for word in field.words if word not in LIMITS)
    return field.words[1:] if len(field.words) > 1 and field.words[0] in LIMITS else field.words


def dimension(field: CatalogField, others: Sequence[CatalogField]) -> str | None:
    """What a field measures: `metre` for length_km, `money` for rent; None for what may be anything."""
    if is_money(field):
        return "money"
    said = things(field, others)
    measured = (unit for word, unit in zip(said, _units(said), strict=True) if measure(word) or _AREA.fullmatch(word))
    return next((name for name, _ in measured), None)


def _units(said: Sequence[str]) -> Iterator[tuple[str, float]]:
    """What one of each word is: (`square-metre`, 1e6) for the km of area_km2 and of sq_km."""
    for at, word in enumerate(said):
        squared = said[at + 1 : at + 2] == ("2",) or (at > 0 and said[at - 1] in _SQUARE)
        yield unit_of(f"square {word}" if squared and measure(word) else word)


def may_measure(field: CatalogField, quantity: Quantity, others: Sequence[CatalogField]) -> bool:
    """Whether a number in a unit may be one of a field: no sum of money is a length, and no length a price."""
    of_field, unit = dimension(field, others), quantity.unit
    if is_sum(quantity):
        return of_field in (None, "money")
    if unit is None or (measure(unit) is None and unit not in _COMPOUND):
        return True
    return of_field in (None, unit) or {unit, of_field} == _TIMES


def in_unit_of(field: CatalogField, quantity: Quantity, others: Sequence[CatalogField]) -> tuple[float, float]:
    """Both ends of a number in the unit that the field is in: 2 hours are 120 of runtime_min, a month 30 days."""
    for name, size in _units(things(field, others)):
        if name and name == quantity.unit:
            return quantity.low / size, quantity.high / size
        if {name, quantity.unit} == _TIMES:
            turned = size / _MONTH if name == "second" else size * _MONTH
            return quantity.low / turned, quantity.high / turned
    if quantity.unit == "second" and not _LASTING.isdisjoint(field.words):
        return _lasting(field, quantity) or quantity.written
    return quantity.written


def lasts(field: CatalogField, quantity: Quantity) -> bool:
    """Whether a field holds how long something takes, and has so long."""
    return not _LASTING.isdisjoint(field.words) and _lasting(field, quantity) is not None


def _lasting(field: CatalogField, quantity: Quantity) -> tuple[float, float] | None:
    """Both ends in the largest unit in which the field has so long: a playing_time of 10 to 180 is in minutes."""
    values = [float(value) for value in field.counts]
    for size in (_DAY, 3600.0, 60.0, 1.0):
        low, high = quantity.low / size, quantity.high / size
        if all(isinf(end) or min(values) <= end <= max(values) for end in (low, high)):
            return low, high
    return None
