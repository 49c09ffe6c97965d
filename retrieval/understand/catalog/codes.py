"""What the codes of countries, languages and currencies are called in English, by the Unicode locale data of Babel."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

from babel import Locale

_MOSTLY = 0.9
"""Share of the values that are codes; a few may be written otherwise."""


def spelled_out(values: Collection[str]) -> Mapping[str, str]:
    """The names of the values of a field that holds such codes: `Poland` for PL; none for other fields.

    Args:
        values: all values of one field; of two letters, or of three for currencies.
    """
    if not values:
        return {}
    return next((names for names in _tables(values) if _share(value in names for value in values) >= _MOSTLY), {})


def _tables(values: Collection[str]) -> Iterator[Mapping[str, str]]:
    english = _english()
    if _share(len(value) == 2 and value.isupper() for value in values) >= _MOSTLY:
        yield english.territories
    if _share(len(value) == 2 and value.islower() for value in values) >= _MOSTLY:
        yield english.languages
    if _share(len(value) == 3 and value.isupper() for value in values) >= _MOSTLY:
        yield english.currencies


def _share(holds: Iterable[bool]) -> float:
    found = list(holds)
    return sum(found) / len(found)


@cache
def _english() -> Locale:
    return Locale("en")
