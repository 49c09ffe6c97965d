"""The edges of a graph as tests compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retrieval.index.graph import Graph


class Edge(NamedTuple):
    """By the ids of its ends: a chunk's own, or `kind:name`."""

    source_id: str
    target_id: str
    relation: str


def edges_of(graph: Graph, chunk_ids: Sequence[str]) -> Iterator[Edge]:
    """Every edge once."""

    def name(node: int) -> str:
        return chunk_ids[node] if node < graph.n_chunks else graph.label_of(node)

    for source, target, relation in graph.edges_from(np.arange(graph.n_nodes)):
        yield Edge(name(source), name(target), relation)
