import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.catalog.kin import Kin

_KEYS = ("country", "mood", "weight_kg", "height_cm", "price")
_ROWS = (
    ("Brazil", "horror", 1, 10, 100),
    ("Iceland", "comedy", 9, 30, 100),
    ("Vietnam", "single-stitched", 9, 10, 250),
    ("Ghana", "double-stitched", 4, 40, 250),
)
_CATALOG = Catalog.of(
    [CatalogDocument(str(at), f"Post {at}", dict(zip(_KEYS, row, strict=True))) for at, row in enumerate(_ROWS)]
)


@pytest.mark.parametrize(
    ("said", "field", "values"),
    [
        ("brazilian", "country", ("Brazil",)),
        ("icelandic", "country", ("Iceland",)),
        ("scary", "mood", ("horror",)),
        ("funny", "mood", ("comedy",)),
        ("stitched", "mood", ("single-stitched", "double-stitched")),
    ],
)
def test_a_word_means_the_values_that_it_is_like(said: str, field: str, values: tuple[str, ...]) -> None:
    result = Kin(_CATALOG).values(said)
    assert result is not None
    assert (result.field.name, result.values, result.denied) == (field, values, False)


@pytest.mark.parametrize("said", ["lighthouse", "table", "the", "harbour wall"])
def test_a_word_that_is_like_no_value_means_none(said: str) -> None:
    assert Kin(_CATALOG).values(said) is None


def test_a_word_with_what_denies_it_is_none_of_the_values() -> None:
    result = Kin(_CATALOG).values("unstitched")
    assert result is not None
    assert (result.values, result.denied) == (("single-stitched", "double-stitched"), True)


@pytest.mark.parametrize(
    ("word", "field"), [("heavier", "weight_kg"), ("taller", "height_cm"), ("costing", "price"), ("purple", None)]
)
def test_a_word_means_the_field_that_it_measures(word: str, field: str | None) -> None:
    numbers = [field for field in _CATALOG.fields.values() if field.kind == "number"]
    result = Kin(_CATALOG).field([word], numbers)
    assert (result.name if result else None) == field
