"""Quantities, their units and bounds, and whether one is within another. The units are in `measures.toml`."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from math import isinf
from typing import Literal, NamedTuple

from retrieval.language.english import word_list, word_set

Kind = Literal["number", "ordinal", "fraction", "range", "open", "sum", "dice", "version", "date", "time", "ratio"]

AS_TEXT: frozenset[Kind] = frozenset({"dice", "version", "date", "time", "ratio"})
"""Kinds that cannot be ordered as numbers, and only match the same spelling."""


ROUNDING = 1e-12
"""Relative difference by which two conversions of one value may differ."""

_SAME = str.maketrans({"−": "-", "–": "-", "×": "x", "*": "x"})


@dataclass(frozen=True, slots=True)
class Quantity:
    """An interval of numbers with its unit.

    `low` and `high` are in the base unit of their dimension, such as seconds; `written` has the same ends in the unit
    of the text. A bare number is compared with `written`: `90` in a question may mean `90 minutes` in a cell, but not
    its 5400 seconds.
    """

    low: float
    """The smallest value; -inf if the interval is open downwards, NaN for a kind of `AS_TEXT`."""
    high: float
    """The largest value; slightly below the bound if the text excludes it (`under 5`)."""
    unit: str | None
    """The base unit (`second`, `metre`, `percent`), or the following noun in the singular; None for a bare number."""
    kind: Kind
    start: int
    """Index of its first character in the text."""
    end: int
    """Index after its last character."""
    text: str
    """The quantity as written, with its unit."""
    written: tuple[float, float]
    """Both ends in the unit of the text."""
    label: str | None = None
    """Its label in lower case and singular: `level` in `levels 3-5`, `score` in `a score of nineteen`."""
    follows_name: bool = False
    """Whether it directly follows a name, as in `MAVLink 2`, so that it may be part of the name."""


def holds(cell: Quantity, wanted: Quantity) -> bool:
    """Whether the wanted number or range is within the cell's interval; an open range only needs to overlap it.

    Different units contradict each other; a bare number is compatible with every unit. A half is within `46%–55%`.
    Dice, versions, dates, times and ratios only match the same spelling.
    """
    if cell.kind in AS_TEXT or wanted.kind in AS_TEXT:
        return cell.kind == wanted.kind and spelling(cell.text) == spelling(wanted.text)
    within = _meets if wanted.kind == "open" else _within
    if cell.unit == wanted.unit:
        return within((cell.low, cell.high), wanted.low, wanted.high)
    if cell.unit == "percent" and wanted.unit is None and wanted.kind == "fraction":
        return within((cell.low, cell.high), wanted.low * 100, wanted.high * 100)
    if wanted.unit == "percent" and cell.unit is None and cell.kind == "fraction":
        return within((cell.low * 100, cell.high * 100), wanted.low, wanted.high)
    if cell.unit is None or wanted.unit is None or cell.unit == wanted.label or wanted.unit == cell.label:
        return within(cell.written, *wanted.written)
    return False


def _within(ends: tuple[float, float], low: float, high: float) -> bool:
    return ends[0] - slack(ends[0]) <= low and high <= ends[1] + slack(ends[1])


def _meets(ends: tuple[float, float], low: float, high: float) -> bool:
    return ends[0] - slack(ends[0]) <= high and low <= ends[1] + slack(ends[1])


def slack(end: float) -> float:
    """Return by how much a number may differ from an end of an interval and still be equal to it."""
    return 0.0 if isinf(end) else abs(end) * ROUNDING


def beyond(bound: float) -> float:
    """Return the smallest value that counts as more than a bound, given the rounding of unit conversions."""
    return bound + max(abs(bound), 1.0) * ROUNDING * 10


def spelling(text: str) -> str:
    """Return a normalised spelling of a quantity of a kind in `AS_TEXT`."""
    folded = "".join(text.lower().split()).translate(_SAME)
    return "1" + folded if folded.startswith("d") else folded.removeprefix("v")


def _values(by_one: str, by_ten: str) -> dict[str, float]:
    ones = {word: float(value) for value, word in enumerate(word_list(by_one))}
    return ones | {word: 10.0 * value for value, word in enumerate(word_list(by_ten), 2)}


CARDINALS = _values("cardinals", "tens")
ORDINALS = _values("ordinals", "tenth_ordinals")
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
MULTIPLES = SCALES | {"hundred": 100.0, "dozen": 12.0}
PART = {"half": 2.0, "quarter": 4.0} | {word: value for word, value in ORDINALS.items() if value > 2}
"""Divisors by word in the singular: `one third`."""
PARTS = {f"{word}s": value for word, value in PART.items()} | {"halves": 2.0}
"""Divisors by word in the plural: `two thirds`."""
NUMBER_WORDS = frozenset({*CARDINALS, *ORDINALS, *MULTIPLES, *PART, *PARTS})

UPWARDS, DOWNWARDS = word_set("upwards"), word_set("downwards")
BEFORE_PRONOUN, AFTER_PRONOUN = word_set("before_pronoun"), word_set("after_pronoun")
FUNCTION_WORDS = word_set("function")
AFTER_LABEL = word_set("after_label")
SUMMING = word_set("summing")
NUMBERING = word_set("numbering")
MONTHS = word_set("months")
ARTICLES = frozenset({"a", "an", "the"})


def singular(word: str) -> str:
    """Return one form for a lower-case noun and its plural, as a key for comparison rather than a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "zes", "ches", "shes", "uses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return {"dice": "die", "men": "man", "feet": "foot"}.get(word, word)


