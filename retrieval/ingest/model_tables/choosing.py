"""Which tables a model is to read: those of a list, or those whose rows a question can name."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from retrieval.errors import LibraryError
from retrieval.ingest.tables.keyed import why_unkeyed
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.row_names import names_of_rows
from retrieval.ingest.tables.row_object import subject
from retrieval.ingest.tables.table import Table
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.table_rule import normal

_BULLET = re.compile(r"^\s*(?:[-*+]|\d+\.|#+)\s+")
_SHOWN = 3


def read_table_list(path: Path) -> tuple[str, ...]:
    """The lines of a list of tables, in markdown or plain; bullets, blank lines and backticks do not count.

    Raises:
        LibraryError: there is no such file, or it is not text, or names no table.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LibraryError(f"the list of tables {path} cannot be read ({error}); name another, or none") from error
    lines = (_BULLET.sub("", line).strip().strip("`") for line in text.splitlines())
    found = tuple(dict.fromkeys(line for line in lines if line))
    if not found:
        raise LibraryError(f"{path} names no table; write the caption or the heading of one on each line")
    return found


def listed(tables: Sequence[Table], titles: Sequence[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The ids of the tables that a list names, by caption, by the nearest heading or as `file.md:LINE`, and a sentence
    for each line that names none."""
    names = {table.id: {normal(name) for name in _names(table)} for table in tables}
    wanted = {normal(title): title for title in titles}
    found = frozenset(table for table, said in names.items() if not said.isdisjoint(wanted))
    known = {name for said in names.values() for name in said}
    return found, tuple(_unfound(title, name, names) for name, title in wanted.items() if name not in known)


def by_rule(tables: Sequence[Table], vocabulary: Vocabulary) -> frozenset[str]:
    """The ids of the tables of which a question can name a row: names and conditions do something there alone."""
    found = set()
    for table in tables:
        reading = read_table(table)
        if why_unkeyed(reading, names_of_rows(reading, vocabulary), vocabulary) is None:
            found.add(table.id)
    return frozenset(found)


def _names(table: Table) -> tuple[str, ...]:
    nearest = table.heading_path[-1] if table.heading_path else ""
    said = (table.caption or "", nearest, subject(table), f"{table.document}:{table.lines[0]}")
    return tuple(name for name in said if name)


def _unfound(title: str, name: str, names: Mapping[str, set[str]]) -> str:
    near = get_close_matches(name, sorted({each for said in names.values() for each in said}), n=_SHOWN, cutoff=0.5)
    return f"no table is called {title!r}" + (f"; there is {', '.join(map(repr, near))}" if near else "")
