"""Which field of numbers a number in a question is compared with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isinf

from retrieval.quantities.measures import measure
from retrieval.quantities.quantity import Quantity
from retrieval.quantities.reading import quantities
from retrieval.understand.analysis import Span
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.kin import Kin
from retrieval.understand.catalog.words import Word, keys, stem
from retrieval.understand.reading.grammar import is_noun_like
from retrieval.understand.reading.limits import MONEY, WORTH, fitting, one_thing, things

_REACH = 4
_FIRST_YEAR = 1000
"""What is less is no year."""
_COUNTED = {"star": "rating", "people": "serving", "person": "serving", "guest": "serving"}
"""What is counted, and the word of the field that counts it."""
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
_PEOPLE = frozenset(
    """people person participant patient member guest visitor user individual man woman child adult student employee
    volunteer subject player worker resident attendee passenger inhabitant""".split()  # noqa: SIM905
)
"""Who is counted, also where documents tell of them."""
_MEASURED = MONEY | frozenset(
    {
        "age",
        "year",
        "rating",
        "score",
        "grade",
        "level",
        "priority",
        "temperature",
        "weight",
        "height",
        "length",
        "depth",
    }
    | {"width", "size", "percent", "percentage", "share", "rate", "speed", "distance", "duration", "time", "volume"}
    | {"area", "latitude", "longitude", "runtime", "number"}
)
"""Words of the names of fields that count nothing."""
_STEMMED = 4
"""Letters of a word that is compared by its stem: `cost` and `costing`; longer ones by what they begin with."""
Asked = tuple[CatalogField, float]
"""A field and how sure it is that it is meant."""


@dataclass(frozen=True, eq=False)
class NumberFields:
    """The fields of numbers of a catalogue."""

    catalog: Catalog

    def asked(self, words: Sequence[Word], span: Span, quantity: Quantity) -> Asked | None:
        """The field that is called near a number, or that measures it, is worth it, is like a word, or counts things.

        Args:
            words: of the question.
            span: of the number.
            quantity: the number.
        """
        inside = [at for at, word in enumerate(words) if word.start < span[1] and word.end > span[0]]
        if not inside:
            return None
        first, last = inside[0], inside[-1]
        before, behind = words[max(0, first - _REACH) : first][::-1], words[last + 1 : last + 2]
        near = [word.key for word in (*before, *words[first : last + 1], *behind)]
        fields = self._able(quantity)
        return next(filter(None, self._ways(fields, near, quantity)), None) or self._numbered(words, first, quantity)

    def _able(self, quantity: Quantity) -> Sequence[CatalogField]:
        orders = {each.ordered_by for each in self.catalog.fields.values()}
        years = all(abs(bound) >= _FIRST_YEAR for bound in quantity.written)
        kinds = ("number", "identity", "year") if years else ("number", "identity")
        return [each for each in self.catalog.fields.values() if each.kind in kinds and each.name not in orders]

    def _ways(self, fields: Sequence[CatalogField], near: Sequence[str], quantity: Quantity) -> Iterator[Asked | None]:
        measured = _by_unit(fields, quantity)
        yield (measured, 0.85) if measured else None
        for key in (_CURRENCIES.get(said, said) for said in near):
            called = [each for each in fields if any(_akin(key, said) for said in each.words)]
            yield (fitting(called, near, quantity), 0.9) if called else None
        paid = [each for each in fields if MONEY & set(each.words)] if WORTH & set(near) and not quantity.unit else []
        yield (fitting(paid, near, quantity), 0.8) if paid and one_thing(paid) else None
        bounds = [bound for bound in quantity.written if not isinf(bound)]
        plain = [each for each in fields if each.kind == "number" and _has_both_sides(each, bounds)]
        said = [key for key in near if is_noun_like(key) and key not in self.catalog.nouns]
        meant = self._kin.field(said, plain)
        yield (meant, 0.75) if meant else None
        reached = _reached(fields, quantity)
        yield (reached, 0.75) if reached else None
        thing = quantity.unit or ""
        counts = thing in _PEOPLE or (bool(thing) and not self.catalog.says(thing))
        counting = _counting(plain) if counts and quantity.kind in ("open", "range") else None
        yield (counting, 0.72) if counting and measure(thing) is None else None

    def _numbered(self, words: Sequence[Word], first: int, quantity: Quantity) -> Asked | None:
        """The number that documents go by, behind their noun."""
        identity = next((each for each in self._able(quantity) if each.kind == "identity"), None)
        behind = quantity.label in self.catalog.nouns or (first > 0 and words[first - 1].key in self.catalog.nouns)
        return (identity, 0.85) if identity and behind else None

    @cached_property
    def _kin(self) -> Kin:
        return Kin(self.catalog)


def _counting(fields: Sequence[CatalogField]) -> CatalogField | None:
    """The one field that counts things, for things that nothing is called after: `fewer than 20 participants`."""
    able = [each for each in fields if not any(word in _MEASURED or measure(word) for word in each.words)]
    whole = [each for each in able if all(float(value).is_integer() for value in each.counts)]
    return whole[0] if len(whole) == 1 else None


def _reached(numbers: Sequence[CatalogField], quantity: Quantity) -> CatalogField | None:
    """Of a number that is compared, the one field that has numbers on both sides: `pay less than 12,000`."""
    bounds = [abs(bound) for bound in quantity.written if not isinf(bound)]
    if quantity.unit or quantity.kind == "number" or not bounds:
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
    able = [each for each in numbers if any({word, unit_of(word)[0]} & meant for word in things(each, numbers))]
    called = [each for each in able if any(_akin(word, said) for word in each.words for said in keys(quantity.text))]
    return next(iter(called or able), None)


def unit_of(word: str) -> tuple[str, float]:
    """What one of it is, in its base unit: (`second`, 60.0) for minutes."""
    found = next(iter(quantities(f"1 {word}")), None)
    return (found.unit, found.low) if found and found.unit else ("", 1.0)


def _akin(key: str, said: str) -> bool:
    """`numbered` and `number`, `rated` and `rating`: the same beginning, and little behind it."""
    if key == said or (min(len(key), len(said)) >= _STEMMED and stem(key) == stem(said)):
        return True
    shorter, longer = sorted((key, said), key=len)
    beginning = shorter[: max(3, len(shorter) - 2)]
    return len(shorter) > _STEMMED and longer.startswith(beginning) and len(longer) - len(beginning) <= 4
