"""Which tables have rows that a question can name."""

import pytest

from retrieval.ingest.tables.keyed import why_unkeyed
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.row_names import names_of_rows
from retrieval.ingest.tables.table import Table, TableRow
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


def why(table: Table) -> str | None:
    vocabulary, reading = Vocabulary.default(), read_table(table)
    return why_unkeyed(reading, names_of_rows(reading, vocabulary), vocabulary)


@pytest.mark.parametrize(
    ("header", "keys", "reason"),
    [
        (("Thread", "Nm"), ("M10", "M12", "M16"), None),
        (("Temperature (°C)", "Ohms"), ("20", "40", "60"), None),
        (("Heading", "Duty"), ("6205.20", "6205.30", "6206.10"), None),
        (("Grade", "Nm"), ("A", "B", "C"), "nameless"),
    ],
)
def test_codes_and_numbers_of_something_can_be_named(
    header: tuple[str, str], keys: tuple[str, ...], reason: str | None
) -> None:
    made = tuple(
        TableRow((key, str(10 + place)), place + 3, f"| {key} | {10 + place} |") for place, key in enumerate(keys)
    )
    assert why(Table("t", "b", "d.md", (), None, header, made, (1, len(made) + 2))) == reason
