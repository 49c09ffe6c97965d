"""Which tables of a book a pointer may mean, and which of them is the nearest."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from retrieval.ingest.tables.pointers.cells import Pointer, called, numbered
from retrieval.ingest.tables.table import Table

_LAST_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")

_Section = tuple[str, tuple[str, ...]]


class Titles:
    """The tables of one book by what they are called: caption, number, or a heading that is over them alone."""

    def __init__(self, tables: Sequence[Table]) -> None:
        """Gather the titles of all tables of a book, in reading order."""
        self._tables = tables
        under = Counter(map(_section, tables))
        found: dict[str, list[int]] = defaultdict(list)
        titled: dict[_Section, list[int]] = defaultdict(list)
        for place, table in enumerate(tables):
            alone = under[_section(table)] == 1
            for name in dict.fromkeys(_names(table, alone=alone)):
                found[name].append(place)
            if table.title:
                titled[_section(table)].append(place)
        self._found, self._titled = found, titled

    def meant(self, pointer: Pointer, place: int) -> int | None:
        """The table that is meant where the table at `place` says this; None if there is none, or no nearest one."""
        for name in pointer.names:
            at = [other for other in self._found.get(name, ()) if other != place]
            if at:
                return self._nearest(at, place)
        return None if pointer.is_code else self._told(pointer, place)

    def _told(self, pointer: Pointer, place: int) -> int | None:
        """The only table of the same section that is called the same in more or fewer words, two of them at least."""
        said = set(pointer.names[0].split())
        told = []
        for other in self._titled.get(_section(self._tables[place]), ()):
            words = set(called(self._tables[other].title or "").split())
            if other != place and min(len(said), len(words)) > 1 and (said <= words or words <= said):
                told.append(other)
        return told[0] if len(told) == 1 else None

    def _nearest(self, at: Sequence[int], place: int) -> int | None:
        """Of the same section rather than of the same document, and there the nearest; elsewhere the only one."""
        here = self._tables[place]
        inside = [other for other in at if self._tables[other].document == here.document]
        if not inside:
            return at[0] if len(at) == 1 else None
        return min(inside, key=lambda other: (-_shared(here, self._tables[other]), abs(other - place), -other))


def _section(table: Table) -> _Section:
    return table.document, table.heading_path


def _names(table: Table, *, alone: bool) -> Iterator[str]:
    written = [table.title, table.heading_path[-1] if alone and table.heading_path else None]
    for title in filter(None, written):
        number = numbered(title)
        if number:
            yield number[0]
        for spelling in (title, _LAST_BRACKETS.sub("", title), number[1] if number else ""):
            if name := called(spelling):
                yield name


def _shared(one: Table, other: Table) -> int:
    """Headings that two tables of a document have in common, from the outermost on."""
    count = 0
    for left, right in zip(one.heading_path, other.heading_path, strict=False):
        if left != right:
            break
        count += 1
    return count
