"""Which field of numbers a number in a question is compared with."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isinf

from retrieval.quantities.measures import measure
from retrieval.quantities.quantity import Quantity
from retrieval.understand.analysis import Span
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.kin import Kin
from retrieval.understand.catalog.words import Word, keys, stem
from retrieval.understand.reading.grammar import is_noun_like
from retrieval.understand.reading.limits import WORTH, fitting, one_thing
from retrieval.understand.reading.units import in_unit_of, is_money, is_sum, lasts, may_measure, things, unit_of

_REACH, _BEHIND = 4, 2
"""Words before a number and behind it that may say what it is."""
_FIRST_YEAR = 1000
"""What is less is no year."""
_RATED = frozenset({"rated", "rating", "score", "scored", "star", "grade", "mark", "point"})
"""What is said of each other: `rated above 7` asks the score."""
_COUNTED = {"star": "rating", "people": "serving", "person": "serving", "guest": "serving"}
"""What is counted, and the word of the field that counts it."""
_PEOPLE = frozenset(
    """people person participant patient member guest visitor user individual man woman child adult student employee
    volunteer subject player worker resident attendee passenger inhabitant""".split()  # noqa: SIM905
)
"""Who is counted, also where documents tell of them."""
_MEASURED = frozenset(
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

    def asked(
        self,
        words: Sequence[Word],
        span: Span,
        quantity: Quantity,
        others: Sequence[Span],
        valued: Collection[int] = (),
    ) -> Asked | None:
        """The field that is called near a number, or that measures it, is worth it, is like a word, or counts things.

        Args:
            words: of the question.
            span: of the number.
            quantity: the number.
            others: spans of the other numbers and times: what stands within or behind them says nothing of this one.
            valued: places of words that are values, and say nothing of a number either.
        """
        inside = [at for at, word in enumerate(words) if word.start < span[1] and word.end > span[0]]
        if not inside:
            return None
        first, last = inside[0], inside[-1]
        own = [word.key for word in words[first : last + 1]]
        apart = [words[at] for at in valued if not first <= at <= last]
        others = [*others, *((word.start, word.end) for word in apart)]
        behind = _behind(words, last, others)
        compound = ["".join(two) for two in pairwise([*own[-1:], *behind])]  # `time zones` of timezones
        near = [*_before(words, first, others), *own, *behind, *compound]
        if quantity.label in self.called and quantity.label not in near:
            near.append(quantity.label)  # the 2 of `level 1 or 2`
        return next(filter(None, self._ways(near, quantity)), None) or self._numbered(words, first, quantity)

    def ranked(self, quantity: Quantity) -> bool:
        """Whether an ordinal is a number of a field that it stands before: `3rd level`, `8th or 9th level`."""
        return quantity.kind == "ordinal" and quantity.unit in self.called

    def holds(self, number: float) -> bool:
        """Whether a document has this very number."""
        return any(number in each.counts for each in self.catalog.fields.values() if each.kind == "number")

    @cached_property
    def called(self) -> frozenset[str]:
        """The words of the names of fields of numbers, but units."""
        numbers = [each for each in self.catalog.fields.values() if each.kind in ("number", "identity")]
        return frozenset(word for each in numbers for word in each.words if measure(word) is None)

    def _able(self, quantity: Quantity) -> Sequence[CatalogField]:
        """The fields that hold such numbers, in such units."""
        orders = {each.ordered_by for each in self.catalog.fields.values()}
        years = all(abs(bound) >= _FIRST_YEAR for bound in quantity.written)
        kinds = ("number", "identity", "year") if years else ("number", "identity")
        numbers = [each for each in self.catalog.fields.values() if each.kind in kinds and each.name not in orders]
        able = [each for each in numbers if may_measure(each, quantity, numbers)]

        def holds(field: CatalogField) -> bool:
            """Whether it has parts of one, or none is asked for in its unit: 0.25 hours are 15 of minutes."""
            bounds = [bound for bound in in_unit_of(field, quantity, numbers) if not isinf(bound)]
            whole = all(float(f"{bound:.8g}").is_integer() for bound in bounds)
            return whole or not all(float(value).is_integer() for value in field.counts)

        return [each for each in able if holds(each)] or able

    def _ways(self, near: Sequence[str], quantity: Quantity) -> Iterator[Asked | None]:
        fields = self._able(quantity)
        yield from self._by_unit(fields, near, quantity)
        for key in near:
            called = [each for each in fields if any(_akin(key, said) for said in each.words)]
            yield (fitting(called, near, quantity), 0.9) if called else None
        rated = [each for each in fields if _RATED & set(each.words)] if _RATED & set(near) else []
        yield (rated[0], 0.85) if len(rated) == 1 else None
        paid = [each for each in fields if is_money(each)] if is_sum(quantity) or WORTH & set(near) else []
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

    def _by_unit(self, numbers: Sequence[CatalogField], near: Sequence[str], quantity: Quantity) -> Iterator[Asked]:
        """The field that is called as a unit of the same dimension: `two hours` asks `minutes`, `4 stars` the `stars`.

        Of several, the one that more words call, that is in this very unit, or that reaches so far.
        """
        unit = quantity.unit
        if unit is None or is_sum(quantity):
            return
        meant = {unit, _COUNTED.get(unit, unit)}
        able = [each for each in numbers if any({word, unit_of(word)[0]} & meant for word in things(each, numbers))]
        able = able or [each for each in numbers if unit == "second" and lasts(each, quantity)]
        if not able:
            return
        said = [*near, *keys(quantity.text)]

        def votes(field: CatalogField) -> tuple[int, int, bool]:
            own = set(things(field, numbers))
            low, high = in_unit_of(field, quantity, numbers)
            called = sum(any(_akin(word, key) for word in own if not measure(word)) for key in set(near))
            written = sum(any(_akin(word, key) or _same_unit(word, key) for word in own) for key in set(said))
            return called, written, _has_both_sides(field, [bound for bound in (low, high) if not isinf(bound)])

        yield max(able, key=votes), 0.85

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
    able = [each for each in able if not is_money(each)]
    whole = [each for each in able if all(float(value).is_integer() for value in each.counts)]
    return whole[0] if len(whole) == 1 else None


def _reached(numbers: Sequence[CatalogField], quantity: Quantity) -> CatalogField | None:
    """Of a number that is compared, the one field with numbers on both sides, or the one of money: `under 12,000`."""
    bounds = [abs(bound) for bound in quantity.written if not isinf(bound)]
    if quantity.unit or quantity.kind == "number" or not bounds:
        return None
    able = [each for each in numbers if each.kind != "year" and _has_both_sides(each, bounds)]
    paid = [each for each in able if is_money(each)] if quantity.text[:1].isalpha() else []
    return next((found[0] for found in (able, paid) if len(found) == 1), None)


def _has_both_sides(field: CatalogField, bounds: Sequence[float]) -> bool:
    values = [float(value) for value in field.counts]
    return min(values) <= min(bounds) and max(bounds) <= max(values)


def _before(words: Sequence[Word], first: int, others: Sequence[Span]) -> list[str]:
    """Keys of the words before a number, the nearest first, back to another number."""
    found: list[str] = []
    for word in words[max(0, first - _REACH) : first][::-1]:
        if any(word.start < end and word.end > start for start, end in others):
            break
        found.append(word.key)
    return found


def _behind(words: Sequence[Word], last: int, others: Sequence[Span]) -> list[str]:
    """Keys of what is counted: `free seats` behind more than 8, `of ascent` behind 1,000 m."""
    found: list[str] = []
    for word in words[last + 1 : last + 1 + _BEHIND]:
        other = any(word.start < end and word.end > start for start, end in others)
        if other or not (is_noun_like(word.key) or (not found and word.key in ("of", "in"))):
            break
        found.append(word.key)
    return found


def _same_unit(word: str, said: str) -> bool:
    """Whether two spell one unit: km and kilometres."""
    return measure(word) is not None and measure(word) == measure(said)


def _akin(key: str, said: str) -> bool:
    """`numbered` and `number`, `rated` and `rating`: the same beginning, and little behind it."""
    if key == said or (min(len(key), len(said)) >= _STEMMED and stem(key) == stem(said)):
        return True
    shorter, longer = sorted((key, said), key=len)
    beginning = shorter[: max(3, len(shorter) - 2)]
    return len(shorter) > _STEMMED and longer.startswith(beginning) and len(longer) - len(beginning) <= 4
