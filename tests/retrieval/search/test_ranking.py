from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.graph import RELATIONS, Graph
from retrieval.index.graph_building import build_graph
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.query import Query
from retrieval.search.ranking import graph_boost
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES, strategy
from retrieval.strategy import GraphBoost
from tests.chunks import EMPTY


def graph_of(sections: list[int], tables: list[int]) -> Graph:
    """A chunk for each number: its section, and its table where that is not negative."""
    chunks = [
        replace(
            EMPTY,
            id=f"{position:03}",
            position=position,
            heading_path=(f"section {section}",),
            kind="row" if table >= 0 else "prose",
            table_id=f"t{table}" if table >= 0 else None,
        )
        for position, (section, table) in enumerate(zip(sections, tables, strict=True))
    ]
    return build_graph(chunks, np.eye(len(chunks), 64, dtype=np.float32), Vocabulary.default())


def slow_boost(scores: np.ndarray, graph: Graph, boost: GraphBoost, allowed: np.ndarray) -> np.ndarray:
    """The published loop over sets, with the two rules that are ours."""
    table = dict(enumerate(graph.tables.tolist()))
    adjacency = defaultdict(set)
    for node in range(graph.n_nodes):
        for edge in range(*graph.targets.starts[node : node + 2]):
            other = int(graph.targets.items[edge])
            if RELATIONS[graph.relations[edge]] in boost.relations and not (
                table.get(node, -1) >= 0 and table.get(node) == table.get(other)
            ):
                adjacency[node].add(other)
    order = sorted(np.flatnonzero(allowed).tolist(), key=lambda position: (-scores[position], position))[
        : boost.candidates
    ]
    gains = np.zeros(len(scores))
    for seed in order[: boost.seeds]:
        visited, frontier = {seed}, {seed}
        for depth in range(boost.depth):
            frontier = {other for node in frontier for other in adjacency[node]} - visited
            visited |= frontier
            for node in frontier & set(order):
                if table[node] < 0 or table[node] != table[seed]:
                    gains[node] += boost.boost * boost.decay**depth
    return gains


LIBRARIES = st.integers(1, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(-1, 2), min_size=n, max_size=n),
        st.lists(st.sampled_from([0.0, 0.5, 0.75, 1.0]), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
    )
)


@given(LIBRARIES, st.integers(1, 4), st.integers(1, 4), st.integers(1, 30))
def test_the_boost_is_that_of_the_published_loop(library, seeds: int, depth: int, candidates: int) -> None:
    sections, tables, values, flags = library
    graph, scores, allowed = graph_of(sections, tables), np.asarray(values), np.asarray(flags)
    boost = GraphBoost(seeds=seeds, depth=depth, candidates=candidates)
    assert graph_boost(scores, graph, boost, allowed) == pytest.approx(slow_boost(scores, graph, boost, allowed))


def test_a_neighbour_gains_and_gains_less_when_further_away() -> None:
    graph = graph_of([0, 0, 1, 2], [-1, -1, -1, -1])
    gains = graph_boost(np.asarray([1.0, 0.5, 0.4, 0.3]), graph, GraphBoost(seeds=1))
    # next to the best, two steps from it, three steps from it
    assert gains == pytest.approx([0.0, 0.05, 0.05 * 0.4, 0.0])


def test_hits_say_what_the_graph_added(retriever: Retriever) -> None:
    result = retriever.retrieve("AC 6 of a cleric", 15, "hybrid_graph")
    for hit in result.hits:
        assert hit.score == pytest.approx(hit.evidence["base_score"] + hit.evidence["graph_boost"])
    assert any(hit.evidence["graph_boost"] > 0 for hit in result.hits)
    assert "graph_boost" not in retriever.retrieve("AC 6 of a cleric", 15, "hybrid").hits[0].evidence


def test_the_filter_holds_after_the_graph(retriever: Retriever) -> None:
    query = "what does a cleric need against armor class 6"
    result = retriever.retrieve(query, 40, replace(strategy("default"), graph=GraphBoost(boost=0.1)))
    request = Query.ask(query, retriever.snapshot.vocabulary)
    mask = retriever.admitted(request).mask(retriever.snapshot)
    positions = retriever.snapshot.chunks.positions(result.chunk_ids)
    assert result.hits
    assert mask[positions].all()
    assert [(-hit.score, hit.chunk.id) for hit in result.hits] == sorted(
        (-hit.score, hit.chunk.id) for hit in result.hits
    )


def test_dense_alone_can_be_boosted(retriever: Retriever) -> None:
    boosted = replace(strategy("dense"), name="dense+graph", graph=GraphBoost())
    result = retriever.retrieve("halberd", 5, boosted)
    assert {hit.evidence["base_score"] for hit in result.hits} != {0.0}
    assert STRATEGIES["dense"].graph is None
