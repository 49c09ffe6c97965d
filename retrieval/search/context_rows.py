"""Context of the first row: notes and introduction of its table, its section, references.

It takes the places of the near-twins that `collapse` moved. Contenders are first, which are results not far behind the
first one, then the context of the first row, then the other results.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.index.graph import Graph, Nodes
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.search.fusion import Leg, Positions, Scores, total
from retrieval.strategy import Relation

CONTENDERS = 10
"""The most results that are contenders."""
CLEAR = 8.0
"""The re-ranker score by which the first result is ahead of one that is not a contender.

Context follows the seventh result on average, and of 1,945 look-ups, 320 comparisons and 646 rules, each ranked by
trees fitted on other books, none loses the best of its answers from the first 5, 10 or 15 results; with a distance of
6, three look-ups lose it from the first five. Of all answers of look-ups, 0.9408 are among the first five, which were
0.9416.
"""
SAME = 1e-9
"""Scores that differ by less leave no room between them."""
CONTEXT_ROW = "companion"
"""Name of the addend that moves a chunk to its place after a row."""

NEAREST, ABOVE, REFERRED, NAMED = 8, 4, 4, 4
"""The most chunks of a row's own section, nearest first; of the section above; that a row or its section's text refers
to or mentions; whose heading is the row's name."""
TABLES = 2
"""The most tables whose rows get context: the first row may be the wrong one, or a question may ask for two."""

Best = Callable[[Positions], int]
"""Returns which of these chunks fits the question best."""


def context_rows(graph: Graph, ranked: Sequence[int], count: int, best_of: Best, allowed: Mask | None) -> Positions:
    """Return the context of the first row of a ranking, then of the first row of another table, at most `count`.

    Args:
        ranked: the contenders, best first; if the first is prose, there is no context.
        count: the most chunks to return.
        best_of: chooses one row of a table that a text mentions.
        allowed: (n,) chunks that may be returned; None: all.
    """
    positions: dict[int, None] = {}
    if len(ranked) and graph.tables[ranked[0]] >= 0:
        for row in _first_rows(graph, ranked):
            for position in _beside(graph, row, best_of):
                if position not in ranked and (allowed is None or allowed[position]):
                    positions[position] = None
    return np.asarray(list(positions)[:count], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A ranking with context rows in their places, best first."""

    positions: Positions
    scores: Scores
    lifted: Mask
    """Which of them are context rows."""

    def first(self, k: int) -> "Placed":
        """Return the k best."""
        return Placed(self.positions[:k], self.scores[:k], self.lifted[:k])

    def parts(self, own: Sequence[Leg]) -> Sequence[Leg]:
        """Return the addends of the scores: those of the ranking, and the differences of context rows to them.

        Args:
            own: the addends of the ranking, aligned with `positions`.
        """
        if not self.lifted.any():
            return own
        return [*own, Leg(np.where(self.lifted, self.scores - total(own), 0.0), name=CONTEXT_ROW)]


def contenders(scores: Scores) -> int:
    """Return how many of the first ten results are not far behind the first, counting ties with the last of them.

    Args:
        scores: (k,) scores of a ranking, descending.
    """
    if not len(scores):
        return 0
    last = min(int(np.count_nonzero(scores >= scores[0] - CLEAR)), CONTENDERS)
    return int(np.count_nonzero(scores >= scores[last - 1] - SAME))


def placed(ranked: Positions, scores: Scores, beside: Positions) -> Placed:
    """Put context after the contenders.

    Its scores are spread over the gap below, so that the order follows the scores, and none is as close to the first
    result as a contender. A shorter ranking is the beginning of a longer one.

    Args:
        ranked: (k,) best first.
        scores: (k,) aligned.
        beside: (m,) context, most wanted first.
    """
    front = contenders(scores)
    beside = beside[~np.isin(beside, ranked[:front])]
    if front == len(ranked) or not len(beside):
        return Placed(ranked, scores, np.zeros(len(ranked), dtype=np.bool_))
    below, clear = scores[front], scores[0] - CLEAR
    above = clear if below < clear else scores[front - 1]
    steps = np.arange(len(beside), 0, -1) / (len(beside) + 1)
    stay = ~np.isin(ranked, beside)
    positions = np.concatenate([ranked[stay], beside])
    every = np.concatenate([scores[stay], below + (above - below) * steps])
    order = np.lexsort((positions, -every))[: len(ranked)]
    return Placed(positions[order], every[order], order >= np.count_nonzero(stay))


def _first_rows(graph: Graph, ranked: Sequence[int]) -> Iterator[int]:
    seen: set[int] = set()
    for position in ranked:
        table = int(graph.tables[position])
        if table >= 0 and table not in seen and len(seen) < TABLES:
            seen.add(table)
            yield position


def _beside(graph: Graph, row: int, best_of: Best) -> Iterator[int]:
    section = graph.holder(row)
    own = [] if section is None else _nearest(graph, section, row)[:NEAREST]
    above = _above(graph, section, row, introduced=bool(own))
    yield from own
    yield from _prose(graph, _linked(graph, [row, *own], "see"))[:REFERRED]
    yield from _prose(graph, _linked(graph, _linked(graph, [row], "describes"), "describes"))[:NAMED]
    yield from above
    for spoken_of in _linked(graph, [*own, *above], "mentions")[:REFERRED]:
        chunks = graph.chunks_of(int(spoken_of))
        yield from _prose(graph, chunks)[:1]
        rows = chunks[graph.tables[chunks] >= 0]
        if len(rows):
            yield best_of(rows)


def _nearest(graph: Graph, section: int, row: int) -> list[int]:
    """Return the prose of a section, nearest to a row's table first; at equal distance, prose before the table
    first."""
    chunks = graph.chunks_of(section)
    prose = np.asarray(_prose(graph, chunks), dtype=np.int64)
    table = np.append(chunks[graph.tables[chunks] == graph.tables[row]], row)
    position, first, last = graph.reading[prose], graph.reading[table].min(), graph.reading[table].max()
    far = np.maximum(first - position, position - last)
    nearest: list[int] = prose[np.argsort(far, kind="stable")].tolist()
    return nearest


def _above(graph: Graph, section: int | None, row: int, *, introduced: bool) -> list[int]:
    """Return the prose of the section above; that of a document's first heading only if nothing else introduces the
    row."""
    above = None if section is None else graph.holder(section)
    if above is None:
        return []
    over = graph.holder(above)
    is_top = over is None or graph.holder(over) is None
    return [] if is_top and introduced else _nearest(graph, above, row)[:ABOVE]


def _linked(graph: Graph, nodes: Sequence[int], relation: Relation) -> list[int]:
    """Return the nodes that these nodes are linked with, in order, each once, without the nodes themselves."""
    linked = graph.neighbours(np.asarray(nodes, dtype=np.int64), (relation,))[1].tolist()
    return [node for node in dict.fromkeys(linked) if node not in nodes]


def _prose(graph: Graph, nodes: "Nodes | Sequence[int]") -> list[int]:
    """Return those of these nodes that are chunks of prose."""
    return [node for node in map(int, nodes) if node < graph.n_chunks and graph.tables[node] < 0]
