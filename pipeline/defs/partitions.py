"""One partition for each book of the library; the key is the book's slug."""

import re
from collections.abc import Iterable

import dagster as dg

from retrieval.errors import LibraryError

books_partitions = dg.DynamicPartitionsDefinition(name="books")

_KEY = re.compile(r"[a-z0-9]+(?:[-._][a-z0-9]+)*")


def partition_keys(slugs: Iterable[str]) -> list[str]:
    """The slugs as partition keys. Dagster checks none, and a key becomes a folder's name.

    Raises:
        LibraryError: a slug that could leave its folder or break a command line.
    """
    keys = list(slugs)
    for key in keys:
        if not _KEY.fullmatch(key):
            raise LibraryError(f"{key!r} cannot be a book's key; use lower-case letters, digits and dashes")
    return keys
