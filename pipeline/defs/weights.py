"""The weights of the evidence, fitted on question sets that a run names."""

from pathlib import Path

import dagster as dg

from pipeline.bench.fitting import fit_weights
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder


class QuestionSets(dg.Config):
    """Where the question sets are; a folder for each."""

    data: str
    split: str = "open"
    seed: int = 0


@dg.asset(group_name="evals", kinds={"numpy"}, owners=["team:search"])
def evidence_weights(config: QuestionSets, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """Weights of `default` fitted on question sets, and what they are worth on sets that had no say; ships nothing."""
    embedder = load_embedder(home.settings.embedder)
    report = fit_weights(home.root / "benchmarks", Path(config.data), config.split, embedder, config.seed)
    held_out = [fold.held_out.mrr for fold in report.folds]
    return dg.MaterializeResult(
        metadata={
            **{f"weight_{name}": weight for name, weight in report.weights.items()},
            "mrr_held_out": sum(held_out) / len(held_out),
            "mrr_fitted": sum(fold.fitted.mrr for fold in report.folds) / len(report.folds),
            "mrr_bm25": sum(fold.bm25.mrr for fold in report.folds) / len(report.folds),
            "page": dg.MetadataValue.md(report.page()),
        }
    )
