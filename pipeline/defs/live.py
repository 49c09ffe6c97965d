"""live_index: the snapshot that readers get, moved by one pointer and only past the gate."""

import dagster as dg

from pipeline.building.gate import open_objections
from pipeline.building.materialization import materialized
from pipeline.defs.index import SETTLED
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, promote


@dg.asset(
    deps=["leaderboard"], group_name="live", kinds={"chroma"}, owners=["team:search"], automation_condition=SETTLED
)
def live_index(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """The candidate, once the gate's blocking rules have held for it; until then what was live stays live.

    These are the five on the snapshot and on its scores. The blocking checks of the books are not asked again.
    """
    before, candidate = live_id(home.root), home.candidate
    objections = open_objections(context.instance, candidate)
    if objections:
        raise dg.Failure(f"{candidate} does not go live: " + "; ".join(objections), allow_retries=False)
    promote(home.root, candidate)
    return materialized(
        candidate,
        {"n_promoted": int(before != candidate), "snapshot": candidate, "previous": before or "none"},
    )
