"""Shared options of assets and checks: when they run, how they fail and are retried, and tables for the UI."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import dagster as dg

from retrieval.errors import EmbedderUnavailableError, RetrievalError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_When = dg.AutomationCondition

QUESTION_FILES = "question_files"
"""The asset that observes the question files; a run after a change is started by its sensor."""

_OBSERVED = dg.AssetSelection.assets(QUESTION_FILES)


def _once(label: str, trigger: dg.AutomationCondition[Any]) -> dg.AutomationCondition[Any]:
    """Return a condition: the trigger occurred since the asset was last requested or updated, nothing upstream is
    missing or in progress, and its blocking checks passed on its current state or run first in the same run."""
    condition = (
        trigger.since(_When.newly_requested() | _When.newly_updated())
        & ~_When.any_deps_missing().ignore(_OBSERVED)
        & ~_When.any_deps_in_progress()
        & ~_When.in_progress()
        & _When.all_deps_blocking_checks_passed()
    )
    return condition.with_label(label)


# A check that never ran on the current state of an upstream asset, which changed while the automation was off.
_UNCHECKED = _When.any_deps_match(_When.any_checks_match(_When.missing())).newly_true().with_label("deps_unchecked")

SETTLED = _once("settled", _When.newly_missing() | _When.any_deps_updated() | _UNCHECKED)
"""The condition by which one change causes one request, however its run ends."""

AFTER_CHANGE = _once("after_change", _When.any_deps_updated().ignore(_OBSERVED))
"""The same for assets that may never be materialized: without questions, a build scores nothing."""

AFTER_SCORES = _once(
    "after_scores", _When.newly_missing() | _When.any_deps_updated().ignore(dg.AssetSelection.assets("candidate_index"))
)
"""The same for assets that also wait for the candidate's new scores."""

DIGITS = 4
"""Digits of a number in the UI; the files of scores have all of them."""


def with_reason(compute: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make an asset or a check fail with the sentence of a `RetrievalError` instead of Dagster's about an op.

    Retries are only allowed if a server does not answer; all other errors would occur again.
    """

    @wraps(compute)
    def computed(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return compute(*args, **kwargs)
        except RetrievalError as error:
            again = isinstance(error, EmbedderUnavailableError) and error.passing
            raise dg.Failure(str(error), allow_retries=again) from error

    return computed


AGAIN = dg.RetryPolicy(max_retries=2, delay=2, backoff=dg.Backoff.EXPONENTIAL)
"""Retry policy for assets that use an embedder, which may be on a server; `with_reason` limits it to that."""

ROWS = 200
"""Most lines of a table in the event log; the records themselves are in the home."""


def columns_of(record_type: type) -> dg.TableSchema:
    """Return the fields of a frozen record as the columns of a table, in their order."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(field.name, getattr(field.type, "__name__", str(field.type)))
            for field in fields(record_type)
        ]
    )


def as_table(records: Sequence[object], record_type: type) -> dg.TableMetadataValue:
    """Return frozen records as a table for the UI; floats with four digits, tuples with commas."""
    lines = ({field.name: getattr(record, field.name) for field in fields(record_type)} for record in records[:ROWS])
    return table(lines, columns_of(record_type))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value


def table(lines: Iterable[Mapping[str, Any]], schema: dg.TableSchema) -> dg.TableMetadataValue:
    """Return lines by column as a table for the UI."""
    rows = [{name: _plain(value) for name, value in line.items()} for line in lines]
    return dg.MetadataValue.table(records=[dg.TableRecord(row) for row in rows], schema=schema)


def reported(value: float | None) -> dg.MetadataValue:
    """Return a number in the form in which it is plotted; null if it is undefined."""
    return dg.MetadataValue.null() if value is None else dg.MetadataValue.float(round(float(value), DIGITS))
