"""evaluation → leaderboard: the candidate's scores, before anybody reads it. Without questions there are none."""

import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import dagster as dg

from evals.code_version import code_version
from evals.evaluation import HEADLINE, SHIPPED, evaluation_of
from evals.leaderboard import Leaderboard
from retrieval.errors import EmbedderUnavailableError, RetrievalError
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

strategies_partitions = dg.StaticPartitionsDefinition(list(STRATEGIES))

_When = dg.AutomationCondition


def _once(label: str, trigger: dg.AutomationCondition[Any]) -> dg.AutomationCondition[Any]:
    """This happened since the asset was last asked for or updated, and what is upstream is at rest and sound:
    none of it is missing or under way, and its blocking checks held on what it is now or run first in the same run."""
    condition = (
        trigger.since(_When.newly_requested() | _When.newly_updated())
        & ~_When.any_deps_missing()
        & ~_When.any_deps_in_progress()
        & ~_When.in_progress()
        & _When.all_deps_blocking_checks_passed()
    )
    return condition.with_label(label)


# A check that never ran on what is upstream as it is now: that changed while the automation was off.
_UNCHECKED = _When.any_deps_match(_When.any_checks_match(_When.missing())).newly_true().with_label("deps_unchecked")

SETTLED = _once("settled", _When.newly_missing() | _When.any_deps_updated() | _UNCHECKED)
"""Nothing is asked for twice for one change, however its run ended."""

AFTER_CHANGE = _once("after_change", _When.any_deps_updated())
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
            again = isinstance(error, EmbedderUnavailableError) and error.__cause__ is not None
            raise dg.Failure(str(error), allow_retries=again) from error

    return computed


COLUMNS = dg.TableSchema(
    columns=[dg.TableColumn("strategy", "string"), *(dg.TableColumn(name, "float") for name in HEADLINE)]
)


with warnings.catch_warnings():
    warnings.simplefilter("ignore", dg.BetaWarning)  # of the parameter backfill_policy
    _by_strategy = dg.asset(
        deps=["candidate_index"],
        partitions_def=strategies_partitions,
        backfill_policy=dg.BackfillPolicy.single_run(),
        group_name="evals",
        kinds={"parquet"},
        owners=["team:search"],
        tags={"domain": "scores"},
        code_version=code_version(),
        automation_condition=AFTER_CHANGE,
    )
"""Several strategies are one run: a process for each takes longer to start than to score."""


@_by_strategy
@with_reason
def evaluation(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """One strategy's scores on the candidate, a row for each question. Without questions every metric is null."""
    scores = evaluation_of(home, home.candidate, *(STRATEGIES[name] for name in context.partition_keys))
    headline = scores.headline()
    for name in context.partition_keys:
        mrr = headline.get(name, {}).get("mrr")
        said = "no questions were given" if mrr is None else f"mrr {mrr:.3f} over {scores.n_questions} questions"
        context.log.info(f"{name} on {scores.snapshot}: {said}")
        context.add_asset_metadata(
            {
                **_metadata(headline.get(name, {})),
                "dagster/partition_row_count": len(scores.rows(name)),
                "n_questions": scores.n_questions,
                "n_stale": len(scores.stale),
            },
            partition_key=name,
        )
    return dg.MaterializeResult(metadata={"snapshot": scores.snapshot})


@dg.asset(
    deps=[evaluation, "candidate_index"],
    group_name="evals",
    kinds={"table"},
    owners=["team:search"],
    tags={"domain": "scores"},
    code_version=code_version(),
    automation_condition=AFTER_SCORES,
)
@with_reason
def leaderboard(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """Every strategy on the candidate; the numbers of `default` are plotted, because it is what ships.

    What `evaluation` scored before is read; what it did not is scored now.
    """
    scores = evaluation_of(home, home.candidate, *STRATEGIES.values())
    headline = scores.headline()
    Leaderboard(scores.snapshot, scores.n_questions, headline).write(home.evaluations / scores.snapshot)
    best = max(headline, key=lambda name: headline[name]["mrr"] or 0.0, default=None)
    context.log.info(
        f"{scores.snapshot}: {scores.n_questions} questions; best mrr: {best}"
        if best
        else f"{scores.snapshot}: no questions were given, so nothing is scored"
    )
    return dg.MaterializeResult(
        metadata={
            **_metadata(headline.get(SHIPPED, {})),
            "dagster/row_count": len(headline),
            "dagster/column_schema": COLUMNS,
            "n_questions": scores.n_questions,
            "strategies": _table(headline),
            "snapshot": scores.snapshot,
        },
    )


def _metadata(metrics: Mapping[str, float | None]) -> dict[str, dg.MetadataValue]:
    values = {name: metrics.get(name) for name in HEADLINE}
    return {
        name: dg.MetadataValue.null() if value is None else dg.MetadataValue.float(round(value, DIGITS))
        for name, value in values.items()
    }


def _table(headline: Mapping[str, Mapping[str, float | None]]) -> dg.MetadataValue:
    records = [
        dg.TableRecord(
            {
                "strategy": name,
                **{key: None if value is None else round(value, DIGITS) for key, value in metrics.items()},
            }
        )
        for name, metrics in headline.items()
    ]
    return dg.MetadataValue.table(records=records, schema=COLUMNS)
