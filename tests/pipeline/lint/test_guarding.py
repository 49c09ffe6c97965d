from pathlib import Path

import pytest

from pipeline.lint.guarding import why_none_is_guarded


@pytest.mark.parametrize(
    ("n_tables", "begins"),
    [(0, "There are no tables"), (1, "The one table is not"), (1184, "None of the 1,184 tables")],
)
def test_what_no_guarded_row_means_depends_on_the_tables(n_tables: int, begins: str) -> None:
    assert why_none_is_guarded(n_tables).startswith(begins)


def test_the_sentence_and_the_page_that_it_names_agree() -> None:
    page = (Path(__file__).parents[3] / "docs" / "query_must.md").read_text("utf-8")
    assert "docs/query_must.md" in why_none_is_guarded(2)
    assert "two of its rows or more have a name" in page
    assert "two of them or more" in why_none_is_guarded(2)
