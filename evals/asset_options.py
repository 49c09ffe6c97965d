"""What assets and checks share: when they run, how they fail and are tried again, and records as tables in the UI."""

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
"""The asset that observes them; what starts a run where they changed is the sensor that sees it."""

_OBSERVED = dg.AssetSelection.assets(QUESTION_FILES)


def _once(label: str, trigger: dg.AutomationCondition[Any]) -> dg.AutomationCondition[Any]:
    """This happened since the asset was last asked for or updated, and what is upstream is at rest and sound:
    none of it is missing or under way, and its blocking checks held on what it is now or run first in the same run."""
    condition = (
        trigger.since(_When.newly_requested() | _When.newly_updated())
        & ~_When.any_deps_missing().ignore(_OBSERVED)
        & ~_When.any_deps_in_progress()
        & ~_When.in_progress()
        & _When.all_deps_blocking_checks_passed()
    )
    return condition.with_label(label)


# A check that never ran on what is upstream as it is now: that changed while the automation was off.
_UNCHECKED = _When.any_deps_match(_When.any_checks_match(_When.missing())).newly_true().with_label("deps_unchecked")

SETTLED = _once("settled", _When.newly_missing() | _When.any_deps_updated() | _UNCHECKED)
"""Nothing is asked for twice for one change, however its run ended."""

AFTER_CHANGE = _once("after_change", _When.any_deps_updated().ignore(_OBSERVED))
"""The same for what may be missing for good: without questions a build scores nothing."""

AFTER_SCORES = _once(
    "after_scores", _When.newly_missing() | _When.any_deps_updated().ignore(dg.AssetSelection.assets("candidate_index"))
)
"""The same for what waits until the candidate's scores are new too."""

DIGITS = 4
"""Of a number in the UI; the files of scores keep all of them."""


def with_reason(compute: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let an asset or a check fail with the sentence of a `RetrievalError`, in place of Dagster's about an op.

    Only a server that does not answer may do so a moment later; everything else would fail again.
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
"""For what asks an embedder that may be a server; `with_reason` lets only that be tried again."""

ROWS = 200
"""How many lines of a table are kept in the event log; the records themselves are in the home."""


def columns_of(record_type: type) -> dg.TableSchema:
    """The fields of a frozen record as the columns of a table, in their order."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(field.name, getattr(field.type, "__name__", str(field.type)))
            for field in fields(record_type)
        ]
    )


def as_table(records: Sequence[object], record_type: type) -> dg.TableMetadataValue:
    """Frozen records as a table in the UI; floats to four digits, tuples with commas."""
    lines = ({field.name: getattr(record, field.name) for field in fields(record_type)} for record in records[:ROWS])
    return table(lines, columns_of(record_type))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value


def table(lines: Iterable[Mapping[str, Any]], schema: dg.TableSchema) -> dg.TableMetadataValue:
    """Lines by column as a table in the UI."""
    rows = [{name: _plain(value) for name, value in line.items()} for line in lines]
    return dg.MetadataValue.table(records=[dg.TableRecord(row) for row in rows], schema=schema)


def reported(value: float | None) -> dg.MetadataValue:
    """A number as it is plotted; null where it says nothing."""
    return dg.MetadataValue.null() if value is None else dg.MetadataValue.float(round(float(value), DIGITS))
