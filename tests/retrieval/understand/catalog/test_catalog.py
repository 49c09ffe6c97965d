from datetime import UTC, date, datetime

import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument, CatalogField, Kind, is_person, kind_of
from tests.retrieval.understand.conftest import Archive


def test_the_kinds_of_an_archive(archive: Archive) -> None:
    kinds = {name: (field.kind, field.listed) for name, field in archive.catalog.fields.items()}
    assert kinds == {
        "director": ("person", True),
        "season": ("text", False),
        "status": ("text", False),
        "genre": ("text", True),
        "premiere_date": ("date", False),
        "seats": ("number", False),
        "script_versions": ("version", True),
        "touring": ("flag", False),
    }


def test_documents_are_called_as_their_names_and_titles_call_them(archive: Archive) -> None:
    assert {"show", "programme", "document"} <= archive.catalog.nouns
    assert "ladder" not in archive.catalog.nouns


def test_what_the_titles_under_a_value_share_goes_with_it() -> None:
    documents = [CatalogDocument(f"{n}.md", f"Schedule of 3.{n}", {"topic": "Release"}) for n in range(5)]
    documents += [CatalogDocument(f"x{n}.md", f"Thoughts about {n}", {"topic": "Other"}) for n in range(15)]
    result = Catalog.of(documents)
    assert "schedule" in result.companions["topic", "Release"]


def test_versions_know_the_number_that_rises_with_them() -> None:
    documents = [
        CatalogDocument(f"{n}", "", {"versions": (f"3.{n}", "3.40"), "version_key": 300 + n, "pages": n % 3})
        for n in range(9, 14)
    ]
    field = Catalog.of(documents).fields["versions"]
    assert field.ordered_by == "version_key"
    assert field.orders == {"3.9": 309, "3.10": 310, "3.11": 311, "3.12": 312, "3.13": 313}


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


def test_times_before_the_tenth_digit_of_the_epoch_are_earlier() -> None:
    epochs = [int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1999, 2003)]
    assert len({len(str(epoch)) for epoch in epochs}) == 2
    field = CatalogField("made", "epoch", listed=False, counts=dict.fromkeys(epochs, 1))
    assert field.reaches(date(2000, 6, 1), None)
    assert field.reaches_past(date(2000, 6, 1))
    assert not field.reaches(None, date(1998, 1, 1))
    assert not field.reaches(date(2004, 1, 1), None)
