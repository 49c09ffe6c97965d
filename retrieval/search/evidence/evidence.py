"""Evidence for a chunk: where the words of a question are in it, and what the question calls it.

Every part lies in 0-1 and has one weight, negative for `sibling` alone; a chunk's score is their weighted sum. Words
weigh as much as they are rare, so a part is a share of what the question says: 0.4 under `column` reads "the column
names say 40 % of it".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from retrieval.arrays import distinct
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.evidence_index import EvidenceIndex
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.search.dense.cosine import Cosines
from retrieval.search.evidence.parts import OfAll, OfCosines, OfFew, OfTables, Part
from retrieval.search.fusion import Positions, Scores, best
from retrieval.search.query import Query
from retrieval.strategy import EvidenceWeights

_LARGEST = 1.001
"""No cosine of two normalised vectors is larger, rounding included."""
_FRONT = 4
"""The k best are first looked for among so many times k."""

Wanted = Sequence[tuple[int, Mask | None]]
"""The k best of some chunks, (n,), and of others; None: of all."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What speaks for each chunk, by part; a part may be the sum of several."""

    index: EvidenceIndex
    parts: Mapping[str, Sequence[Part]]

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
        places = self.index
        weighed = [(weight, part) for name, weight in weights.items() if weight for part in self.parts[name]]
        shared = np.zeros(places.heads.n_documents)
        for weight, part in weighed:
            if isinstance(part, OfTables):
                shared += weight * part.scores
        total: Scores = shared[places.of]
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

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """Every part of these chunks."""
        names = [name for name, _ in EvidenceWeights().items()]
        found = np.zeros((len(names), len(positions)))
        for row, name in enumerate(names):
            for part in self.parts[name]:
                found[row] += part.at(positions)
        return dict(zip(names, np.clip(found, 0.0, 1.0, out=found), strict=True))

    def total_at(self, weights: EvidenceWeights, positions: Positions) -> Scores:
        """The weighted sum of these chunks."""
        parts = self.at(positions)
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


def gather(snapshot: Snapshot, question: Query, lexical: Scores, dense: Cosines | None = None) -> Evidence:
    """Everything that speaks for each chunk of a snapshot.

    Args:
        snapshot: where to look.
        question: what was asked.
        lexical: (n,) BM25 of the chunks.
        dense: the cosines of the chunks.
    """
    places = snapshot.evidence
    words = snapshot.lexical.tokenize(question.text)
    weights = word_weights(snapshot.lexical, words)
    whole = sum(weights.values()) or 1.0
    strongest = float(lexical.max(initial=0.0))
    heads = places.heads.covered(weights.items()) / whole
    titles = heads.copy()
    titles[places.n_tables :] = 0.0
    columns = np.zeros(len(heads))
    columns[: places.n_tables] = places.columns.covered(weights.items()) / whole
    axis = _named(places.axes, question, whole)
    axes = np.zeros(len(heads))
    axes[axis.positions] = axis.scores
    called, prose = _called(snapshot, question, words, weights, whole)
    return Evidence(
        places,
        {
            "lexical": [OfAll(lexical, 1 / strongest if strongest > 0 else 0.0)],
            "dense": [] if dense is None else [OfCosines(dense)],
            "text": [OfAll(snapshot.lexical.words.covered(weights.items()), 1 / whole)],
            "title": [OfTables(titles, places.of)],
            "column": [OfTables(columns, places.of)],
            "head": [OfTables(heads, places.of)],
            **{name: [part] for name, part in called.items()},
            "heading": [prose],
            "axis": [OfTables(axes, places.of)],
            "sibling": _outnamed(places, list(called.values()), question),
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
    snapshot: Snapshot, question: Query, words: Sequence[str], weights: Mapping[str, float], whole: float
) -> tuple[Mapping[str, OfFew], OfFew]:
    """What the question calls rows by, part by part, and what it calls prose by."""
    places = snapshot.evidence
    quotes = places.values.quotes(words, weights)
    said = {"name": quotes.name, "quote": quotes.cell, "figure": quotes.figure}
    rows = {name: OfFew(quotes.positions, np.minimum(share / whole, 1.0)) for name, share in said.items()}
    positions, share = places.headings.said(weights)
    return rows | {"number": _named(snapshot.predicates, question, whole)}, OfFew(positions, share / whole)


def _outnamed(places: EvidenceIndex, called: Sequence[OfFew], question: Query) -> Sequence[Part]:
    """How much better the best named row of a chunk's table is named than the chunk; nothing if siblings are wanted."""
    positions = _positions(called)
    inside = places.of[positions] < places.n_tables
    positions = positions if inside.all() else positions[inside]
    if question.wants_siblings or not len(positions):
        return ()
    named = np.minimum(sum((part.at(positions) for part in called), np.zeros(len(positions))), 1.0)
    best_named = np.zeros(places.heads.n_documents)
    np.maximum.at(best_named, places.of[positions], named)
    return OfTables(best_named, places.of), OfFew(positions, -named)


def _positions(parts: Sequence[OfFew]) -> Positions:
    """Those of all parts, rising: their own array where they share one."""
    each = list({id(part.positions): part.positions for part in parts if len(part.positions)}.values())
    return each[0] if len(each) == 1 else distinct(np.concatenate(each or [np.empty(0, dtype=np.int64)]))


def _named(names: CompiledPredicates, question: Query, whole: float) -> OfFew:
    found = names.named(question.canonical)
    return OfFew(found.positions, np.minimum(found.weights / whole, 1.0))


def word_weights(index: LexicalIndex, words: Sequence[str]) -> dict[str, float]:
    """Weight of each distinct word: ln(1 + (N - n + 0.5) / (n + 0.5)), Lucene's idf; 0 for a word that no chunk has."""
    total = index.n_documents
    distinct = list(dict.fromkeys(words))
    counts = zip(distinct, map(len, index.words.postings(distinct)), strict=True)
    return {word: float(np.log1p((total - n + 0.5) / (n + 0.5))) if n else 0.0 for word, n in counts}
