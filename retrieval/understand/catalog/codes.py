"""What the codes of countries, languages and currencies are called in English, by the Unicode locale data of Babel."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache

from babel import Locale


def spelled_out(values: Collection[str]) -> Mapping[str, str]:
    """The names of the values of a field that holds nothing but such codes: `Poland` for PL; none for other fields.

    Args:
        values: all values of one field; of two letters, or of three for currencies.
    """
    return next((names for names in _tables(values) if all(value in names for value in values)), {}) if values else {}


def _tables(values: Collection[str]) -> Iterator[Mapping[str, str]]:
    sizes = {len(value) for value in values}
    english = _english()
    if sizes == {2} and all(value.isupper() for value in values):
        yield english.territories
    if sizes == {2} and all(value.islower() for value in values):
        yield english.languages
    if sizes == {3} and all(value.isupper() for value in values):
        yield english.currencies


@cache
def _english() -> Locale:
    return Locale("en")
