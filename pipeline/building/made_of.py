"""What the records of the library's books were when something was made of them, or a check looked at them."""

from collections.abc import Iterable
from hashlib import sha256

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


def records_version(home: Home, slugs: Iterable[str], asset: str) -> str:
    """Hash of what the checks on one asset of the books look at, over these books. Not the asset's data version, which
    is of one book, and which a record that was changed by hand keeps."""
    parts = [home.settings.embedder] if asset == "embeddings" else []
    for slug in sorted(slugs):
        for name in RECORDS[asset]:
            path = home.book(slug) / name
            parts.append(f"{slug}/{name} {sha256(path.read_bytes()).hexdigest() if path.is_file() else 'missing'}")
    return content_version(parts)[:16]


def made_of(home: Home, slugs: Iterable[str]) -> dg.TableMetadataValue:
    """What a snapshot of these books is made of: the version of the records behind each asset of the books."""
    known = sorted(slugs)
    records = [dg.TableRecord({"asset": asset, "records": records_version(home, known, asset)}) for asset in RECORDS]
    return dg.MetadataValue.table(records=records, schema=_COLUMNS)


def records_behind(table: dg.TableMetadataValue, asset: str) -> str | None:
    """What `made_of` said of an asset; None if it did not know it."""
    versions = {record.data["asset"]: str(record.data["records"]) for record in table.records}
    return versions.get(asset)
