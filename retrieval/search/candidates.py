"""Candidates of a question: first evidence for each, and the rows of the tables that fit best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.files.arrays import distinct, numbered
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.lexical_index import Selection
from retrieval.index.words.word_vectors import word_vector
from retrieval.search.fusion import Cosines, Positions, Scores, best, similarity
from retrieval.search.query import Query
from retrieval.types import Vector

PER_LEG = 60
"""Chunks that each way of searching finds: by words, vectors and names."""
TABLES, ROWS = 8, 8
"""Tables and passages whose texts fit best, and how many chunks of each are candidates."""
_LOOKED_AT = 60
"""The best tables by the words of their texts, whose vectors are compared too."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Chunks that may be among the best, with first evidence for each."""

    positions: Positions
    """(n,) ascending."""
    tables: Positions
    """Distinct numbers of their tables and passages, ascending."""
    table_of: Positions
    """(n,) index into `tables` of each."""
    section_of: Positions
    """(n,) number of the section of each, from 0."""
    is_row: Mask
    lexical: Scores
    """(n,) BM25, as a share of `strongest`."""
    dense: Scores
    """(n,) cosine, not below 0."""
    name: Scores
    """(n,) share of the question covered by names of the row that it contains whole."""
    heading: Scores
    """(n,) the same for the headings of prose."""
    table_lexical: Scores
    """(tables,) BM25 of the texts of the tables and passages, as a share of the best."""
    table_dense: Scores
    """(tables,) cosine of their texts with the question, by word vectors."""
    strongest: float
    """The BM25 of the best candidate."""

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        question: Query,
        vector: Vector,
        positions: Positions,
        strongest: float | None = None,
    ) -> "Candidates":
        """Return these chunks as candidates, with their evidence.

        Args:
            vector: (dimensions,) vector of the question.
            positions: (n,) ascending.
            strongest: the BM25 score that theirs are divided by; None: the best of theirs.
        """
        numbers = snapshot.chunk_tables.of[positions]
        tables, table_of = numbered(numbers)
        some = Selection(positions, len(snapshot))
        words = snapshot.lexical.scores(question.text, some)
        strongest = float(words.max(initial=0.0)) if strongest is None else strongest
        weights = word_weights(snapshot, snapshot.lexical.read(question.text))
        whole = sum(weights.values()) or 1.0
        name, heading = _called(snapshot, question, weights, some)
        table_lexical, table_dense = _fit(snapshot, question, tables.astype(np.int64))
        return cls(
            positions,
            tables.astype(np.int64),
            table_of,
            numbered(snapshot.fields.section[tables][table_of])[1],
            numbers < snapshot.chunk_tables.n_tables,
            np.maximum(words, 0.0) / (strongest or 1.0),
            np.maximum(Cosines(snapshot.vectors, vector).at(positions), 0.0),
            np.minimum(name / whole, 1.0),
            np.minimum(heading / whole, 1.0),
            table_lexical,
            table_dense,
            strongest,
        )

    @property
    def first(self) -> Scores:
        """(n,) first score of each, from itself and its table: words and vectors with equal weight."""
        of_table: Scores = (self.table_lexical + self.table_dense)[self.table_of]
        return self.lexical + self.dense + of_table

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """Return the evidence for these candidates, by name."""
        indexes = np.searchsorted(self.positions, positions)
        tables = self.table_of[indexes]
        return {
            "lexical": self.lexical[indexes],
            "dense": self.dense[indexes],
            "name": self.name[indexes],
            "heading": self.heading[indexes],
            "table_lexical": self.table_lexical[tables],
            "table_dense": self.table_dense[tables],
        }


def rows_of_best_tables(
    snapshot: Snapshot, question: Query, vector: Vector, candidates: Positions, allowed: Mask | None
) -> Positions:
    """Return the best chunks of the tables and passages whose texts fit a question best, ascending.

    Args:
        vector: (dimensions,) vector of the question.
        candidates: chunks found in other ways; their tables are considered too.
        allowed: (n,) chunks that may be returned; None: all.
    """
    chunk_tables, lexical = snapshot.chunk_tables, snapshot.tables.lexical
    words = lexical.scores(snapshot.lexical.in_index_words(question.text))
    tables = distinct(np.concatenate([best(words, _LOOKED_AT), chunk_tables.of[candidates].astype(np.int64)]))
    fit = np.sum(_fit(snapshot, question, tables), axis=0)
    tables = tables[best(fit, TABLES)]
    rows, owners = chunk_tables.rows.gather(tables).astype(np.int64), np.repeat(tables, chunk_tables.rows.sizes(tables))
    if allowed is not None:
        rows, owners = rows[allowed[rows]], owners[allowed[rows]]
    order = np.argsort(rows)
    rows, owners = rows[order], owners[order]
    scores = fit_alone(snapshot, question, vector, rows)
    kept = [np.flatnonzero(owners == table) for table in tables.tolist()]
    return np.sort(np.concatenate([rows[:0], *(rows[of[best(scores[of], ROWS)]] for of in kept)]))


def fit_alone(snapshot: Snapshot, question: Query, vector: Vector, rows: Positions) -> Scores:
    """Return how well each of these chunks, in ascending order, fits by itself: BM25, as a share of the best, plus
    cosine."""
    words = snapshot.lexical.scores(question.text, Selection(rows, len(snapshot)))
    return words / (float(words.max(initial=0.0)) or 1.0) + similarity(snapshot.vectors[rows], vector)


def _fit(snapshot: Snapshot, question: Query, tables: Positions) -> tuple[Scores, Scores]:
    """Return BM25, as a share of the best, and cosine of the texts of these tables and passages, (tables,) each."""
    texts = snapshot.tables
    words = texts.lexical.scores(
        snapshot.lexical.in_index_words(question.text), Selection(tables, texts.lexical.n_documents)
    )
    words = np.maximum(words, 0.0)
    cosines = similarity(texts.vectors[tables], word_vector(question.text))
    return words / (float(words.max(initial=0.0)) or 1.0), cosines


def _called(
    snapshot: Snapshot, question: Query, weights: Mapping[str, float], among: Selection
) -> tuple[Scores, Scores]:
    """Return how much of the question is in names of rows, and in headings of prose, (chunks,) each."""
    chunk_tables = snapshot.chunk_tables
    name, heading = np.zeros(len(among)), np.zeros(len(among))
    quotes = chunk_tables.values.quotes(snapshot.lexical.read(question.text), weights)
    which, at = among.meet(quotes.positions)
    name[at] = quotes.name[which]
    positions, shares = chunk_tables.headings.matched(weights)
    which, at = among.meet(positions)
    heading[at] = shares[which]
    return name, heading


def word_weights(snapshot: Snapshot, words: Sequence[str]) -> dict[str, float]:
    """Return the weight of each distinct word, its rarity; 0 for a word that no chunk contains."""
    distinct_words = list(dict.fromkeys(words))
    positions = zip(distinct_words, snapshot.lexical.terms.words(distinct_words), strict=True)
    return {word: 0.0 if at is None else float(snapshot.rarity[at]) for word, at in positions}
