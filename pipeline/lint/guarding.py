"""Why the tables of a library guard no row, in words for those who wonder about a filter that excludes nothing."""


def why_none_is_guarded(n_tables: int) -> str:
    """What it means that a library with this many tables has no guarded row, and what would make a table guarded."""
    if not n_tables:
        return "There are no tables, so no row is guarded and nothing is excluded from an answer."
    tables = "The one table is not" if n_tables == 1 else f"None of the {n_tables:,} tables is"
    return (
        f"{tables} guarded, so no row is excluded from an answer; ranking by names works all the same. A table is "
        "guarded where a question can name its rows: two of them or more have a cell that is theirs alone, or a number "
        "under the name of its column. More: docs/query_must.md"
    )
