"""The retriever over each first stage: the same hits, and nothing from another snapshot."""

from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import StoreUnavailableError, UnreadableSettingsError
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.first_stage.choosing import FirstStage, candidate_mask, first_stage
from retrieval.search.first_stage.own_vectors import AllowedChunks
from retrieval.search.fusion import Positions
from retrieval.search.metadata_filter import Eq
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.types import Vector
from tests.retrieval.search.conftest import ToyEmbedder
from tests.retrieval.search.first_stage.conftest import StagedLibrary
from tests.retrieval.search.first_stage.test_contract import QUESTIONS


@pytest.mark.parametrize("strategy", ["default", "hybrid", "bm25", "dense", "prefilter", "iterative", "hybrid_graph"])
@pytest.mark.parametrize("where", [None, Eq("book", "book-2")], ids=["all", "where"])
def test_every_stage_leads_to_the_same_hits(staged: StagedLibrary, strategy: str, where: Eq | None) -> None:
    ours = Retriever(staged.snapshot, ToyEmbedder())
    ours.stage = FirstStage(staged.snapshot)
    for question in QUESTIONS:
        one = staged.retriever.retrieve(question, 10, strategy, where=where, debug=True)
        other = ours.retrieve(question, 10, strategy, where=where, debug=True)
        assert [(hit.chunk.id, hit.score) for hit in one.hits] == [(hit.chunk.id, hit.score) for hit in other.hits]
        assert one.receipt.excluded == other.receipt.excluded


class Few(FirstStage):
    """Finds a few chunks, whatever is asked."""

    def __init__(self, snapshot: Snapshot, positions: list[int]) -> None:
        super().__init__(snapshot)
        self.scores_all, self.positions = False, positions

    def candidates(self, question: Query, vector: Vector | None, k: int, passing: AllowedChunks) -> Positions:
        return np.asarray(self.positions)


def test_what_a_stage_finds_is_all_that_is_ranked(home: Path) -> None:
    (folder,) = (home / "snapshots").iterdir()
    with open_snapshot(home, folder.name) as snapshot:
        retriever = Retriever(snapshot, ToyEmbedder())
        for positions in ([3, 90], [40, 41, 42, 120]):
            retriever.stage = Few(snapshot, positions)
            for strategy in ("hybrid", "bm25", "hybrid_graph"):
                hits = retriever.retrieve("What does a mace do?", 2, strategy).hits
                assert {hit.chunk.id for hit in hits} <= {snapshot.chunks.id_at(position) for position in positions}


def test_where_a_stage_finds_too_few_every_chunk_is_ranked(home: Path) -> None:
    (folder,) = (home / "snapshots").iterdir()
    with open_snapshot(home, folder.name) as snapshot:
        retriever, ours = (Retriever(snapshot, ToyEmbedder()) for _ in range(2))
        retriever.stage = Few(snapshot, [3])
        one, other = (each.retrieve("What does a mace do?", 20, "hybrid").hits for each in (retriever, ours))
        assert one == other
        assert len(one) == 20
        assert len(retriever.retrieve("What does a mace do?", 20).hits) == 20


def test_without_a_setting_every_chunk_is_scored_here(home: Path) -> None:
    (folder,) = (home / "snapshots").iterdir()
    with open_snapshot(home, folder.name) as snapshot:
        retriever = Retriever(snapshot, ToyEmbedder())
        question, vector = Query.ask(QUESTIONS[0], snapshot.vocabulary), retriever.vector_of(QUESTIONS[0])
        assert type(retriever.stage) is FirstStage
        assert candidate_mask(retriever.stage, snapshot, question, vector, 5, AllowedChunks()) is None


def test_old_and_new_are_never_mixed(milvus_server, library, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERYMUST_STORE", f"{milvus_server}/never_mixed")
    ids = []
    for chunks in (library, library[:80]):
        vectors = ToyEmbedder().embed([chunk.search_text for chunk in chunks])
        ids.append(build_snapshot(tmp_path, chunks, vectors, ToyEmbedder.identity, Vocabulary.default()).id)
    promote(tmp_path, ids[0])
    with open_snapshot(tmp_path) as before:
        retriever = Retriever(before, ToyEmbedder())
        first = [hit.chunk.id for hit in retriever.retrieve(QUESTIONS[3], 10, "dense").hits]
        promote(tmp_path, ids[1])
        assert live_id(tmp_path) == ids[1]
        assert [hit.chunk.id for hit in retriever.retrieve(QUESTIONS[3], 10, "dense").hits] == first
        assert len(retriever.stage.nearest(retriever.vector_of("sea"), 500, AllowedChunks())) == 129
        retriever.stage.close()


def test_an_address_that_is_none_and_a_server_that_is_away_are_sentences(home, monkeypatch):
    pytest.importorskip("pymilvus")
    (folder,) = (home / "snapshots").iterdir()
    with open_snapshot(home, folder.name) as snapshot:
        monkeypatch.setenv("QUERYMUST_STORE", "http://127.0.0.1:1")
        with pytest.raises(UnreadableSettingsError, match="not an address like"):
            first_stage(snapshot)
        monkeypatch.setenv("QUERYMUST_STORE", "milvus+http://127.0.0.1:1")
        with pytest.raises(StoreUnavailableError, match=r"start it, then build again with the same `store`"):
            Retriever(snapshot, ToyEmbedder()).retrieve(QUESTIONS[0])
