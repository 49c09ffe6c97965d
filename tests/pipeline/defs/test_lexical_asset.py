import shutil

import numpy as np
import pytest

from pipeline.defs.index import lexical_of
from retrieval.errors import IndexMissingError
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.ingest.library.library import VOCABULARY_FILE
from retrieval.types import Chunk


def texts_of(home: Home) -> list[str]:
    chunks = sorted(read_jsonl(home.book("tiny") / "chunks.jsonl", Chunk), key=lambda chunk: chunk.id)
    return [chunk.search_text for chunk in chunks]


def test_the_snapshot_has_the_lexical_index_that_the_asset_built(tiny: Home) -> None:
    built = lexical_of(tiny, texts_of(tiny))
    with open_snapshot(tiny.root, tiny.candidate) as snapshot:
        assert np.array_equal(snapshot.lexical.weights, built.weights)


def test_a_lexical_index_over_other_texts_is_refused(tiny: Home) -> None:
    with pytest.raises(IndexMissingError, match="materialize lexical first"):
        lexical_of(tiny, texts_of(tiny)[1:])
    shutil.rmtree(tiny.lexical)
    with pytest.raises(IndexMissingError, match="materialize lexical first"):
        lexical_of(tiny, texts_of(tiny))


def test_a_lexical_index_cut_by_the_vocabulary_before_is_refused(tiny: Home) -> None:
    (tiny.library / VOCABULARY_FILE).write_text('[aliases]\nscarab = "beetle"\n')
    with pytest.raises(IndexMissingError, match=r"another vocabulary.*materialize lexical first"):
        lexical_of(tiny, texts_of(tiny))
