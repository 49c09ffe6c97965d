"""Evidence for a chunk: in which fields the words of a question are, and cosine.

Every part lies in 0-1 and has one weight, negative for `sibling` alone; a chunk's score is their weighted sum. Words
weigh as much as they are rare, so a part is a share of what the question says: 0.4 under `column` reads "the column
names say 40 % of it".
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import distinct
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.lexical_index import Selection
from retrieval.index.words.value_index import EvidenceIndex
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.search.fusion import Positions, Scores, best
from retrieval.search.query import Query
from retrieval.strategy import EvidenceWeights
from retrieval.types import Vector

_SCATTERED = 1.6
"""Rows here and there cost about this many times what rows in a line cost."""
_BLOCK = 256
"""Rows that are brought together before they are compared: so many stay in a core's cache."""


def similarity(vectors: Vector, vector: Vector) -> Scores:
    """Cosine of each row with one vector, both normalised, (n,).

    Each row is a dot product of its own: its value does not depend on its neighbours, so twins tie exactly. A matrix
    product is no faster here, and gives identical rows different last bits depending on where they are.
    """
    scores: Scores = np.vecdot(vectors, vector).astype(np.float64)
    return scores


class Cosines:
    """The cosines of every chunk with one question, computed for the chunks that somebody asks for.

    Args:
        vectors: (n, dimensions), normalised.
        vector: (dimensions,), normalised.
        among: the chunks that are looked at, which are then asked for by their place among these; None: all.
    """

    def __init__(self, vectors: Vector, vector: Vector, among: Positions | None = None) -> None:
        self._vectors, self._vector, self._among = vectors, vector, among

    @cached_property
    def all(self) -> Scores:
        """(n,)."""
        if self._among is not None:
            return self._scattered(self._among)
        return similarity(self._vectors, self._vector)

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks, aligned with the positions."""
        if self._among is not None:
            return self.all[positions] if "all" in self.__dict__ else self._scattered(self._among[positions])
        if "all" in self.__dict__ or len(positions) * _SCATTERED > len(self._vectors):
            return self.all[positions]
        return self._scattered(positions)

    def _scattered(self, positions: Positions) -> Scores:
        matches = np.empty(len(positions))
        rows = np.empty((min(_BLOCK, len(positions)), self._vectors.shape[1]), dtype=self._vectors.dtype)
        for start in range(0, len(positions), _BLOCK):
            some = positions[start : start + _BLOCK]
            # `clip` alone writes into the array itself; no position is outside.
            block = self._vectors.take(some, axis=0, out=rows[: len(some)], mode="clip")
            matches[start : start + len(some)] = similarity(block, self._vector)
        return matches


@dataclass(frozen=True, slots=True, eq=False)
class OfAll:
    """A score for every chunk."""

    scores: Scores
    """(n,)."""
    scale: float
    """What they are multiplied by."""

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks."""
        return self.scores[positions] * self.scale


@dataclass(frozen=True, slots=True, eq=False)
class OfTables:
    """One score for all the rows of a table, or for one passage."""

    scores: Scores
    """(numbers,)."""
    of: npt.NDArray[np.int32]
    """(n,): number of each chunk's table or passage."""

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks."""
        scores: Scores = self.scores[self.of[positions]]
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class OfFew:
    """A score for few chunks, 0 for all others."""

    positions: Positions
    """(m,), rising."""
    scores: Scores
    """(m,)."""

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks."""
        if not len(self.positions):
            return np.zeros(len(positions))
        if positions is self.positions:
            return self.scores
        position = np.minimum(np.searchsorted(self.positions, positions), len(self.positions) - 1)
        return np.where(self.positions[position] == positions, self.scores[position], 0.0)

    def among(self, selection: Selection) -> "OfFew":
        """The same for the chunks of a selection, by their place in it."""
        which, position = selection.meet(self.positions)
        return OfFew(position, self.scores[which])


@dataclass(frozen=True, slots=True, eq=False)
class OfCosines:
    """The cosine, where it is above 0."""

    cosines: Cosines

    def at(self, positions: Positions) -> Scores:
        """Those of these chunks."""
        return np.maximum(self.cosines.at(positions), 0.0)


Part = OfAll | OfTables | OfFew | OfCosines


PARTS = tuple(name for name, _ in EvidenceWeights().items())
"""The names of all parts."""


class Measures(Protocol):
    """Knows every part of the evidence for chunks."""

    def at(self, positions: Positions, names: Sequence[str] = PARTS) -> Mapping[str, Scores]:
        """These parts of these chunks, by their position in the snapshot."""


_LARGEST = 1.001
"""No cosine of two normalised vectors is larger, rounding included."""
_FRONT = 4
"""The k best are first looked for among so many times k."""

