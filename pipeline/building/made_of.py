"""What the records of the library's books were when something was made of them, or a check looked at them."""

from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

import dagster as dg

from pipeline.building.materialization import content_version
from retrieval.home import Home

RECORDS = {
    "books": ("book.jsonl",),
    "tables": ("tables.jsonl",),
    "table_rows": ("tables.jsonl", "table_rows.jsonl"),
    "predicates": ("tables.jsonl", "predicates.jsonl"),
    "chunks": ("predicates.jsonl", "chunks.jsonl"),
    "embeddings": ("chunks.jsonl",),
}
"""The files of a book's folder that the checks on an asset look at."""

_COLUMNS = dg.TableSchema(columns=[dg.TableColumn("asset", "string"), dg.TableColumn("records", "string")])


def records_version(home: Home, slugs: Iterable[str], asset: str, digest: Callable[[Path], str] | None = None) -> str:
    """Hash of what the checks on one asset of the books look at, over these books. Not the asset's data version, which
    is of one book, and which a record that was changed by hand keeps.

    `digest` is for a caller that asks for several assets, which share files.
    """
    digest = digest or _digest
    parts = [home.settings.embedder] if asset == "embeddings" else []
    for slug in sorted(slugs):
        parts += [f"{slug}/{name} {digest(home.book(slug) / name)}" for name in RECORDS[asset]]
    return content_version(parts)[:16]


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"


def made_of(home: Home, slugs: Iterable[str]) -> dg.TableMetadataValue:
    """What a snapshot of these books is made of: the version of the records behind each asset of the books."""
    known, digest = sorted(slugs), cache(_digest)
    versions = {asset: records_version(home, known, asset, digest) for asset in RECORDS}
    records = [dg.TableRecord({"asset": asset, "records": version}) for asset, version in versions.items()]
    return dg.MetadataValue.table(records=records, schema=_COLUMNS)


def records_behind(table: dg.TableMetadataValue, asset: str) -> str | None:
    """What `made_of` said of an asset; None if it did not know it."""
    versions = {record.data["asset"]: str(record.data["records"]) for record in table.records}
    return versions.get(asset)
