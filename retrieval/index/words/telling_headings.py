"""Which heading above a table tells it from others: the first of `Fighter > Progression`, if each class has one."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from retrieval.types import Chunk

PLACES = 3
"""Headings that one of the same words stands under in a book before it tells little: of two, one may be an index."""


def telling_paths(tables: Sequence[Chunk]) -> list[tuple[str, ...]]:
    """The heading path of each table or passage, the heading that tells most moved to its end.

    That is the nearest one which does not stand under `PLACES` others of its book: `Progression` under `Fighter`,
    `Thief` and `Elf` says less of a row than each of these. The headings below it keep their order, before it.
    """
    parents: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for book, path in {(table.book, table.heading_path) for table in tables}:
        for depth in range(1, len(path)):
            parents[book, path[depth].casefold()].add(path[:depth])
    common = {name for name, found in parents.items() if len(found) >= PLACES}
    return [_told(table.book, table.heading_path, common) for table in tables]


def _told(book: str, path: tuple[str, ...], common: Collection[tuple[str, str]]) -> tuple[str, ...]:
    at = len(path) - 1
    while at > 0 and (book, path[at].casefold()) in common:
        at -= 1
    return (*path[:at], *path[at + 1 :], *path[at : at + 1])
