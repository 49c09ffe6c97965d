from datetime import date

import pytest

from retrieval.understand.catalog.fields import CatalogField, Kind, is_person, kind_of


@pytest.mark.parametrize(
    ("name", "values", "listed", "kind"),
    [
        ("archived", [True, False], False, "flag"),
        ("year", [1999, 2004], False, "year"),
        ("number", [1, 2, 3, 4], False, "identity"),
        ("rating", [1, 2.5, 4], False, "number"),
        ("created", ["2024-01-01", "2024-02-03T10:00:00Z"], False, "date"),
        ("updated_at", [1700000000, 1710000000], False, "epoch"),
        ("fix_versions", ["2.9", "2.10", "3"], True, "version"),
        ("author", ["Ann", "Bob Stone"], False, "person"),
        ("priority", ["low", "high"], False, "text"),
        ("summary", ["A long sentence about all sorts of things", "Another one that nobody asks for"], False, "free"),
    ],
)
def test_a_field_is_judged_by_its_values(name: str, values: list[str | float], listed: bool, kind: Kind) -> None:
    n_documents = len(values) if kind == "identity" else 9
    assert kind_of(name, values, n_documents, listed=listed) == kind


@pytest.mark.parametrize(
    ("kind", "known", "first", "last"),
    [
        ("date", "2024-01-01", "2024-05-01", "2024-05-31"),
        ("date", "2024-01-01T10:00:00Z", "2024-05-01", "2024-05-31T23:59:59.999999Z"),
        ("year", 2020, 2024, 2024),
        ("epoch", 1_700_000_000, 1714521600, 1717199999),
        ("epoch", 1_700_000_000_000, 1714521600000, 1717199999999),
    ],
)
def test_a_day_is_written_as_the_field_writes_it(kind: Kind, known: str | int, first: object, last: object) -> None:
    field = CatalogField("made", kind, listed=False, counts={known: 1})
    assert field.stored(date(2024, 5, 1), is_end=False) == first
    assert field.stored(date(2024, 5, 31), is_end=True) == last


def test_initials_without_spaces_make_a_name() -> None:
    values = ["G.T.Seaberg", "A. Ghiorsi", "Ida Bauer"]
    field = CatalogField(
        "found_by", kind_of("found_by", values, 9, listed=True), listed=True, counts=dict.fromkeys(values, 1)
    )
    assert [is_person(field, value) for value in (*values, "Seaberg")] == [True, True, True, False]
