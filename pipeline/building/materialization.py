"""Metadata and data versions of materializations, also for the whole library; verdicts by book."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path

import dagster as dg
from pydantic import ValidationError

from evals.asset_options import ROWS, as_table
from evals.checks import FINDINGS
from evals.verdicts import finding_id
from pipeline.building.book_records import book_records
from pipeline.building.kept_work import program_version
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.home import Home
from retrieval.ingest.losses import Loss
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.lint import LintFinding
from retrieval.types import Chunk

Reported = int | float | str | None | dg.MetadataValue | dg.TableSchema

LOSSES_SHOWN = 50
"""Most missing parts of a book that an asset lists; the records of the book have all."""

SHOWN = 5
"""Most counterexamples that a description lists; all of them would fill the event log."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """One contradiction of a proposition that has no record type of its own."""

    against_it: str


def content_version(parts: Iterable[str | bytes]) -> str:
    """Return the sha256 over the parts in order, as hex; the same content has the same version on every machine."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return digest.hexdigest()


def losses_metadata(losses: Collection[Loss]) -> dict[str, Reported]:
    """Return an asset's metadata about its losses; the names are the same on every run."""
    shown = "\n".join(f"- {loss}" for loss in islice(losses, LOSSES_SHOWN))
    more = f"\n- and {len(losses) - LOSSES_SHOWN} more" if len(losses) > LOSSES_SHOWN else ""
    return {"n_losses": len(losses), "losses": dg.MetadataValue.md(shown + more or "none")}


def materialized(version: str, metadata: Mapping[str, Reported]) -> dg.MaterializeResult[None]:
    """Return the result of an asset that stored its own output. An undefined number is reported as null, never as 0."""
    values = {key: _reported(value) for key, value in metadata.items()}
    return dg.MaterializeResult(metadata=values, data_version=dg.DataVersion(version))


def held(
    counterexamples: Sequence[object],
    metadata: Mapping[str, Reported],
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    *,
    holding: Sequence[object] = (),
) -> dg.AssetCheckResult:
    """Return a check result: passed without counterexamples, otherwise described by the first of them.

    Args:
        counterexamples: contradictions of the proposition.
        holding: counterexamples that hold a promotion until a person accepts them.
    """
    first = "; ".join(str(example) for example in counterexamples[:SHOWN])
    more = f"; and {len(counterexamples) - SHOWN} more" if len(counterexamples) > SHOWN else ""
    return dg.AssetCheckResult(
        passed=not counterexamples,
        severity=severity,
        description=first + more or "nothing contradicts it",
        metadata={
            "n_counterexamples": len(counterexamples),
            "against_it": _table(counterexamples),
            **({FINDINGS: dg.MetadataValue.json([finding_id(str(example)) for example in holding])} if holding else {}),
            **{key: _reported(value) for key, value in metadata.items()},
        },
    )


def _table(counterexamples: Sequence[object]) -> dg.TableMetadataValue:
    records = [
        counterexample if is_dataclass(counterexample) else Counterexample(str(counterexample))
        for counterexample in counterexamples[:ROWS]
    ]
    return as_table(records, type(records[0]) if records else Counterexample)


def _reported(value: Reported) -> int | float | str | dg.MetadataValue | dg.TableSchema:
    if value is None:
        return dg.MetadataValue.null()
    return round(value, 4) if isinstance(value, float) else value


RECORDS = {
    "books": ("book.jsonl",),
    "tables": ("tables.jsonl",),
    "table_rows": ("tables.jsonl", "table_rows.jsonl"),
    "predicates": ("tables.jsonl", "predicates.jsonl"),
    "chunks": ("predicates.jsonl", "chunks.jsonl"),
    "embeddings": ("chunks.jsonl",),
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


PREFIX = "checked-"
"""Prefix of the names of the files of kept verdicts."""


@dataclass(frozen=True, slots=True)
class BookVerdict:
    """The contradictions of a proposition in one book."""

    count: int
    """Number of objects checked."""
    sentences: tuple[str, ...] = ()
    findings: tuple[LintFinding, ...] = ()
    """The contradictions, if they are about predicates."""


@dataclass(frozen=True, slots=True)
class _KeptVerdict:
    key: str
    verdict: BookVerdict


def book_verdict(
    folder: Path, check: str, files: Sequence[str], vocabulary: Vocabulary, judge: Callable[[], BookVerdict]
) -> BookVerdict:
    """Return the verdict of `judge` on the records in `folder`; the kept one if it judged these very bytes before.

    Args:
        files: the records that it reads.
        judge: checks the records; it must read nothing else.
    """
    path = folder / f"{PREFIX}{check}.json"
    digests = [sha256((folder / name).read_bytes()).hexdigest() for name in files]
    key = content_version([program_version(), check, str(vocabulary.to_json()), *files, *digests])
    try:
        kept = parse_record(path.read_bytes(), _KeptVerdict)
    except (OSError, ValidationError):
        kept = None
    if kept is None or kept.key != key:
        kept = _KeptVerdict(key, judge())
        write_atomically(path, dump_record(kept) + b"\n")
    return kept.verdict
