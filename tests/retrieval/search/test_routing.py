import numpy as np

from retrieval.search.retriever import Retriever
from retrieval.search.routing import chapters_by_evidence, routed
from retrieval.strategy import Routing

# Chapter 0 holds the best chunk, chapter 1 many good ones, chapter 2 nothing.
CHAPTERS = np.asarray([0, 1, 1, 1, 2, 2], dtype=np.int32)
SCORES = np.asarray([1.0, 0.9, 0.8, 0.7, 0.1, 0.0])


def test_chapters_come_by_what_their_chunks_say_together() -> None:
    # 1; 0.9 / 2 + 0.8 / 3 + 0.7 / 4 = 0.89; 0.1 / 5
    assert chapters_by_evidence(SCORES, CHAPTERS).tolist() == [0, 1, 2]
    assert chapters_by_evidence(SCORES * [0.85, 1, 1, 1, 1, 1], CHAPTERS).tolist() == [1, 0, 2]


def test_what_may_not_come_back_says_nothing_for_its_chapter() -> None:
    allowed = np.asarray([False, True, True, True, True, True])
    assert chapters_by_evidence(SCORES, CHAPTERS, allowed).tolist() == [1, 2]


def test_only_kept_chapters_may_come_back() -> None:
    within = routed(SCORES, CHAPTERS, Routing(2))
    assert within is not None
    assert within.tolist() == [True, True, True, True, False, False]


def test_a_weak_routing_is_given_up() -> None:
    # Each of chapter 1's chunks is near the best; together they outweigh it.
    scores = np.asarray([0.91, 0.9, 0.9, 0.9, 0.0, 0.0])
    assert routed(scores, CHAPTERS, Routing(1)).tolist() == [False, True, True, True, False, False]
    assert routed(scores, CHAPTERS, Routing(1, unrouted_when_weak=True)) is None


def test_a_strong_routing_stays() -> None:
    within = routed(SCORES, CHAPTERS, Routing(1, unrouted_when_weak=True))
    assert within is not None
    assert within.tolist() == [True, False, False, False, False, False]


def test_a_routed_search_stays_in_its_chapters(retriever: Retriever) -> None:
    found = retriever.retrieve("damage of a halberd", 100, "default+routing3")
    chapters = retriever.snapshot.graph.chapters[retriever.snapshot.chunks.positions(found.chunk_ids)]
    assert 1 <= len(set(chapters.tolist())) <= 3
    assert len(found.hits) < len(retriever.retrieve("damage of a halberd", 100, "default").hits)
