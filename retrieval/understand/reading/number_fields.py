"""Which numeric field a number of a question is compared with."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import isinf

from retrieval.language.numbers.quantity import Quantity, measure
from retrieval.language.numbers.reading import quantities
from retrieval.understand.analysis import Span
from retrieval.understand.catalog.catalog import Catalog, CatalogField
from retrieval.understand.catalog.kin import Kin
from retrieval.understand.catalog.words import Word, keys, stem
from retrieval.understand.reading.grammar import AUXILIARIES, is_noun_like, is_past

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
    quantity = next(iter(quantities(f"1 {word}")), None)
    return (quantity.unit, quantity.low) if quantity and quantity.unit else ("", 1.0)


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
    terms = things(field, others)
    measured = (unit for word, unit in zip(terms, _units(terms), strict=True) if measure(word) or _AREA.fullmatch(word))
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
    sides = {side for side in (LOWEST, HIGHEST) if side & set(near)}
    low, high = quantity.written
    bound = LOWEST if isinf(high) and not isinf(low) else HIGHEST if isinf(low) and not isinf(high) else frozenset()

    def votes(field: CatalogField) -> tuple[int, bool, bool]:
        called = set(field.words)
        return len(called & set(near)), any(side & called for side in sides), bool(bound & called)

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
    numbers = [field for field in catalog.fields.values() if field.kind == "number"]
    flagged = {stem(word) for field in catalog.fields.values() if field.kind == "flag" for word in field.words}
    for at, word in enumerate(words):
        if word.key == "nothing" and (field := _nothing(words, at, numbers)):
            yield field, 0, words[max(0, at - 2) : at + 1]
            continue
        out = word.key == "out" and at + 1 < len(words) and words[at + 1].key == "of"
        if word.key not in _NONE and word.key != "single" and not out:
            continue
        query = int(word.key == "single")
        stop = at + 1 + out
        passed = AUXILIARIES | {"a", "an", "any"}
        while stop < len(words) and (words[stop].key in passed or (word.key == "never" and _is_won(words, stop))):
            stop += 1
        terms = stem(words[stop].key) if stop < len(words) else ""
        fields = [number for number in numbers if query in number.counts]
        both = {word.key for word in words[stop : stop + 2]}  # `a single hit point`
        called = [
            field
            for field in fields
            if any(len(name) > _VERB and stem(name) == terms for name in field.words) or both == set(field.words)
        ]
        if len(called) == 1 and terms not in flagged:
            yield called[0], query, words[at : stop + 1]


def _nothing(words: Sequence[Word], at: int, numbers: Sequence[CatalogField]) -> CatalogField | None:
    """The field whose verb stands before `nothing`: `depends on nothing else`, `costs nothing`."""
    terms = {stem(word.key) for word in words[max(0, at - 2) : at]}
    paid = not WORTH.isdisjoint(word.key for word in words[max(0, at - 2) : at])
    called = [
        number
        for number in numbers
        if 0 in number.counts and (terms & set(map(stem, number.words)) or (paid and is_money(number)))
    ]
    return called[0] if len(called) == 1 else None


def _is_won(words: Sequence[Word], at: int) -> bool:
    """A verb of the past before what is counted: `never won an award`."""
    return is_past(words[at]) and at + 1 < len(words) and words[at + 1].key in ("a", "an", "any")


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
        return any(number in field.counts for field in self.catalog.fields.values() if field.kind == "number")

    @cached_property
    def called(self) -> frozenset[str]:
        """The words of the names of fields of numbers, but units."""
        numbers = [field for field in self.catalog.fields.values() if field.kind in ("number", "identity")]
        return frozenset(word for number in numbers for word in number.words if measure(word) is None)

    def _able(self, quantity: Quantity) -> Sequence[CatalogField]:
        """The fields that hold such numbers, in such units."""
        orders = {field.ordered_by for field in self.catalog.fields.values()}
        years = all(abs(bound) >= _FIRST_YEAR for bound in quantity.written)
        kinds = ("number", "identity", "year") if years else ("number", "identity")
        numbers = [field for field in self.catalog.fields.values() if field.kind in kinds and field.name not in orders]
        able = [number for number in numbers if may_measure(number, quantity, numbers)]

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
            called = [field for field in fields if any(_akin(key, word) for word in field.words)]
            yield (fitting(called, near, quantity), 0.9) if called else None
        rated = [field for field in fields if _RATED & set(field.words)] if _RATED & set(near) else []
        yield (rated[0], 0.85) if len(rated) == 1 else None
        paid = [field for field in fields if is_money(field)] if is_sum(quantity) or WORTH & set(near) else []
        yield (fitting(paid, near, quantity), 0.8) if paid and one_thing(paid) else None
        bounds = [bound for bound in quantity.written if not isinf(bound)]
        plain = [field for field in fields if field.kind == "number" and _has_both_sides(field, bounds)]
        keys = [key for key in near if is_noun_like(key) and key not in self.catalog.nouns]
        meant = self._kin.field(keys, plain)
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
        able = [
            number for number in numbers if any({word, unit_of(word)[0]} & meant for word in things(number, numbers))
        ]
        able = able or [number for number in numbers if unit == "second" and lasts(number, quantity)]
        if not able:
            return
        terms = [*near, *keys(quantity.text)]

        def votes(field: CatalogField) -> tuple[int, int, bool]:
            own = set(things(field, numbers))
            low, high = in_unit_of(field, quantity, numbers)
            called = sum(any(_akin(word, key) for word in own if not measure(word)) for key in set(near))
            written = sum(any(_akin(word, key) or _same_unit(word, key) for word in own) for key in set(terms))
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
    able = [field for field in fields if not any(word in _MEASURED or measure(word) for word in field.words)]
    able = [each for each in able if not is_money(each)]
    whole = [each for each in able if all(float(value).is_integer() for value in each.counts)]
    return whole[0] if len(whole) == 1 else None


def _reached(numbers: Sequence[CatalogField], quantity: Quantity) -> CatalogField | None:
    """Of a number that is compared, the one field with numbers on both sides, or the one of money: `under 12,000`."""
    bounds = [abs(bound) for bound in quantity.written if not isinf(bound)]
    if quantity.unit or quantity.kind == "number" or not bounds:
        return None
    able = [number for number in numbers if number.kind != "year" and _has_both_sides(number, bounds)]
    paid = [each for each in able if is_money(each)] if quantity.text[:1].isalpha() else []
    return next((matches[0] for matches in (able, paid) if len(matches) == 1), None)


def _has_both_sides(field: CatalogField, bounds: Sequence[float]) -> bool:
    values = [float(value) for value in field.counts]
    return min(values) <= min(bounds) and max(bounds) <= max(values)


def _before(words: Sequence[Word], first: int, others: Sequence[Span]) -> list[str]:
    """Keys of the words before a number, the nearest first, back to another number."""
    matches: list[str] = []
    for word in words[max(0, first - _REACH) : first][::-1]:
        if any(word.start < end and word.end > start for start, end in others):
            break
        matches.append(word.key)
    return matches


def _behind(words: Sequence[Word], last: int, others: Sequence[Span]) -> list[str]:
    """Keys of what is counted: `free seats` behind more than 8, `of ascent` behind 1,000 m."""
    matches: list[str] = []
    for word in words[last + 1 : last + 1 + _BEHIND]:
        other = any(word.start < end and word.end > start for start, end in others)
        if other or not (is_noun_like(word.key) or (not matches and word.key in ("of", "in"))):
            break
        matches.append(word.key)
    return matches


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
