"""live_index: the snapshot that readers get, moved by one pointer and only past the gate."""

from datetime import timedelta

import dagster as dg

from evals.assets import METRICS, SETTLED, numbers_of, with_reason
from evals.evaluation import SHIPPED, evaluation_of
from pipeline.building.gate import open_objections
from pipeline.building.materialization import materialized
from pipeline.defs.ingest_checks import BOOK_GATE
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, promote, snapshot_folder
from retrieval.search.strategies import STRATEGIES

STALE = dg.FreshnessPolicy.time_window(warn_window=timedelta(days=2), fail_window=timedelta(days=8))
"""A night or a week that was missed. A library that does not change is judged again each night all the same."""


class Promotion(dg.Config):
    """How the candidate goes live. Without a reason scores that refuse it stop it, as everything else does."""

    force: str | None = None
    """Why it goes live past its scores; kept in the home's live.jsonl. Past books and snapshot nothing leads."""


@dg.asset(
    deps=["leaderboard"],
    group_name="live",
    kinds={"chroma"},
    owners=["team:search"],
    tags={"domain": "live"},
    automation_condition=SETTLED,
    freshness_policy=STALE,
    metadata=METRICS,
)
@with_reason
def live_index(
    context: dg.AssetExecutionContext, config: Promotion, home: dg.ResourceParam[Home]
) -> dg.MaterializeResult[None]:
    """The candidate, once every blocking check held for it; until then what was live stays live.

    The checks on books must have held for the very records that the candidate is made of, those on the snapshot for it,
    those on its scores for it and the questions of today. The numbers are those of `default`, so that their plots are
    the history of what readers got.
    """
    before, candidate = live_id(home.root), home.candidate
    objections = open_objections(context.instance, home, candidate, BOOK_GATE)
    reason = (config.force or "").strip() or None
    stopping = [each for each in objections if reason is None or not each.forcible]
    if stopping:
        raise dg.Failure(f"{candidate} does not go live: " + "; ".join(map(str, stopping)), allow_retries=False)
    scores = evaluation_of(home, candidate, STRATEGIES[SHIPPED])
    promote(home.root, candidate, forced=reason if objections else None)
    context.log.info(
        f"{candidate} was live and stays live" if before == candidate else f"{candidate} is live now, after {before}"
    )
    for each in objections:
        context.log.warning(f"live by force ({reason}), although {each}")
    return materialized(
        candidate,
        {
            "snapshot": candidate,
            "previous": before or "none",
            "forced": reason if objections and reason else "no",
            **numbers_of(scores.headline().get(SHIPPED, {})),
            "n_questions": scores.n_questions,
            "n_promoted": int(before != candidate),
            "n_forced": len(objections),
            "dagster/uri": snapshot_folder(home.root, candidate).as_uri(),
        },
    )