Wanted = Sequence[tuple[int, Mask | None]]
"""The k best of some chunks, (n,), and of others; None: of all."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What speaks for each of n chunks, by part; a part may be the sum of several.

    Where only some chunks of an index are looked at, a chunk's position here is its place among those.
    """

    of: npt.NDArray[np.int32]
    """(n,): number of each chunk's table or passage."""
    n_numbers: int
    parts: Mapping[str, Sequence[Part]]

    @property
    def size(self) -> int:
        """How many chunks it is for."""
        return len(self.of)

    def total(self, weights: EvidenceWeights, wanted: Wanted | None = None) -> Scores:
        """The weighted sum, (n,).

        Args:
            weights: of the parts.
            wanted: only these are: a chunk that could not be among them even with a cosine of 1 goes without `dense`.
                None: every sum is whole.
        """
        total = self._without_cosines(weights)
        front = self._front(total, weights, wanted)
        total[front.positions] = front.scores
        return total

    def front(self, weights: EvidenceWeights, wanted: Wanted) -> "Front":
        """The chunks that `total` gives their whole sum, which hold those that are wanted."""
        return self._front(self._without_cosines(weights), weights, wanted)

    def _front(self, total: Scores, weights: EvidenceWeights, wanted: Wanted | None) -> "Front":
        part = next(iter(self.parts["dense"]), None) if weights.dense else None
        if part is None:
            return Front(np.arange(len(total)), total)
        hopeful = np.arange(len(total))
        if wanted is not None:
            each = [_hopeful(total, part, weights.dense, k, among) for k, among in wanted]
            hopeful = each[0] if len(each) == 1 else distinct(np.concatenate(each))
        return Front(hopeful, total[hopeful] + weights.dense * part.at(hopeful))

    def _without_cosines(self, weights: EvidenceWeights) -> Scores:
        weighed = [(weight, part) for name, weight in weights.items() if weight for part in self.parts[name]]
        shared = np.zeros(self.n_numbers)
        for weight, part in weighed:
            if isinstance(part, OfTables):
                shared += weight * part.scores
        total: Scores = shared[self.of]
        few: list[tuple[float, OfFew]] = []
        for weight, part in weighed:
            if isinstance(part, OfAll) and part.scale:
                total += part.scores * (part.scale * weight)
            elif isinstance(part, OfFew) and part.scores.any():
                few.append((weight, part))
        for _, group in groupby(few, key=lambda each: id(each[1].positions)):
            parts = list(group)
            positions = parts[0][1].positions
            some = total[positions]
            for weight, part in parts:
                some += weight * part.scores
            total[positions] = some
        return total

    def at(self, positions: Positions, names: Sequence[str] = PARTS) -> Mapping[str, Scores]:
        """These parts of these chunks."""
        matches = np.zeros((len(names), len(positions)))
        for row, name in enumerate(names):
            for part in self.parts[name]:
                matches[row] += part.at(positions)
        return dict(zip(names, np.clip(matches, 0.0, 1.0, out=matches), strict=True))


def total_of(weights: EvidenceWeights, parts: Mapping[str, Scores]) -> Scores:
    """The weighted sum of measured parts."""
    total: Scores = np.sum([weight * parts[name] for name, weight in weights.items()], axis=0)
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """Chunks and their whole sums."""

    positions: Positions
    """(m,) rising."""
    scores: Scores
    """(m,)."""

    def best(self, k: int, among: Mask | None) -> Positions:
        """The k best of some chunks of the index, (n,), as `fusion.best` gives them; None: of all."""
        return self.positions[best(self.scores, k, None if among is None else among[self.positions])]


def gather(
    snapshot: Snapshot,
    question: Query,
    lexical: Scores,
    dense: Cosines | None = None,
    among: Selection | None = None,
    strongest: float | None = None,
) -> Evidence:
    """Everything that speaks for each chunk of a snapshot, or for each of some of them.

    Every part of a chunk is the same in both cases but `sibling`, which then knows the rows that are looked at, and
    `lexical`, which is a share of the best of them.

    Args:
        snapshot: where to look.
        question: what was asked.
        lexical: (n,) BM25 of the chunks that are looked at.
        dense: the cosines of those.
        among: which; None: all.
        strongest: the BM25 that `lexical` is a share of; None: the best of what is looked at.
    """
    places = snapshot.evidence
    of = places.of if among is None else places.of[among.positions]
    words = snapshot.lexical.read(question.text)
    weights = word_weights(snapshot, words)
    whole = sum(weights.values()) or 1.0
    strongest = float(lexical.max(initial=0.0)) if strongest is None else strongest
    heads = places.heads.covered(weights.items()) / whole
    titles = heads.copy()
    titles[places.n_tables :] = 0.0
    columns = np.zeros(len(heads))
    columns[: places.n_tables] = places.columns.covered(weights.items()) / whole
    axis = _named(places.axes, question, whole)
    axes = np.zeros(len(heads))
    axes[axis.positions] = axis.scores
    called, prose = _called(snapshot, question, words, weights, whole, among)
    return Evidence(
        of,
        places.heads.n_documents,
        {
            "lexical": [OfAll(lexical, 1 / strongest if strongest > 0 else 0.0)],
            "dense": [] if dense is None else [OfCosines(dense)],
            "text": [OfAll(snapshot.lexical.words.covered(weights.items(), among), 1 / whole)],
            "title": [OfTables(titles, of)],
            "column": [OfTables(columns, of)],
            "head": [OfTables(heads, of)],
            **{name: [part] for name, part in called.items()},
            "heading": [prose],
            "axis": [OfTables(axes, of)],
            "sibling": _outnamed(places, of, list(called.values()), question),
        },
    )


