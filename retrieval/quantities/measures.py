"""Units of measure with their spellings, from `measures.toml`."""

import tomllib
from importlib.resources import files
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit of the text: a value in the base unit is `written * factor + offset`."""

    name: str
    factor: float = 1.0
    offset: float = 0.0


_CELSIUS, _FAHRENHEIT = Unit("celsius"), Unit("celsius", 5 / 9, -160 / 9)
_TEMPERATURES = {"c": _CELSIUS, "celsius": _CELSIUS, "f": _FAHRENHEIT, "fahrenheit": _FAHRENHEIT}
_SHORTEST = 2
"""Letters of what is short for a unit."""
_POWERS = {"sq": ("square", 2), "square": ("square", 2), "cu": ("cubic", 3), "cubic": ("cubic", 3)}


def _table() -> dict[str, Unit]:
    bases: dict[str, dict[str, str]] = tomllib.loads(
        (files("retrieval.quantities") / "measures.toml").read_text("utf-8")
    )
    found: dict[str, Unit] = {}
    for base, rows in bases.items():
        for factor, spelled in rows.items():
            for word in spelled.split():
                unit = found[word] = Unit(base, float(factor))
                if len(word) > 2:
                    found.setdefault(word.lower(), unit)
                if len(word) > 2 and word.isascii() and word.islower() and word[-1] not in "sz":
                    found.setdefault(word + "s", unit)
    return found


_MEASURES = _table()


def measure(word: str) -> Unit | None:
    """The unit of measure that a word or sign spells; case tells `MB` from `mb` and `A` from `a`."""
    return _MEASURES.get(word) or (_MEASURES.get(word.lower()) if len(word) > 2 else None)


def short_for(unit: str) -> list[str]:
    """A unit, and its beginnings, which may be short for it, the longest first: a book with `th` has no `thaler`."""
    return [unit, *(unit[:length] for length in range(len(unit) - 1, _SHORTEST - 1, -1))]


def temperature(word: str) -> Unit | None:
    """The scale that follows `degrees` or its sign."""
    return _TEMPERATURES.get(word.lower())


def is_power(word: str) -> bool:
    """Whether a lower-case word makes an area or a volume of the length after it."""
    return word in _POWERS


def powered(word: str, unit: Unit) -> Unit | None:
    """The unit of `square feet` or `cu. m`, from the word and the unit after it; None unless that is a length."""
    if unit.name != "metre" or word not in _POWERS:
        return None
    name, power = _POWERS[word]
    return Unit(f"{name}-metre", unit.factor**power)
