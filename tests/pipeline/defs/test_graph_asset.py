import shutil

import numpy as np
import pytest

from pipeline.building.library_records import LibraryRecords
from pipeline.defs.index import graph_folder, graph_of
from retrieval.errors import IndexMissingError
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.types import Vector


def parts(home: Home) -> tuple[LibraryRecords, Vector]:
    records = LibraryRecords.of([home.book("tiny")])
    store = EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)
    return records, store.get(records.keys)


def test_the_snapshot_has_the_graph_that_the_asset_built(tiny: Home) -> None:
    built = graph_of(tiny, *parts(tiny))
    with open_snapshot(tiny.root, tiny.candidate) as snapshot:
        assert np.array_equal(snapshot.graph.targets.items, built.targets.items)
        assert np.array_equal(snapshot.graph.relations, built.relations)


def test_a_graph_over_other_vectors_or_by_other_words_is_refused(tiny: Home) -> None:
    records, vectors = parts(tiny)
    with pytest.raises(IndexMissingError, match="materialize graph first"):
        graph_of(tiny, records, -vectors)
    (tiny.library / "vocabulary.toml").write_text('[aliases]\ncaltrop = "spikeball"\n')
    with pytest.raises(IndexMissingError, match="materialize graph first"):
        graph_of(tiny, records, vectors)
    (tiny.library / "vocabulary.toml").unlink()
    shutil.rmtree(graph_folder(tiny, records, vectors))
    with pytest.raises(IndexMissingError, match="materialize graph first"):
        graph_of(tiny, records, vectors)
