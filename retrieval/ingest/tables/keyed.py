"""Which tables have rows that a question can name, and why the others have none."""

from collections.abc import Mapping, Sequence
from typing import Literal

from retrieval.ingest.tables.read_row import ReadRow
from retrieval.ingest.tables.reading import Reading
from retrieval.quantities.columns import figure_of_cell
from retrieval.query_must.canonical.canonical import canonical_term
from retrieval.query_must.rivals.amounts import row_amounts
from retrieval.query_must.rivals.speech import Speech
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

MIN_NAMED = 2
"""Rows that a question must be able to name: of one row there is nothing to keep out."""

Unkeyed = Literal["record", "single", "nameless"]
"""Why no row of a table is kept out: it describes one thing; it has one row; no cell or number is one row's alone."""


def why_unkeyed(reading: Reading, names: Mapping[int, Sequence[str]], vocabulary: Vocabulary) -> Unkeyed | None:
    """Why a table is not keyed; None if it is.

    Args:
        reading: of the table.
        names: of its rows, by ordinal.
        vocabulary: which words name nothing.
    """
    if reading.kind == "record":
        return "record"
    data = [row for row in reading.rows if row.role == "data" and any(row.cells)]
    if len(data) < MIN_NAMED:
        return "single"
    speech = Speech.of(vocabulary)
    named = sum(
        any(speech.is_name(canonical_term(name, vocabulary).split()) for name in names.get(row.ordinal, ()))
        or _is_counted(reading, row)
        for row in data
    )
    return None if named >= MIN_NAMED else "nameless"


def _is_counted(reading: Reading, row: ReadRow) -> bool:
    """Whether the key is a number of something, as `60` under `Temperature (°C)`."""
    key = reading.key_column
    figure = figure_of_cell(row.cells[key], row.columns[key], is_key=True)
    return figure is not None and any(amount.unit for amount in row_amounts(figure, row.columns[key]))
