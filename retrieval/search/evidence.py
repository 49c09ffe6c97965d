"""Evidence for a chunk: where the words of a question stand in it, and what the question calls it.

Every part lies in 0-1 and has one weight, negative for `sibling` alone; a chunk's score is their weighted sum. Words
weigh as much as they are rare, so a part is a share of what the question says: 0.4 under `column` reads "the column
names say 40 % of it".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.index.evidence_index import EvidenceIndex
from retrieval.index.lexical import LexicalIndex
from retrieval.index.snapshot import Snapshot
from retrieval.query_must.compiled import CompiledPredicates
from retrieval.search.fusion import Scores, share_of_best
from retrieval.search.question import Question
from retrieval.strategy import EvidenceWeights


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The parts by name, (n,) each."""

    parts: Mapping[str, Scores]

    def total(self, weights: EvidenceWeights) -> Scores:
        """The weighted sum, (n,)."""
        total = np.zeros(len(self.parts["lexical"]))
        weighed = np.empty_like(total)
        for name, weight in weights.items():
            if weight and self.parts[name].any():
                total += np.multiply(self.parts[name], weight, out=weighed)
        return total


def gather(snapshot: Snapshot, question: Question, lexical: Scores, dense: Scores) -> Evidence:
    """Everything that speaks for each chunk of a snapshot.

    Args:
        snapshot: where to look.
        question: what was asked.
        lexical: (n,) BM25 of the chunks.
        dense: (n,) cosine of the chunks.
    """
    places = snapshot.evidence
    words = snapshot.lexical.tokenize(question.text)
    weights = word_weights(snapshot.lexical, words)
    whole = sum(weights.values()) or 1.0
    weighed = weights.items()
    quotes = places.values.quotes(words, weights)
    axis = places.of_table(_named(places.axes, question, len(places.axes)))
    shares = {
        "text": snapshot.lexical.words.covered(weighed),
        "title": places.of_table(places.titles.covered(weighed)),
        "column": places.of_table(places.columns.covered(weighed)),
        "head": places.heads.covered(weighed),
        "name": quotes.name,
        "quote": quotes.cell,
        "figure": quotes.figure,
        "number": _named(snapshot.predicates, question, len(snapshot)),
        "axis": axis,
    }
    parts = {name: _capped(share, whole) for name, share in shares.items()}
    parts["sibling"] = _outnamed(places, parts, question)
    return Evidence({"lexical": share_of_best(lexical), "dense": np.maximum(dense, 0.0), **parts})


def _outnamed(places: EvidenceIndex, parts: Mapping[str, Scores], question: Question) -> Scores:
    """How much better the best named row of a chunk's table is named than the chunk; 0 if siblings are wanted."""
    if question.wants_siblings:
        return np.zeros(len(places.of))
    named = np.minimum(parts["name"] + parts["quote"] + parts["figure"] + parts["number"], 1.0)
    called = np.flatnonzero(named * (places.of >= 0))
    best = np.zeros(len(places.axes))
    np.maximum.at(best, places.of[called], named[called])
    return np.maximum(places.of_table(best) - named, 0.0)


def _named(names: CompiledPredicates, question: Question, size: int) -> Scores:
    found = names.named(question.canonical)
    scores = np.zeros(size)
    scores[found.positions] = found.weights
    return scores


def _capped(share: Scores, whole: float) -> Scores:
    """Share of the whole, at most 1, written over what came in: a new array costs more than the sum."""
    return np.minimum(np.divide(share, whole, out=share), 1.0, out=share) if share.any() else share


def word_weights(index: LexicalIndex, words: Sequence[str]) -> dict[str, float]:
    """Weight of each distinct word: ln(1 + (N - n + 0.5) / (n + 0.5)), Lucene's idf; 0 for a word that no chunk has."""
    total = index.n_documents
    distinct = list(dict.fromkeys(words))
    counts = zip(distinct, map(len, index.words.postings(distinct)), strict=True)
    return {word: float(np.log1p((total - n + 0.5) / (n + 0.5))) if n else 0.0 for word, n in counts}
