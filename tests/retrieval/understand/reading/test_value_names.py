import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.value_names import ValueNames

_KEYS = ("priority", "stage", "origin", "potter", "paintColour")
_ROWS = (("P1", "II", "PT", "Prof. Ada van Loon", "seaGreen"), ("P2", "III", "NL", "Dr. Bo Kerr", "darkRed"))
_CATALOG = Catalog.of(
    [CatalogDocument(str(at), f"Jar {at}", dict(zip(_KEYS, row, strict=True))) for at, row in enumerate(_ROWS)]
)


def called(text: str) -> list[tuple[str, object]]:
    output = words(text)
    result = ValueNames(_CATALOG).called(tuple(word.key for word in output), output[0] if len(output) == 1 else None)
    return [(field.name, values[0]) for field, values, _ in result]


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("Dutch", "origin", "NL"),
        ("Portugal", "origin", "PT"),
        ("van Loon", "potter", "Prof. Ada van Loon"),
        ("Bo Kerr", "potter", "Dr. Bo Kerr"),
        ("sea green", "paintColour", "seaGreen"),
    ],
)
def test_a_value_has_the_names_that_people_give_it(text: str, field: str, value: str) -> None:
    assert called(text) == [(field, value)]
