"""What Dagster is told of an asset: its metadata, its data version, and the results of its checks."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from itertools import islice

import dagster as dg

from evals.asset_options import ROWS, as_table
from evals.checks import FINDINGS, summary
from evals.verdicts import finding_id
from retrieval.ingest.losses import Loss

Reported = int | float | str | None | dg.MetadataValue | dg.TableSchema

LOSSES_SHOWN = 50
"""Most missing parts of a book that an asset lists; the records of the book have all."""


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
        holding: counterexamples that hold a promotion until a person accepts them.
    """
    return dg.AssetCheckResult(
        passed=not counterexamples,
        severity=severity,
        description=summary(counterexamples),
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