class Unit(NamedTuple):
    """A unit in the text: a value in the base unit is `written * factor + offset`."""

    name: str
    factor: float = 1.0
    offset: float = 0.0


_CELSIUS, _FAHRENHEIT = Unit("celsius"), Unit("celsius", 5 / 9, -160 / 9)
_TEMPERATURES = {"c": _CELSIUS, "celsius": _CELSIUS, "f": _FAHRENHEIT, "fahrenheit": _FAHRENHEIT}
_SHORTEST = 2
"""Fewest letters of a unit's short form."""
_POWERS = {"sq": ("square", 2), "square": ("square", 2), "cu": ("cubic", 3), "cubic": ("cubic", 3)}


def _table() -> dict[str, Unit]:
    bases: dict[str, dict[str, str]] = tomllib.loads(
        (files("retrieval.language.numbers") / "measures.toml").read_text("utf-8")
    )
    units: dict[str, Unit] = {}
    for base, rows in bases.items():
        for factor, spelled in rows.items():
            for word in spelled.split():
                unit = units[word] = Unit(base, float(factor))
                if len(word) > 2:
                    units.setdefault(word.lower(), unit)
                if len(word) > 2 and word.isascii() and word.islower() and word[-1] not in "sz":
                    units.setdefault(word + "s", unit)
    return units


_MEASURES = _table()


def measure(word: str) -> Unit | None:
    """Return the unit of a word or sign, or None; case distinguishes `MB` from `mb` and `A` from `a`."""
    return _MEASURES.get(word) or (_MEASURES.get(word.lower()) if len(word) > 2 else None)


def short_for(unit: str) -> list[str]:
    """Return a unit and its possible short forms, longest first: a book may have `th` instead of `thaler`."""
    return [unit, *(unit[:length] for length in range(len(unit) - 1, _SHORTEST - 1, -1))]


def temperature(word: str) -> Unit | None:
    """Return the temperature scale after `degrees` or its sign, or None."""
    return _TEMPERATURES.get(word.lower())


def is_power(word: str) -> bool:
    """Whether a lower-case word makes the following length an area or a volume."""
    return word in _POWERS


def powered(word: str, unit: Unit) -> Unit | None:
    """Return the unit of `square feet` or `cu. m`, from its word and the unit after it; None unless it is a length."""
    if unit.name != "metre" or word not in _POWERS:
        return None
    name, power = _POWERS[word]
    return Unit(f"{name}-metre", unit.factor**power)


UNKNOWN_WAY = frozenset({"better", "worse"})
"""Words whose direction depends on the column, so that only the bound itself is read."""
OPENING = UPWARDS | DOWNWARDS | UNKNOWN_WAY
Bound = tuple[bool, bool]
PHRASES: dict[tuple[str, ...], Bound] = {
    # Words before a number: whether it is open upwards, and whether the number itself is excluded.
    **{(word, "than"): (True, True) for word in UPWARDS},
    **{(word, "than"): (False, True) for word in DOWNWARDS},
    **{(word,): (True, True) for word in ("over", "above", "exceeding", "beyond", ">")},
    **{(word,): (False, True) for word in ("under", "below", "<")},
    **dict.fromkeys((("at", "least"), ("≥",), ("⩾",), ("minimum",), (">", "="), ("=", ">")), (True, False)),
    **dict.fromkeys((("up", "to"), ("at", "most"), ("≤",), ("⩽",), ("maximum",), ("<", "=")), (False, False)),
    **{(no, word, "than"): (False, False) for no in ("no", "not") for word in UPWARDS},
    **{(no, word, "than"): (True, False) for no in ("no", "not") for word in DOWNWARDS},
    **{("not", word): (False, False) for word in ("over", "above", "exceeding", "beyond")},
    **{("not", word): (True, False) for word in ("under", "below")},
    ("up", "to", "and", "including"): (False, False),
}
OPENERS = frozenset(words[0] for words in PHRASES)
LONGEST_BOUND = 4
