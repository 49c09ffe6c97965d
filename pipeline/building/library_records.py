"""The chunks of all books together, as the steps that make something of the whole library read them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline.building.book_records import book_records
from pipeline.building.materialization import content_version
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class LibraryRecords:
    """What the books' records hold now."""

    chunks: tuple[Chunk, ...]
    """In the order of their ids."""
    keys: tuple[str, ...]
    """What their vectors are kept under, aligned with them."""
    version: str
    """Hash of the files that they were read from."""

    @classmethod
    def of(cls, folders: Iterable[Path]) -> "LibraryRecords":
        """Those of the books with these folders of records.

        Raises:
            FileNotFoundError: a book has no chunks yet.
            IndexCorruptError: a line of its records is no chunk.
        """
        books = [book_records(folder) for folder in folders]
        pairs = [pair for book in books for pair in zip(book.chunks, book.keys, strict=True)]
        pairs.sort(key=lambda pair: pair[0].id)
        return cls(
            tuple(chunk for chunk, _ in pairs),
            tuple(key for _, key in pairs),
            content_version(book.digest for book in books),
        )
