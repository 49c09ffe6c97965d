"""."""

from dataclasses import replace

import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.value_names import Spellings, ValueNames

_KEYS = ("priority", "stage", "origin", "potter", "paintColour")
_ROWS = (
    ("P1", "II", "PT", "Prof. Ada van Loon", "seaGreen"),
    ("P2", "III", "NL", "Dr. Bo Kerr", "darkRed"),
)
_CATALOG = Catalog.of(
    [CatalogDocument(str(at), f"Jar {at}", dict(zip(_KEYS, row, strict=True))) for at, row in enumerate(_ROWS)]
)


def called(text: str, *, says: bool = False) -> list[tuple[str, object]]:
    output = words(text)
    names = ValueNames(replace(_CATALOG, says=lambda _: says))
    result = names.called(tuple(word.key for word in output), output[0] if len(output) == 1 else None)
    return [(field.name, values[0]) for field, values, _ in result]


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


_SPELLINGS_ROWS = (
    ("b/w", "16mm", "doc", "front-lit", "LTO"),
    ("colour", "35mm", "play", "back-lit", "DVD"),
)
_SPELLINGS_KEYS = ("tint", "gauge", "sort", "light", "carrier")
_SPELLINGS_CATALOG = Catalog.of(
    [
        CatalogDocument(str(at), f"Reel {at}", dict(zip(_SPELLINGS_KEYS, row, strict=True)))
        for at, row in enumerate(_SPELLINGS_ROWS)
    ]
)


def found(question: str, *, says: bool = False) -> set[tuple[str, str]]:
    output = words(question)
    mentions = Spellings(replace(_SPELLINGS_CATALOG, says=lambda _: says)).within(output)
    return {
        (str(mention.values[0]), " ".join(word.text for word in output[mention.first : mention.stop]))
        for mention in mentions
    }


@pytest.mark.parametrize(
    ("question", "value", "said"),
    [
        ("something in black and white", "b/w", "black and white"),
        ("on linear tape open", "LTO", "linear tape open"),
        ("either 35 or 16 millimetre", "16mm", "16 millimetre"),
        ("documentaries of the sea", "doc", "documentaries"),
        ("back-lighted reels", "back-lit", ""),
        ("front- or back-lit", "front-lit", "front -"),
    ],
)
def test_values_are_found_as_a_question_spells_them(question: str, value: str, said: str) -> None:
    assert ((value, said) in found(question)) is bool(said)


def test_a_longer_word_that_documents_have_is_their_own() -> None:
    assert found("documentaries of the sea", says=True) == set()