def _hopeful(total: Scores, part: Part, weight: float, k: int, among: Mask | None) -> Positions:
    """Who may be among the k best of these chunks, rising, once it has `weight` times its part too."""
    front = best(total, _FRONT * k, among)
    if len(front) <= k:
        return np.sort(front)
    # Some k chunks have as much as that, or more.
    least = float(np.partition(total[front] + weight * part.at(front), -k)[-k])
    hopeful = np.flatnonzero(total >= least - weight * _LARGEST)
    return hopeful if among is None else hopeful[among[hopeful]]


def _called(
    snapshot: Snapshot,
    question: Query,
    words: Sequence[str],
    weights: Mapping[str, float],
    whole: float,
    among: Selection | None,
) -> tuple[Mapping[str, OfFew], OfFew]:
    """What the question calls rows by, part by part, and what it calls prose by."""
    places = snapshot.evidence
    quotes = places.values.quotes(words, weights, among)
    terms = {"name": quotes.name, "quote": quotes.cell, "figure": quotes.figure}
    quoting = quotes.positions if among is None else among.meet(quotes.positions)[1]
    rows = {name: OfFew(quoting, np.minimum(share / whole, 1.0)) for name, share in terms.items()}
    positions, share = places.headings.said(weights)
    number, heading = _named(snapshot.predicates, question, whole), OfFew(positions, share / whole)
    if among is not None:
        number, heading = number.among(among), heading.among(among)
    return rows | {"number": number}, heading


def _outnamed(
    places: EvidenceIndex, of: npt.NDArray[np.int32], called: Sequence[OfFew], question: Query
) -> Sequence[Part]:
    """How much better the best named row of a chunk's table is named than the chunk; nothing if siblings are wanted."""
    positions = _positions(called)
    inside = of[positions] < places.n_tables
    positions = positions if inside.all() else positions[inside]
    if question.wants_siblings or not len(positions):
        return ()
    named = np.minimum(sum((part.at(positions) for part in called), np.zeros(len(positions))), 1.0)
    best_named = np.zeros(places.heads.n_documents)
    np.maximum.at(best_named, of[positions], named)
    return OfTables(best_named, of), OfFew(positions, -named)


def _positions(parts: Sequence[OfFew]) -> Positions:
    """Those of all parts, rising: their own array where they share one."""
    each = list({id(part.positions): part.positions for part in parts if len(part.positions)}.values())
    return each[0] if len(each) == 1 else distinct(np.concatenate(each or [np.empty(0, dtype=np.int64)]))


def _named(names: CompiledPredicates, question: Query, whole: float) -> OfFew:
    matches = names.named(question.canonical)
    return OfFew(matches.positions, np.minimum(matches.weights / whole, 1.0))


def word_weights(snapshot: Snapshot, words: Sequence[str]) -> dict[str, float]:
    """Weight of each distinct word, its rarity; 0 for a word that no chunk has."""
    distinct = list(dict.fromkeys(words))
    places = zip(distinct, snapshot.lexical.terms.words(distinct), strict=True)
    return {word: 0.0 if at is None else float(snapshot.rarity[at]) for word, at in places}


@dataclass(frozen=True, slots=True, eq=False)
class Portion:
    """Some chunks of a snapshot; what is known of them is by their place among these."""

    chunks: Selection
    evidence: Evidence
    beyond: Callable[[Selection], Evidence]
    """The evidence for others, which stand beside a row that was found."""

    def at(self, positions: Positions, names: Sequence[str] = PARTS) -> Mapping[str, Scores]:
        """These parts of these chunks, by their position in the snapshot."""
        which, places = self.chunks.meet(positions)
        if len(which) == len(positions):
            return self.evidence.at(places, names)
        others = np.ones(len(positions), dtype=np.bool_)
        others[which] = False
        new = Selection.of([positions[others]], self.chunks.n_documents)
        here = self.evidence.at(places, names)
        there = self.beyond(new).at(new.meet(positions[others])[1], names)
        measured = {name: np.zeros(len(positions)) for name in here}
        for name, values in measured.items():
            values[which], values[others] = here[name], there[name]
        return measured


WEIGHTS_FILE = Path(__file__).with_name("weights.json")
WEIGHTS = EvidenceWeights(**json.loads(WEIGHTS_FILE.read_text(encoding="utf-8")))
