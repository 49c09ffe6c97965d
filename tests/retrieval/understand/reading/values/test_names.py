from dataclasses import replace

import pytest

from retrieval.understand.catalog.catalog import Catalog, Described
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.values.names import Names

_KEYS = ("priority", "stage", "origin", "potter", "paintColour")
_ROWS = (
    ("P1", "II", "PT", "Prof. Ada van Loon", "seaGreen"),
    ("P2", "III", "NL", "Dr. Bo Kerr", "darkRed"),
)
_CATALOG = Catalog.of(
    [Described(str(at), f"Jar {at}", dict(zip(_KEYS, row, strict=True))) for at, row in enumerate(_ROWS)]
)


def called(text: str, *, says: bool = False) -> list[tuple[str, object]]:
    said = words(text)
    names = Names(replace(_CATALOG, says=lambda _: says))
    found = names.called(tuple(word.key for word in said), said[0] if len(said) == 1 else None)
    return [(field.name, values[0]) for field, values, _ in found]


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("priority 2", "priority", "P2"),
        ("stage 3", "stage", "III"),
        ("Dutch", "origin", "NL"),
        ("Portugal", "origin", "PT"),
        ("Portugall", "origin", "PT"),
        ("van Loon", "potter", "Prof. Ada van Loon"),
        ("Bo Kerr", "potter", "Dr. Bo Kerr"),
        ("sea green", "paintColour", "seaGreen"),
    ],
)
def test_a_value_has_the_names_that_people_give_it(text: str, field: str, value: str) -> None:
    assert called(text) == [(field, value)]


def test_a_word_that_documents_write_is_not_misspelled() -> None:
    assert called("Portugall", says=True) == []
