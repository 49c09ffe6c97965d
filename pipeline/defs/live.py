"""The assets `live_index`, moved past the gate, and `metrics_dashboard`."""

from datetime import timedelta

import dagster as dg

from evals.asset_options import AFTER_CHANGE, SETTLED, with_reason
from evals.assets import METRICS, numbers_of
from evals.evaluation import SHIPPED, evaluation_of
from evals.verdicts import CheckVerdict, accept, keep_verdict
from pipeline.building.gate import OpenObjection, open_objections
from pipeline.building.materialization import content_version, materialized
from pipeline.defs.automation import NIGHT
from pipeline.defs.ingest_checks import BOOK_GATE
from pipeline.report.glance import glance
from pipeline.report.page import default_path, write_page
from pipeline.report.report import report_of
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
    """Why damaged or empty text goes live as it was read; kept in the home's accepted.jsonl, and not asked again."""

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
    promote(home.root, candidate, "nightly" if NIGHT in context.run.tags else "build", forced)
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


NUMBERS = ("mrr", "hit@1", "noise@15", "false_exclusions")
"""What the page says of `default`."""


@dg.asset(
    deps=["leaderboard"], group_name="evals", kinds={"html"}, owners=["team:search"], automation_condition=AFTER_CHANGE
)
@with_reason
def metrics_dashboard(home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """One HTML page on the candidate: scores, failures, filter, trend and gate. It opens without a server."""
    made, path = report_of(home), default_path(home)
    size = write_page(made, path)
    headline = made.evaluation.headline().get(SHIPPED, {})
    shipped = made.standings.shipped if made.standings else None
    output = "\n\n".join(f"**{answer.asks}** {answer.says}" for answer in glance(made)) or "No questions were given."
    return materialized(
        content_version([path.read_bytes()]),
        {
            "path": dg.MetadataValue.path(path),
            "dagster/uri": path.as_uri(),
            "n_bytes": size,
            "n_questions": made.evaluation.n_questions,
            "n_failed": shipped.n_failed if shipped else None,
            **{name: headline.get(name) for name in NUMBERS},
            "answers": dg.MetadataValue.md(output),
            "snapshot": made.evaluation.snapshot,
        },
    )
