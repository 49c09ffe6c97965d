"""evaluation → leaderboard: the candidate's scores, before it goes live. Without questions there are none."""

import warnings
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import dagster as dg

from evals.asset_options import (
    AFTER_CHANGE,
    AFTER_SCORES,
    AGAIN,
    QUESTION_FILES,
    as_table,
    reported,
    table,
    with_reason,
)
from evals.evaluation import HEADLINE, SHIPPED, Evaluation, evaluation_of
from evals.leaderboard import Leaderboard
from evals.metric_table import meaning
from evals.noise import Relatives
from evals.relaxation import relaxation_in
from evals.showing import (
    LEGEND,
    MOST_POINTS,
    RELAXATION_RATE,
    SHOWN,
    WORST,
    Explained,
    ScoredSnapshot,
    TableLine,
    board,
    by_kind,
    since_live,
    trend,
    worst_questions,
)
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.strategies import STRATEGIES

strategies_partitions = dg.StaticPartitionsDefinition(list(STRATEGIES))


def _metric_columns(*names: str) -> list[dg.TableColumn]:
    return [dg.TableColumn(name, "float", description=meaning(name)) for name in names]


COLUMNS = dg.TableSchema(columns=[dg.TableColumn("strategy", "string"), *_metric_columns(*HEADLINE)])
KINDS = dg.TableSchema(columns=[dg.TableColumn("kind", "string"), dg.TableColumn("n", "int"), *_metric_columns(*SHOWN)])
WORST_COLUMNS = dg.TableSchema(
    columns=[dg.TableColumn(name, "int" if name in {"rank", "noise"} else "string") for name in WORST]
)
METRICS = {"metrics": as_table(LEGEND, Explained)}
"""Meanings of the plotted numbers, in the definition of each asset that reports them."""


with warnings.catch_warnings():
    warnings.simplefilter("ignore", dg.BetaWarning)  # of the parameter backfill_policy
    _by_strategy = dg.asset(
        deps=["candidate_index", QUESTION_FILES],
        partitions_def=strategies_partitions,
        backfill_policy=dg.BackfillPolicy.single_run(),
        group_name="evals",
        kinds={"parquet"},
        owners=["team:search"],
        tags={"domain": "scores"},
        automation_condition=AFTER_CHANGE,
        metadata=METRICS,
        retry_policy=AGAIN,
    )
"""Several strategies share one run, because starting a process for each takes longer than scoring."""


@_by_strategy
@with_reason
def evaluation(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """One strategy's scores on the candidate, a row for each question. Without questions every metric is null."""
    scores = evaluation_of(home, home.candidate, *(STRATEGIES[name] for name in context.partition_keys))
    headline, worst = scores.headline(), _worst(home, scores, context.partition_keys)
    for name in context.partition_keys:
        mrr = headline.get(name, {}).get("mrr")
        scored = "no questions were given" if mrr is None else f"mrr {mrr:.3f} over {scores.n_ranked(name)} questions"
        context.log.info(f"{name} on {scores.snapshot}: {scored}")
        context.add_asset_metadata(
            {
                "by_kind": table(by_kind(scores, name), KINDS),
                "worst_questions": table(worst[name], WORST_COLUMNS),
                **numbers_of(headline.get(name, {})),
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
    automation_condition=AFTER_SCORES,
    metadata=METRICS,
    retry_policy=AGAIN,
)
@with_reason
def leaderboard(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """Every strategy on the candidate; the numbers of `default` are plotted, because it is what ships.

    What `evaluation` scored before is read; what it did not is scored now.
    """
    scores = evaluation_of(home, home.candidate, *STRATEGIES.values())
    headline = scores.headline()
    Leaderboard(scores.snapshot, scores.n_questions, headline).write(home.evaluations / scores.snapshot)
    since = since_live(home, scores)
    shipped = since.get(SHIPPED)
    best = max(headline, key=lambda name: headline[name]["mrr"] or 0.0, default=None)
    context.log.info(
        f"{scores.snapshot}: {scores.n_questions} questions; best mrr: {best}"
        if best
        else f"{scores.snapshot}: no questions were given, so nothing is scored"
    )
    numbers = numbers_of(headline.get(SHIPPED, {})) | {
        "mrr_live": reported(shipped.live if shipped else None),
        "mrr_delta": reported(shipped.delta if shipped else None),
        RELAXATION_RATE: reported(relaxation_in(home, scores).rate),
    }
    return dg.MaterializeResult(
        metadata={
            "leaderboard": dg.MetadataValue.md(board(headline, since)),
            "trend": dg.MetadataValue.md(_trend(context.instance, scores.snapshot, numbers)),
            **numbers,
            "dagster/row_count": len(headline),
            "n_questions": scores.n_questions,
            "strategies": table(({"strategy": name, **line} for name, line in headline.items()), COLUMNS),
            "snapshot": scores.snapshot,
        }
    )


def _worst(home: Home, scores: Evaluation, strategies: Sequence[str]) -> dict[str, tuple[TableLine, ...]]:
    with open_snapshot(home.root, scores.snapshot) as snapshot:
        relatives = Relatives.of(tuple(snapshot.chunks))
        return {name: worst_questions(scores.rows(name), relatives, snapshot.canonical_of) for name in strategies}


def _trend(instance: dg.DagsterInstance, snapshot: str, numbers: Mapping[str, dg.MetadataValue]) -> str:
    snapshots = [ScoredSnapshot(snapshot, "now", _float(numbers, "mrr"), _float(numbers, "mrr_live"))]
    for record in instance.fetch_materializations(dg.AssetKey("leaderboard"), limit=5 * MOST_POINTS).records:
        metadata = record.asset_materialization.metadata if record.asset_materialization else {}
        when = f"{datetime.fromtimestamp(record.timestamp, UTC):%Y-%m-%d}"
        if "snapshot" in metadata:
            snapshots.append(
                ScoredSnapshot(
                    str(metadata["snapshot"].value), when, _float(metadata, "mrr"), _float(metadata, "mrr_live")
                )
            )
    return trend(snapshots)


def _float(metadata: Mapping[str, dg.MetadataValue], name: str) -> float | None:
    value = metadata.get(name)
    return value.value if isinstance(value, dg.FloatMetadataValue) else None


def numbers_of(metrics: Mapping[str, float | None]) -> dict[str, dg.MetadataValue]:
    """Return the headline numbers as metadata, with the same names in every run; null if undefined."""
    return {name: reported(metrics.get(name)) for name in HEADLINE}
