"""live_index: the snapshot that readers get, moved by one pointer and only past the gate."""

from datetime import timedelta

import dagster as dg

from evals.assets import METRICS, SETTLED, numbers_of, with_reason
from evals.evaluation import SHIPPED, evaluation_of
from evals.judging.acceptances import accept
from evals.judging.verdicts import CheckVerdict, keep_verdict
from pipeline.building.gate import OpenObjection, open_objections
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
    accept: str | None = None
    """Why text that may be damaged goes live as it was read; kept in the home's accepted.jsonl, and not asked again."""

    def leads_past(self, objection: OpenObjection) -> str | None:
        """The reason that a person gave for this objection, if one did."""
        reasons = {"force": self.force, "accept": self.accept}
        return (reasons.get(objection.overruled_by or "") or "").strip() or None


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
    stopping = [objection for objection in objections if config.leads_past(objection) is None]
    if stopping:
        raise dg.Failure(f"{candidate} does not go live: " + "; ".join(map(str, stopping)), allow_retries=False)
    scores = evaluation_of(home, candidate, STRATEGIES[SHIPPED])
    overruled = [(objection, str(config.leads_past(objection))) for objection in objections]
    forced = next((reason for objection, reason in overruled if objection.overruled_by == "force"), None)
    accepted = _accept(home, overruled)
    promote(home.root, candidate, forced=forced)
    context.log.info(
        f"{candidate} was live and stays live" if before == candidate else f"{candidate} is live now, after {before}"
    )
    for objection, reason in overruled:
        context.log.warning(f"live by {objection.overruled_by} ({reason}), although {objection}")
    return materialized(
        candidate,
        {
            "snapshot": candidate,
            "previous": before or "none",
            "forced": forced or "no",
            "accepted": accepted or "no",
            **numbers_of(scores.headline().get(SHIPPED, {})),
            "n_questions": scores.n_questions,
            "n_promoted": int(before != candidate),
            "n_forced": sum(objection.overruled_by == "force" for objection in objections),
            "dagster/uri": snapshot_folder(home.root, candidate).as_uri(),
        },
    )


def _accept(home: Home, overruled: list[tuple[OpenObjection, str]]) -> str | None:
    """Remember what is accepted, so that no later build asks again; the reason, if anything is."""
    given = None
    for objection, reason in overruled:
        if objection.overruled_by == "accept":
            given = reason
            accept(home.root, objection.check, objection.findings, reason)
            says = f"accepted ({reason})"
            keep_verdict(home.root, CheckVerdict.now(objection.check, says, None, passed=False, blocks=False))
    return given
