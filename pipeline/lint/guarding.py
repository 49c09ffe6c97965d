"""Why the tables of a library guard no row, in words for those who wonder about a filter that excludes nothing."""

from retrieval.ingest.tables.strictness import MIN_ROWS


def why_none_is_guarded(n_tables: int) -> str:
    """What it means that a library with this many tables has no guarded row, and what would make a table guarded."""
    if not n_tables:
        return "There are no tables, so no row is guarded and nothing is excluded from an answer."
    tables = "The one table is not" if n_tables == 1 else f"None of the {n_tables:,} tables is"
    return (
        f"{tables} guarded, so no row is excluded from an answer; ranking by names works all the same. A table is "
        "guarded where its rows are keyed by a number that the vocabulary has a label for (a level, an armor class), "
        f"its other columns run over numbers too, and it and its twins have {MIN_ROWS} rows or more, most of them "
        "near-twins. More: docs/query_must.md"
    )
