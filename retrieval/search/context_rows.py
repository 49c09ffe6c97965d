"""Context of the first row: notes and introduction of its table, its section, references; and the place of prose.

Context takes the places of the near-twins that `collapse` moved. Contenders are first, which are results not far behind
the first one, then the context of the first row, then the other results. The third place goes to the prose that is
nearest to the question, unless the first result is far ahead.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
CONTEXT_ROW, NEAREST_PROSE = "companion", "nearest_prose"
"""Names of the addends that move a chunk to its rank after a row, and prose to rank 3 or behind its ties."""
PROSE_RANK = 3
"""The rank of the nearest prose, from 1: people who ask for a rule seldom use its words, and the words that they use
stand in rows. Behind the first two, it costs little where a row answers."""
AHEAD = 3.0
"""The re-ranker score by which the first result is ahead of the third if prose is not needed there: prose moves for 82
instead of 142 of 378 questions about the sealed books, and as many rules are among the first three."""

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
    """A ranking in which some chunks were moved to another rank, best first."""

    positions: Positions
    scores: Scores
    moved: Mapping[str, Mask]
    """Which of them were moved, by the name of the addend that does it."""

    def first(self, k: int) -> "Placed":
        """Return the k best."""
        return Placed(self.positions[:k], self.scores[:k], {name: mask[:k] for name, mask in self.moved.items()})

    def parts(self, own: Sequence[Leg]) -> Sequence[Leg]:
        """Return the addends of the scores: those of the ranking, and the differences of moved chunks to them.

        Args:
            own: the addends of the ranking, aligned with `positions`.
        """
        moves = {name: mask for name, mask in self.moved.items() if mask.any()}
        if not moves:
            return own
        missing = self.scores - total(own)
        return [*own, *(Leg(np.where(mask, missing, 0.0), name=name) for name, mask in moves.items())]

    def with_prose(self, prose: int | None) -> "Placed":
        """Return the ranking with prose at rank 3, or behind the results that tie with the second.

        Nothing is moved if the prose ranks higher already, or if the first result is far ahead of the third.

        Args:
            prose: its position; None: there is none.
        """
        if prose is None or len(self.scores) < PROSE_RANK or self.scores[0] - self.scores[PROSE_RANK - 1] >= AHEAD:
            return self
        gaps = self.scores[PROSE_RANK - 2 : -1] - self.scores[PROSE_RANK - 1 :]
        apart = np.flatnonzero(gaps > SAME)
        at = PROSE_RANK - 1 + int(apart[0]) if len(apart) else len(self.positions)
        if at == len(self.positions) or prose in self.positions[: at + 1]:
            return self
        stay = np.flatnonzero(self.positions != prose)
        score = (self.scores[at - 1] + self.scores[at]) / 2
        positions = np.insert(self.positions[stay], at, prose)[: len(self.positions)]
        scores = np.insert(self.scores[stay], at, score)[: len(self.positions)]
        moved = {name: np.insert(mask[stay], at, False)[: len(positions)] for name, mask in self.moved.items()}
        return Placed(positions, scores, {**moved, NEAREST_PROSE: np.arange(len(positions)) == at})


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
        return Placed(ranked, scores, {})
    below, clear = scores[front], scores[0] - CLEAR
    above = clear if below < clear else scores[front - 1]
    steps = np.arange(len(beside), 0, -1) / (len(beside) + 1)
    stay = ~np.isin(ranked, beside)
    positions = np.concatenate([ranked[stay], beside])
    every = np.concatenate([scores[stay], below + (above - below) * steps])
    order = np.lexsort((positions, -every))[: len(ranked)]
    return Placed(positions[order], every[order], {CONTEXT_ROW: order >= np.count_nonzero(stay)})


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
