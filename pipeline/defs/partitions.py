"""One partition for each book of the library; the key is the book's slug."""

from collections.abc import Iterable

import dagster as dg

from retrieval.errors import LibraryError
from retrieval.home import Home, is_book_key

books_partitions = dg.DynamicPartitionsDefinition(name="books")


def partition_keys(slugs: Iterable[str]) -> list[str]:
    """The slugs as partition keys. Dagster checks none, and a key becomes a folder's name.

    Raises:
        LibraryError: a slug that could leave its folder or break a command line.
    """
    keys = list(slugs)
    for key in keys:
        if not is_book_key(key):
            raise LibraryError(f"{key!r} cannot be a book's key; use lower-case letters, digits and dashes")
    return keys


def forget_books(home: Home, keys: Iterable[str]) -> None:
    """Delete the records of books that went; a key that no book can have was added by hand, and has none."""
    for key in filter(is_book_key, keys):
        home.forget(key)
