"""The words of a table row that both legs index."""

import re
from collections.abc import Sequence

from retrieval.ingest.tables.table import Table

_SEARCH_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")


def row_search_text(
    table: Table,
    columns: Sequence[str],
    cells: Sequence[str],
    label: str | None,
    notes: Sequence[str] = (),
    names: Sequence[str] = (),
    searched_as: Sequence[str] = (),
) -> str:
    """Headings, caption or what is said about the table, its subject, what else finds it, label, pairs and notes.

    A pair is `column: cell`. A run of columns with one name says it once. At the end stand the names that no cell says.
    """
    headings, said = " > ".join(table.heading_path), (*_subject(table), *searched_as, label or "")
    context = [headings, table.caption or "", table.about, *said]
    pairs, previous = [], ""
    for column, cell in zip(columns, cells, strict=True):
        if cell:
            shared = _shared_words(previous, column)
            pairs.append(f"{column[shared:].strip() or column}: {cell}")
            previous = column
    return "\n".join(part for part in [*context, "; ".join(pairs), *notes, *other_names(names, cells)] if part)


def other_names(names: Sequence[str], cells: Sequence[str]) -> tuple[str, ...]:
    """The names of a row, without numbers, that say a word which none of its cells says: a short form, a nickname."""
    said = {word for cell in cells for word in _SEARCH_WORD.findall(cell.casefold())}
    return tuple(
        name for name in names if not _DIGIT.search(name) and not said.issuperset(_SEARCH_WORD.findall(name.casefold()))
    )


def _subject(table: Table) -> Sequence[str]:
    return table.rule.subject if table.rule else ()


def _shared_words(previous: str, column: str) -> int:
    """Length of the words that `column` repeats from the column before it."""
    if not previous:
        return 0
    before, now = previous.split(" "), column.split(" ")
    count = 0
    while count < min(len(before), len(now)) - 1 and before[count] == now[count]:
        count += 1
    return len(" ".join(now[:count]))
