from pathlib import Path

import pytest

from pipeline.lint.guarding import BECAUSE, Cause, by_cause, why_none_is_guarded
from pipeline.runs.outcomes import Build
from retrieval.home import Home
from retrieval.ingest.guard_report import REASONS


def test_one_cause_in_many_places_is_told_once() -> None:
    warnings = [
        ("a", "some documents have no last_update_date: 1970-01-01 is used"),
        ("a", "01.md: byte 17 is not UTF-8; read as Latin-1 (Windows-1252)"),
        ("b", "some documents have no last_update_date: 1970-01-01 is used"),
        ("b", "deep/02.md: byte 9 is not UTF-8; read as Latin-1 (Windows-1252)"),
        ("b", "03.md: empty"),
    ]
    assert by_cause(warnings) == (
        Cause("byte … is not UTF-8; read as Latin-1 (Windows-1252)", ("a/01.md", "b/deep/02.md")),
        Cause("some documents have no last_update_date: 1970-01-01 is used", ("a", "b")),
        Cause("empty", ("b/03.md",)),
    )


def test_every_reason_has_words() -> None:
    assert set(BECAUSE) == set(REASONS)


def test_the_asset_reports_the_same_counts(sample_build: tuple[Home, Build]) -> None:
    numbers = sample_build[1].books["lantern-and-blade"].numbers["predicates"]
    reported = {name: numbers[name] for name in numbers if name.endswith("_tables")}
    assert reported == {
        "n_tables": 122,
        "n_guarded_tables": 69,
        "n_guardable_tables": 69,
        "n_open_tables": 0,
        "n_record_tables": 53,
        "n_single_tables": 0,
        "n_nameless_tables": 0,
    }


@pytest.mark.parametrize(
    ("n_tables", "begins"),
    [(0, "There are no tables"), (1, "The one table is not"), (1184, "None of the 1,184 tables")],
)
def test_what_no_guarded_row_means_depends_on_the_tables(n_tables: int, begins: str) -> None:
    assert why_none_is_guarded(n_tables).startswith(begins)


def test_the_sentence_and_the_page_that_it_names_agree() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "query_must.md").read_text("utf-8")
    assert "docs/reference/query_must.md" in why_none_is_guarded(2)
    assert "at least two of its rows have a name" in page
    assert "at least two of them" in why_none_is_guarded(2)
