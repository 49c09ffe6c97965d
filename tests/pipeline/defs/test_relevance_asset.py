from pathlib import Path

import dagster as dg
import pytest

from evals.fit.relevance import Bin, BookReliability, RelevanceReport, Reliability
from pipeline.defs import fits as asset
from pipeline.defs.fits import QuestionSets
from retrieval.home import Home
from retrieval.rag.relevance import ANY, Calibration, calibration_of, shipped

OWN = Calibration("wordllama", "default", ("alike",), (3.0,), -1.0)
ROW = BookReliability("all", Reliability(9, 8, 0.91, 0.04, (Bin(17, 0.5, 0.5),)), 0.9, 2, 0.0, None, 1.0)


def materialized(home: Home, **config: str) -> dict[str, dg.MetadataValue]:
    with dg.build_asset_context() as context:
        done = asset.relevance(context, QuestionSets(**config), home=home)
    assert isinstance(done, dg.MaterializeResult)
    return dict(done.metadata or {})


def test_what_is_fitted_is_kept_in_the_home_and_shown_with_its_diagram(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fitted(folder: Path, data: Path, split: str, embedder: object, seed: int) -> RelevanceReport:
        assert (folder, data, split, seed) == (tmp_path / "benchmarks", Path("/sets"), "open", 0)
        return RelevanceReport((OWN, Calibration(ANY, "default", (), (), 0.0)), (ROW,), ROW, ROW, ROW)

    monkeypatch.setattr(asset, "fit_relevance", fitted)
    home = Home(tmp_path)
    before = materialized(home)
    assert calibration_of(tmp_path, "wordllama") == shipped("wordllama")
    output = materialized(home, data="/sets")
    assert calibration_of(tmp_path, "wordllama") == OWN
    assert output.keys() == before.keys()
    assert (output["auc"].value, output["ece"].value, output["n_books"].value) == (0.91, 0.04, 1)
    assert (before["auc"].value, before["n_books"].value) == (None, 0)
    assert str(output["diagram"].value).startswith("![reliability](data:image/svg+xml;base64,")
    assert "| all | 9 | 0.900 | 2 | 0.000 |" in str(output["page"].value)
