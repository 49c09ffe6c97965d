"""What an asset says about itself: numbers under the same names on every run, and a version of its content."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import dagster as dg

Reported = int | float | str | None | dg.MetadataValue

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
    values = {key: dg.MetadataValue.null() if value is None else value for key, value in metadata.items()}
    return dg.MaterializeResult(metadata=values, data_version=dg.DataVersion(version))


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
            **{key: dg.MetadataValue.null() if value is None else value for key, value in metadata.items()},
        },
    )
