"""Evidence for a chunk: where the words of a question are in it, and what the question calls it.

Every part lies in 0-1 and has one weight, negative for `sibling` alone; a chunk's score is their weighted sum. Words
weigh as much as they are rare, so a part is a share of what the question says: 0.4 under `column` reads "the column
names say 40 % of it".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

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


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What speaks for each chunk, by part; a part may be the sum of several."""

    index: EvidenceIndex
    parts: Mapping[str, Sequence[Part]]

    def total(
        self, weights: EvidenceWeights, k: int | None = None, allowed: Mask | None = None, where: Mask | None = None
    ) -> Scores:
        """The weighted sum, (n,).

        Args:
            weights: of the parts.
            k: only the k best are wanted: a chunk that could not be among them even with a
                cosine of 1 goes without `dense`. None: every sum is whole.
            allowed: (n,); the k best among these; None: among all.
            where: (n,); and the k best among these, which hold the allowed ones; None: among all.
        """
        total = self._without_cosines(weights)
        for part in self.parts["dense"] if weights.dense else ():
            everyone = np.arange(len(total))
            hopeful = everyone if k is None else _hopeful(total, part, weights.dense, k, (allowed, where))
            total[hopeful] += weights.dense * part.at(hopeful)
        return total

    def _without_cosines(self, weights: EvidenceWeights) -> Scores:
        places = self.index
        weighed = [(weight, part) for name, weight in weights.items() if weight for part in self.parts[name]]
        shared = np.zeros(places.heads.n_documents)
        for weight, part in weighed:
            if isinstance(part, OfTables):
                shared += weight * part.scores
        total: Scores = shared[places.of]
        for weight, part in weighed:
            if isinstance(part, OfAll) and part.scale:
                total += part.scores * (part.scale * weight)
            elif isinstance(part, OfFew):
                total[part.positions] += weight * part.scores
        return total

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """Every part of these chunks."""
        names = [name for name, _ in EvidenceWeights().items()]
        found = np.zeros((len(names), len(positions)))
        for row, name in enumerate(names):
            for part in self.parts[name]:
                found[row] += part.at(positions)
        return dict(zip(names, np.clip(found, 0.0, 1.0, out=found), strict=True))


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


def _hopeful(total: Scores, part: Part, weight: float, k: int, masks: Sequence[Mask | None]) -> Positions:
    """Who may be among the k best of any mask, once it has `weight` times its part too; each mask holds the one before.

    The k-th best of a mask is no better than that of a wider one, so the wider ones matter only where k are not there.
    """
    least = np.inf
    for among in masks:
        front = best(total, k, among)
        least = (total[front] + weight * part.at(front)).min(initial=least)
        if len(front) == k:
            break
    return np.flatnonzero(total >= least - weight * _LARGEST)


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
    is_called = np.zeros(len(places.of), dtype=np.bool_)
    for part in called:
        is_called[part.positions] = True
    positions = np.flatnonzero(is_called)
    positions = positions[places.of[positions] < places.n_tables]
    if question.wants_siblings or not len(positions):
        return ()
    named = np.minimum(sum((part.at(positions) for part in called), np.zeros(len(positions))), 1.0)
    best_named = np.zeros(places.heads.n_documents)
    np.maximum.at(best_named, places.of[positions], named)
    return OfTables(best_named, places.of), OfFew(positions, -named)


def _named(names: CompiledPredicates, question: Query, whole: float) -> OfFew:
    found = names.named(question.canonical)
    return OfFew(found.positions, np.minimum(found.weights / whole, 1.0))


def word_weights(index: LexicalIndex, words: Sequence[str]) -> dict[str, float]:
    """Weight of each distinct word: ln(1 + (N - n + 0.5) / (n + 0.5)), Lucene's idf; 0 for a word that no chunk has."""
    total = index.n_documents
    distinct = list(dict.fromkeys(words))
    counts = zip(distinct, map(len, index.words.postings(distinct)), strict=True)
    return {word: float(np.log1p((total - n + 0.5) / (n + 0.5))) if n else 0.0 for word, n in counts}
