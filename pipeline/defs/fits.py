"""The asset that is fitted on question sets that a run names: relevance."""

from base64 import b64encode
from pathlib import Path

import dagster as dg

from evals.asset_options import AGAIN, with_reason
from evals.fit.relevance import THRESHOLD, RelevanceReport, fit_relevance
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.rag.relevance import Calibration, calibration_of

NO_RELEVANCE_FITTED = (
    "no question sets were named, so nothing was fitted. In the launchpad name their folder: "
    "{ops: {relevance: {config: {data: FOLDER}}}}; on the command line: querymust fit relevance --data FOLDER"
)


class QuestionSets(dg.Config):
    """Where the question sets are; a folder for each. Without it nothing is fitted."""

    data: str | None = None
    split: str = "open"
    seed: int = 0


@dg.asset(group_name="evals", kinds={"scipy"}, owners=["team:search"], tags={"domain": "relevance"}, retry_policy=AGAIN)
@with_reason
def relevance(
    context: dg.AssetExecutionContext, config: QuestionSets, home: dg.ResourceParam[Home]
) -> dg.MaterializeResult[None]:
    """The calibration of a home's embedder, judged on books that had no say; the next snapshot is built with it."""
    embedder = load_embedder(home.settings.embedder)
    if config.data is None:
        context.log.info(NO_RELEVANCE_FITTED)
        kept = calibration_of(home.root, embedder.identity.name)
        return dg.MaterializeResult(metadata=_numbers(kept, None))
    report = fit_relevance(home.root / "benchmarks", Path(config.data), config.split, embedder, config.seed)
    report.calibrations[0].write(home.root)
    context.log.info(f"fitted and left out on {len(report.books)} books; the next snapshot keeps it")
    return dg.MaterializeResult(metadata=_numbers(report.calibrations[0], report))


def _numbers(kept: Calibration, report: RelevanceReport | None) -> dict[str, dg.MetadataValue]:
    """The same names whether or not anything was fitted."""
    judged = report.together if report else None
    numbers = {
        "auc": judged.reliability.auc if judged else None,
        "ece": judged.reliability.ece if judged else None,
        **{name: getattr(judged, name) if judged else None for name in ("met_answered", "met_near", "met_other")},
    }
    drawn = report and b64encode(report.diagram().encode()).decode()
    return {
        **{name: _number(value) for name, value in numbers.items()},
        "n_books": dg.MetadataValue.int(len(report.books) if report else 0),
        "threshold": dg.MetadataValue.float(THRESHOLD),
        "embedder": dg.MetadataValue.text(kept.embedder),
        "diagram": dg.MetadataValue.md(
            f"![reliability](data:image/svg+xml;base64,{drawn})" if drawn else NO_RELEVANCE_FITTED
        ),
        "page": dg.MetadataValue.md(report.page() if report else NO_RELEVANCE_FITTED),
    }


def _number(value: float | None) -> dg.MetadataValue:
    return dg.MetadataValue.null() if value is None else dg.MetadataValue.float(round(value, 4))
