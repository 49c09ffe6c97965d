"""The same library behind each first stage; one contract for all of them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from retrieval.index import regions
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.first_stage import own_vectors
from retrieval.search.first_stage.choosing import first_stage
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from tests.retrieval.search.conftest import ToyEmbedder

if TYPE_CHECKING:
    from retrieval.index.snapshot.snapshot import Snapshot
    from retrieval.search.first_stage.choosing import FirstStage


class StagedLibrary:
    """A first stage, and what its contract is compared with: plain reading of all chunks.

    Args:
        snapshot: what both search.
        stage: what is tried.
    """

    def __init__(self, snapshot: Snapshot, stage: FirstStage) -> None:
        self.snapshot, self.stage = snapshot, stage
        self.retriever = Retriever(snapshot, ToyEmbedder())
        self.retriever.stage = stage
        self.chunks = list(snapshot.chunks)

    def question(self, text: str) -> Query:
        """A question before the keyed tables of the index."""
        return Query.ask(text, self.snapshot.vocabulary).among(self.snapshot.rivals)


@pytest.fixture(scope="module", params=["scan", "regions", "milvus"])
def staged(request, library, tmp_path_factory):
    """Each first stage over the same library."""
    # Other tests of the module ask without these settings.
    with pytest.MonkeyPatch.context() as patch, pytest.MonkeyPatch.context() as meanwhile:
        if request.param == "milvus":
            patch.setenv("QUERYMUST_STORE", request.getfixturevalue("milvus_server") + "/contract")
        elif request.param == "regions":
            patch.setattr(regions, "UNDIVIDED", 0)
            patch.setattr(regions, "SIZE", 4)
            # So many that all regions are looked through: then what they hold is all that there is.
            meanwhile.setattr(own_vectors, "COMPARED", len(library) - 1)
        root = tmp_path_factory.mktemp("asked")
        vectors = ToyEmbedder().embed([chunk.search_text for chunk in library])
        manifest = build_snapshot(root, library, vectors, ToyEmbedder.identity, Vocabulary.default())
        snapshot = open_snapshot(root, manifest.id)
        stage = first_stage(snapshot)
        patch.undo()
        yield StagedLibrary(snapshot, stage)
        stage.close()
        snapshot.close()
        shutil.rmtree(root)
