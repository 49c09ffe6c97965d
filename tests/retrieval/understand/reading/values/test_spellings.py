from dataclasses import replace

import pytest

from retrieval.understand.catalog.catalog import Catalog, Described
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.values.spellings import Spellings

_ROWS = (
    ("b/w", "16mm", "doc", "front-lit", "LTO"),
    ("colour", "35mm", "play", "back-lit", "DVD"),
)
_KEYS = ("tint", "gauge", "sort", "light", "carrier")
_CATALOG = Catalog.of(
    [Described(str(at), f"Reel {at}", dict(zip(_KEYS, row, strict=True))) for at, row in enumerate(_ROWS)]
)


def found(question: str, *, says: bool = False) -> set[tuple[str, str]]:
    said = words(question)
    mentions = Spellings(replace(_CATALOG, says=lambda _: says)).within(said)
    return {(str(each.values[0]), " ".join(word.text for word in said[each.first : each.stop])) for each in mentions}


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
