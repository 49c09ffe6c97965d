"""`query_must` moved from the JSON of a row, where a reader would meet it, to the row's own field."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from retrieval.ingest.losses import attempt
from retrieval.query_must.extraction import extract_query_must
from retrieval.types import Row


def extract_predicates(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The same rows; where the content held a `query_must`, it is taken out and kept as the row's predicate."""
    return tuple(
        attempt(partial(_extracted, row), partial(replace, row), f"the predicate of the row {row.key!r}")
        for row in rows
    )


def _extracted(row: Row) -> Row:
    extraction = extract_query_must(row.content)
    if extraction.query_must is None:
        return row
    return replace(row, content=extraction.content, query_must=extraction.query_must)
