"""leaderboard → metrics_dashboard: the page of `querymust report`, kept in step with the scores."""

import dagster as dg

from evals.assets import AFTER_CHANGE, with_reason
from evals.evaluation import SHIPPED
from pipeline.building.materialization import content_version, materialized
from pipeline.report.glance import glance
from pipeline.report.page import default_path, write_page
from pipeline.report.report import report_of
from retrieval.home import Home

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
    said = "\n\n".join(f"**{answer.asks}** {answer.says}" for answer in glance(made)) or "No questions were given."
    return materialized(
        content_version([path.read_bytes()]),
        {
            "path": dg.MetadataValue.path(path),
            "dagster/uri": path.as_uri(),
            "n_bytes": size,
            "n_questions": made.evaluation.n_questions,
            "n_failed": shipped.n_failed if shipped else None,
            **{name: headline.get(name) for name in NUMBERS},
            "answers": dg.MetadataValue.md(said),
            "snapshot": made.evaluation.snapshot,
        },
    )
