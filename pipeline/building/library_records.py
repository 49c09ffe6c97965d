"""The records of all books: the chunks that an index is made of, and the versions of the files behind an asset."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import dagster as dg

from pipeline.building.book_records import BOOK_FILE, CHUNKS_FILE, PREDICATES_FILE, ROWS_FILE, TABLES_FILE, book_records
from pipeline.building.materialization import content_version
from retrieval.home import Home
from retrieval.types import Chunk

RECORDS = {
    "books": (BOOK_FILE,),
    "tables": (TABLES_FILE,),
    "table_rows": (TABLES_FILE, ROWS_FILE),
    "predicates": (TABLES_FILE, PREDICATES_FILE),
    "chunks": (PREDICATES_FILE, CHUNKS_FILE),
    "embeddings": (CHUNKS_FILE,),
}
"""The files of a book's folder that the checks on an asset read."""
_COLUMNS = dg.TableSchema(columns=[dg.TableColumn("asset", "string"), dg.TableColumn("records", "string")])


def records_version(home: Home, slugs: Iterable[str], asset: str, digest: Callable[[Path], str] | None = None) -> str:
    """Return a hash of the records of these books that the checks on one asset read.

    It is not the asset's data version, which is for one book and does not change when a record is edited by hand.
    A caller that asks for several assets, which share files, can pass a cached `digest`.
    """
    digest = digest or _digest
    parts = [home.settings.embedder] if asset == "embeddings" else []
    for slug in sorted(slugs):
        parts += [f"{slug}/{name} {digest(home.book(slug) / name)}" for name in RECORDS[asset]]
    return content_version(parts)[:16]


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"


def made_of(home: Home, slugs: Iterable[str]) -> dg.TableMetadataValue:
    """Return the inputs of a snapshot of these books: the version of the records behind each asset of the books."""
    known, digest = sorted(slugs), cache(_digest)
    versions = {asset: records_version(home, known, asset, digest) for asset in RECORDS}
    records = [dg.TableRecord({"asset": asset, "records": version}) for asset, version in versions.items()]
    return dg.MetadataValue.table(records=records, schema=_COLUMNS)


def records_behind(table: dg.TableMetadataValue, asset: str) -> str | None:
    """Return the version of an asset's records in a table of `made_of`; None if the asset is not in it."""
    versions = {record.data["asset"]: str(record.data["records"]) for record in table.records}
    return versions.get(asset)


@dataclass(frozen=True, slots=True)
class LibraryRecords:
    """The current chunks of several books."""

    chunks: tuple[Chunk, ...]
    """In id order."""
    keys: tuple[str, ...]
    """Keys of their vectors, aligned with the chunks."""
    version: str
    """Hash of the files of the chunks."""

    @classmethod
    def of(cls, folders: Iterable[Path]) -> "LibraryRecords":
        """Read the chunks of the books with these folders of records.

        Raises:
            FileNotFoundError: a book has no chunks yet.
            IndexCorruptError: a line of its records is not a chunk.
        """
        books = [book_records(folder) for folder in folders]
        pairs = [pair for book in books for pair in zip(book.chunks, book.keys, strict=True)]
        pairs.sort(key=lambda pair: pair[0].id)
        return cls(
            tuple(chunk for chunk, _ in pairs),
            tuple(key for _, key in pairs),
            content_version(book.digest for book in books),
        )
