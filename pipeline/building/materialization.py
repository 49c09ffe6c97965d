"""What an asset says about itself: numbers under the same names on every run, and a version of its content."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

import dagster as dg

Reported = int | float | str | None | dg.MetadataValue | dg.TableSchema

ROWS = 200
"""How many lines of a table are kept in the event log; the records themselves lie in the home."""

SHOWN = 5
"""How many counterexamples a description names; all of them would fill the event log."""


def content_version(parts: Iterable[str | bytes]) -> str:
    """sha256 over the parts in their order, as hex; the same content is the same version on every machine."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return digest.hexdigest()


def materialized(version: str, metadata: Mapping[str, Reported]) -> dg.MaterializeResult[None]:
    """The result of an asset that stored its own output. An undefined number is reported as null, never as 0."""
    values = {key: _reported(value) for key, value in metadata.items()}
    return dg.MaterializeResult(metadata=values, data_version=dg.DataVersion(version))


def columns_of(record_type: type) -> dg.TableSchema:
    """The fields of a frozen record as the columns of a table, in their order."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(each.name, getattr(each.type, "__name__", str(each.type))) for each in fields(record_type)
        ]
    )


def as_table(records: Sequence[object], record_type: type) -> dg.TableMetadataValue:
    """Frozen records of plain values as a table in the UI; floats to four digits."""
    rows = [
        {each.name: _plain(getattr(record, each.name)) for each in fields(record_type)} for record in records[:ROWS]
    ]
    return dg.MetadataValue.table(records=[dg.TableRecord(row) for row in rows], schema=columns_of(record_type))


def _plain(value: float | str | None) -> float | str | None:
    return round(value, 4) if isinstance(value, float) else value


def held(
    counterexamples: Sequence[object],
    metadata: Mapping[str, Reported],
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> dg.AssetCheckResult:
    """A proposition holds when nothing contradicts it; otherwise the first contradictions are its description."""
    first = "; ".join(str(example) for example in counterexamples[:SHOWN])
    more = f"; and {len(counterexamples) - SHOWN} more" if len(counterexamples) > SHOWN else ""
    return dg.AssetCheckResult(
        passed=not counterexamples,
        severity=severity,
        description=first + more or "nothing contradicts it",
        metadata={
            "n_counterexamples": len(counterexamples),
            **{key: _reported(value) for key, value in metadata.items()},
        },
    )


def _reported(value: Reported) -> int | float | str | dg.MetadataValue | dg.TableSchema:
    if value is None:
        return dg.MetadataValue.null()
    return round(value, 4) if isinstance(value, float) else value
