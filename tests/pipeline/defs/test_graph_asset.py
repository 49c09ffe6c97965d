import shutil

import numpy as np
import pytest

from pipeline.building.embedding import embedding_key
from pipeline.defs.index import graph_folder, graph_of
from retrieval.errors import IndexMissingError
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.records import read_jsonl
from retrieval.types import Chunk, Vector


def parts(home: Home) -> tuple[list[Chunk], Vector]:
    chunks = sorted(read_jsonl(home.book("tiny") / "chunks.jsonl", Chunk), key=lambda chunk: chunk.id)
    store = EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)
    return chunks, store.get([embedding_key(chunk) for chunk in chunks])


def test_the_snapshot_has_the_graph_that_the_asset_built(tiny: Home) -> None:
    built = graph_of(tiny, *parts(tiny))
    with open_snapshot(tiny.root, tiny.candidate) as snapshot:
        assert np.array_equal(snapshot.graph.targets.items, built.targets.items)
        assert np.array_equal(snapshot.graph.relations, built.relations)


def test_a_graph_over_other_vectors_or_by_other_words_is_refused(tiny: Home) -> None:
    chunks, vectors = parts(tiny)
    with pytest.raises(IndexMissingError, match="materialize graph first"):
        graph_of(tiny, chunks, -vectors)
    (tiny.library / "vocabulary.toml").write_text('[aliases]\ncaltrop = "spikeball"\n')
    with pytest.raises(IndexMissingError, match="materialize graph first"):
        graph_of(tiny, chunks, vectors)
    (tiny.library / "vocabulary.toml").unlink()
    shutil.rmtree(graph_folder(tiny, chunks, vectors))
    with pytest.raises(IndexMissingError, match="materialize graph first"):
        graph_of(tiny, chunks, vectors)
