"""evaluation → leaderboard: the candidate's scores, before anybody reads it. Without questions there are none."""

from collections.abc import Mapping

import dagster as dg

from evals.evaluation import HEADLINE, evaluation_of
from evals.leaderboard import Leaderboard
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES

strategies_partitions = dg.StaticPartitionsDefinition(list(STRATEGIES))

SETTLED = dg.AutomationCondition.eager()


@dg.asset(
    deps=["candidate_index"],
    partitions_def=strategies_partitions,
    group_name="evals",
    kinds={"parquet"},
    owners=["team:search"],
    automation_condition=SETTLED,
)
def evaluation(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """One strategy's scores on the candidate, a row for each question. Without questions every metric is null."""
    name = context.partition_key
    scores = evaluation_of(home, home.candidate, STRATEGIES[name])
    return dg.MaterializeResult(
        metadata={
            **_metadata(scores.headline().get(name, {})),
            "n_questions": scores.n_questions,
            "n_stale": len(scores.stale),
            "snapshot": scores.snapshot,
        },
    )


@dg.asset(deps=[evaluation], group_name="evals", kinds={"table"}, owners=["team:search"], automation_condition=SETTLED)
def leaderboard(home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """Every strategy on the candidate; the numbers of `default` are plotted, because it is what ships."""
    scores = evaluation_of(home, home.candidate, *STRATEGIES.values())
    headline = scores.headline()
    Leaderboard(scores.snapshot, scores.n_questions, headline).write(home.evaluations / scores.snapshot)
    return dg.MaterializeResult(
        metadata={
            **_metadata(headline.get("default", {})),
            "n_questions": scores.n_questions,
            "strategies": _table(headline),
            "snapshot": scores.snapshot,
        },
    )


def _metadata(metrics: Mapping[str, float | None]) -> dict[str, dg.MetadataValue]:
    values = {name: metrics.get(name) for name in HEADLINE}
    return {
        name: dg.MetadataValue.null() if value is None else dg.MetadataValue.float(value)
        for name, value in values.items()
    }


def _table(headline: Mapping[str, Mapping[str, float | None]]) -> dg.MetadataValue:
    columns = [dg.TableColumn("strategy", "string"), *(dg.TableColumn(name, "float") for name in HEADLINE)]
    records = [dg.TableRecord({"strategy": name, **metrics}) for name, metrics in headline.items()]
    return dg.MetadataValue.table(records=records, schema=dg.TableSchema(columns=columns))
