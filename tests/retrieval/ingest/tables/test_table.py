"""The names that a table gives to columns whose header cell is empty."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest.tables.table import is_unnamed, named_columns


@given(st.lists(st.sampled_from(["", "AC", "cost"]), min_size=1, max_size=6))
def test_a_column_is_unnamed_exactly_where_its_header_cell_is_empty(header: list[str]) -> None:
    columns = named_columns(header)

    assert [is_unnamed(column) for column in columns] == [not cell for cell in header]
    assert [column for column in columns if not is_unnamed(column)] == [cell for cell in header if cell]


@pytest.mark.parametrize("column", ["column type", "column", "columns 2", "entry point"])
def test_a_header_that_only_begins_like_such_a_name_is_a_name(column: str) -> None:
    assert not is_unnamed(column)
