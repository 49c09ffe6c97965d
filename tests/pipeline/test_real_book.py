"""One file of a real book through everything; the whole book is a benchmark."""

import os
import shutil
from pathlib import Path

import pytest

from pipeline.runs.build import build
from retrieval.home import Home
from retrieval.search.retriever import Retriever
from retrieval.settings import Settings

DATA = os.environ.get("QUERYMUST_DATA")


@pytest.mark.data
@pytest.mark.skipif(DATA is None, reason="QUERYMUST_DATA names no folder with real books")
def test_a_file_of_a_real_book_goes_live_and_answers(tmp_path: Path) -> None:
    (tmp_path / "library" / "srd-5.2.1").mkdir(parents=True)
    shutil.copy(
        Path(str(DATA)) / "ttrpg" / "srd-5.2.1" / "02-character-creation.md", tmp_path / "library" / "srd-5.2.1"
    )
    home = Home(tmp_path / "home", Settings(tmp_path / "library"))
    done = build(home)
    assert done.problems == []
    (hit,) = Retriever.open(home.root).retrieve("experience points needed for character level 12", k=1).hits
    assert hit.chunk.cells[:2] == ("12", "100,000")
