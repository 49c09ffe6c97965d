"""How much of what a reader is shown is about the row that he asked for: the row, and what stands beside it."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evals.metrics import SHOWN
from retrieval.index.graph.graph import Graph
from retrieval.types import Chunk, Section

USEFUL = f"useful@{SHOWN}"
"""Name of what `useful` gives at its own cutoff."""

TOP = 4
"""Parts of the name of a section right under a document's first heading."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands beside every row of a library."""

    chunks: Sequence[Chunk]
    graph: Graph
    places: Mapping[str, int]
    """Position of each chunk, by its id."""
    prose: Mapping[Section, Collection[int]]
    """The prose that stands right in a section."""

    @classmethod
    def of(cls, chunks: Sequence[Chunk], graph: Graph) -> "Surroundings":
        """The surroundings of all rows.

        Args:
            chunks: in the order of their ids.
            graph: over the same chunks.
        """
        prose: dict[Section, list[int]] = defaultdict(list)
        for position, chunk in enumerate(chunks):
            if chunk.kind == "prose":
                prose[chunk.section].append(position)
        return cls(chunks, graph, {chunk.id: position for position, chunk in enumerate(chunks)}, prose)

    def beside(self, gold: Collection[str]) -> frozenset[str] | None:
        """What stands beside these rows: prose of their sections and of those right above, and what either is linked
        with. A document's first heading is a section above only for rows whose own section has no prose.

        None if none of them is a row.
        """
        rows = [place for place in map(self.places.get, gold) if place is not None and self._is_row(place)]
        if not rows:
            return None
        sections = dict.fromkeys(self.chunks[place].section for place in rows)
        nearby = [place for section in sections for place in self._near(section)]
        linked = [other for place in (*rows, *nearby) for other in self._linked(place)]
        return frozenset(self.chunks[place].id for place in (*nearby, *linked))

    def _near(self, section: Section) -> Iterator[int]:
        own = self.prose.get(section, ())
        yield from own
        if len(section) > TOP or not own:
            yield from self.prose.get(section[:-1], ())

    def _is_row(self, place: int) -> bool:
        return self.chunks[place].kind != "prose"

    def _linked(self, place: int) -> Iterator[int]:
        """What a chunk refers to or speaks of, what refers to it, and the prose under its name."""
        here = np.asarray([place])
        yield from self.graph.neighbours(here, ["see"])[1].tolist()
        for section in self.graph.neighbours(here, ["mentions"])[1].tolist():
            yield from self.graph.chunks_of(section).tolist()
        names = self.graph.neighbours(here, ["describes"])[1]
        named = self.graph.neighbours(names, ["describes"])[1].tolist()
        yield from (other for other in named if not self._is_row(other))


def useful(
    ranking: Sequence[str], gold: Collection[str], surroundings: Surroundings, cutoff: int = SHOWN
) -> float | None:
    """`useful@k`: share of the first k places that gold rows and what stands beside them take.

    0 to 1; higher is better. None if no gold chunk is a row. Few questions have 15 chunks worth showing, so that 1 is
    out of reach: compare strategies, not libraries.
    """
    beside = surroundings.beside(gold)
    if beside is None:
        return None
    return len((beside | set(gold)) & set(ranking[:cutoff])) / cutoff
