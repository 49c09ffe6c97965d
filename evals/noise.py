"""Metrics of noise (near-duplicates of the gold row) and usefulness (the context of the gold row).

*Twins* are tables with the same header signature. A *sibling* of a gold row is another row of its table or of a twin.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evals.metrics import SHOWN
from retrieval.index.graph import Graph
from retrieval.query_must.operators import always_asks
from retrieval.types import Chunk, Embedder, Retrieval, Section, Vector

NOISE = f"noise@{SHOWN}"
"""Name of `noise` at its default cutoff."""

Admits = Callable[[str, str], bool]
"""(question, query_must as JSON) -> whether the question satisfies it."""


@dataclass(frozen=True, slots=True)
class Relatives:
    """The chunks of a library by id, and the table family of every row, by which noise is measured."""

    chunks: Mapping[str, Chunk]
    family: Mapping[str, str]
    """Table signature of every row chunk, or its table id without a signature."""

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> "Relatives":
        """Index the chunks of a library."""
        families = {chunk.id: chunk.signature or chunk.table_id or "" for chunk in chunks if chunk.kind == "row"}
        return cls({chunk.id: chunk for chunk in chunks}, {name: family for name, family in families.items() if family})

    def families(self, gold: Collection[str]) -> frozenset[str]:
        """Return the table families of gold chunks."""
        return frozenset(self.family[name] for name in gold if name in self.family)


def noise(ranking: Sequence[str], gold: Collection[str], relatives: Relatives, cutoff: int = SHOWN) -> int:
    """Return `noise@k`: siblings of a gold row among the first k; for a question without gold, guarded chunks.

    A number of chunks, 0 to k; lower is better. Chunks of other tables and prose are not noise, because they may be
    useful.
    """
    return len(_noisy(ranking, gold, relatives, cutoff))


def guarded_noise(ranking: Sequence[str], gold: Collection[str], relatives: Relatives) -> int:
    """Return how many chunks of `noise@k` are guarded, so that a filter can exclude them."""
    return sum(_guarded(relatives, name) for name in _noisy(ranking, gold, relatives, SHOWN))


def wrong_row(ranking: Sequence[str], gold: Collection[str], relatives: Relatives) -> float | None:
    """Return `wrong_row_rate`: 1 if the first hit is a sibling of the gold row, a plausible wrong answer, else 0.

    None if no gold chunk is a row. Lower is better.
    """
    if not relatives.families(gold):
        return None
    return float(noise(ranking, gold, relatives, cutoff=1))


def refused_gold(question: str, gold: Collection[str], relatives: Relatives, admits: Admits) -> tuple[str, ...]:
    """Return the gold chunks whose own predicate the question does not satisfy, in id order."""
    guarded = [(name, relatives.chunks[name].query_must) for name in sorted(gold) if name in relatives.chunks]
    return tuple(name for name, query_must in guarded if query_must is not None and not admits(question, query_must))


def excluded_gold(gold: Collection[str], retrieval: Retrieval) -> tuple[str, ...]:
    """Return the gold chunks that were excluded according to the receipt, in id order."""
    excluded = {decision.chunk_id for decision in retrieval.receipt.decisions if not decision.kept}
    return tuple(sorted(excluded.intersection(gold)))


def lost_gold(gold: Collection[str], unfiltered: Sequence[str], filtered: Sequence[str]) -> tuple[str, ...]:
    """Return gold chunks among the first 15 without the filter that are not in the ranking with it, in id order.

    It only uses rankings, so it detects exclusions that a filter does not report. A filter moves the remaining hits up,
    so comparing 15 with the whole ranking allows for small shifts of normalised scores.
    """
    return tuple(sorted(set(unfiltered[:SHOWN]).intersection(gold).difference(filtered)))


def cross_book_contamination(ranking: Sequence[str], book: str, relatives: Relatives) -> float:
    """Return the share of the first k returned hits that are from another book; 0 if there are none."""
    shown = ranking[:SHOWN]
    wrong = sum(relatives.chunks[name].book != book for name in shown)
    return wrong / len(shown) if shown else 0.0


NO_ANSWER_ACCURACY = "no_answer_accuracy"


def no_answer_accuracy(ranking: Sequence[str]) -> float:
    """Return 1 for a question without gold if nothing was returned, else 0. Never part of hit or mrr."""
    return 0.0 if ranking else 1.0


class AnswerSimilarity:
    """`answer_similarity`: the largest cosine between a reference answer and one of the first 15 chunk texts.

    The largest rather than the mean, because one chunk with the answer is enough. -1 to 1; comparable only for the same
    embedder, so `evaluate` does not use that of the index.
    Vectors of chunks are cached, so each chunk is embedded once.
    """

    def __init__(self, embedder: Embedder, relatives: Relatives) -> None:
        self._embedder, self._relatives = embedder, relatives
        self._vectors: dict[str, Vector] = {}

    def __call__(self, answer: str, ranking: Sequence[str]) -> float | None:
        """Return the similarity, or None if nothing was retrieved."""
        shown = list(ranking[:SHOWN])
        if not shown:
            return None
        new = [name for name in shown if name not in self._vectors]
        embedded = self._embedder.embed([answer, *(self._relatives.chunks[name].text for name in new)])
        self._vectors.update(zip(new, embedded[1:], strict=True))
        return float(max(embedded[0] @ self._vectors[name] for name in shown))


def _noisy(ranking: Sequence[str], gold: Collection[str], relatives: Relatives, cutoff: int) -> list[str]:
    shown = ranking[:cutoff]
    if not gold:
        return [name for name in shown if _guarded(relatives, name)]
    families = relatives.families(gold)
    return [name for name in shown if relatives.family.get(name) in families and name not in gold]


def _guarded(relatives: Relatives, chunk_id: str) -> bool:
    return always_asks(relatives.chunks[chunk_id].query_must)


USEFUL = f"useful@{SHOWN}"
"""Name of `useful`."""

TOP = 4
"""Number of parts in the name of a section directly under a document's first heading."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context of every row of a library."""

    chunks: Sequence[Chunk]
    graph: Graph
    places: Mapping[str, int]
    """Position of each chunk, by its id."""
    prose: Mapping[Section, Collection[int]]
    """The prose directly in each section."""

    @classmethod
    def of(cls, chunks: Sequence[Chunk], graph: Graph) -> "Surroundings":
        """Return the surroundings of all rows.

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
        """Return the context of these rows: prose of their sections and of those directly above, and chunks linked with
        either. A document's first heading is a section above only for rows whose own section has no prose.

        None if none of them is a row.
        """
        rows = [position for position in map(self.places.get, gold) if position is not None and self._is_row(position)]
        if not rows:
            return None
        sections = dict.fromkeys(self.chunks[row].section for row in rows)
        nearby = [position for section in sections for position in self._near(section)]
        linked = [other for row in (*rows, *nearby) for other in self._linked(row)]
        return frozenset(self.chunks[position].id for position in (*nearby, *linked))

    def _near(self, section: Section) -> Iterator[int]:
        own = self.prose.get(section, ())
        yield from own
        if len(section) > TOP or not own:
            yield from self.prose.get(section[:-1], ())

    def _is_row(self, position: int) -> bool:
        return self.chunks[position].kind != "prose"

    def _linked(self, position: int) -> Iterator[int]:
        """Yield chunks that a chunk refers to or mentions, that refer to it, and the prose under its name."""
        here = np.asarray([position])
        yield from self.graph.neighbours(here, ["see"])[1].tolist()
        for section in self.graph.neighbours(here, ["mentions"])[1].tolist():
            yield from self.graph.chunks_of(section).tolist()
        names = self.graph.neighbours(here, ["describes"])[1]
        named = self.graph.neighbours(names, ["describes"])[1].tolist()
        yield from (other for other in named if not self._is_row(other))


def useful(ranking: Sequence[str], gold: Collection[str], surroundings: Surroundings) -> float | None:
    """Return `useful@15`: the share of the first 15 places with gold rows or their context.

    0 to 1; higher is better. None if no gold chunk is a row. Few questions have 15 useful chunks, so 1 is rarely
    possible: compare strategies, not libraries.
    """
    beside = surroundings.beside(gold)
    if beside is None:
        return None
    return len((beside | set(gold)) & set(ranking[:SHOWN])) / SHOWN
