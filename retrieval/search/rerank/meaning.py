"""Semantic similarity of a question to cells, headings and column names."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from retrieval.files.arrays import numbered
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.word_vectors import WORD_EMBEDDER, telling, word_vector
from retrieval.language.terms import cut_word
from retrieval.search.candidates import Candidates
from retrieval.search.fusion import Positions, Scores
from retrieval.search.query import LETTERS
from retrieval.search.rerank.query_terms import QueryTerms
from retrieval.search.rerank.term_matches import Fields, Mask, Numbers
from retrieval.types import Vector

NEAR, SAME = 0.3, 0.8
"""Cosines of a word and a column name: at or below the first they are unrelated, from the second they mean the same."""
WITH_NEXT = 0.9
"""Weight of a column's similarity to two consecutive words (`how long`)."""
MOST = 40
"""The most words of a question that are compared."""
STRETCH = 16
"""Half the words of a stretch, which is about a sentence or two."""


def meaning(
    snapshot: Snapshot,
    question: str,
    query: QueryTerms,
    tables: Positions,
    table_of: Numbers,
    elsewhere: Mask,
    somewhere: Mask,
) -> Mapping[str, Scores]:
    """Return how well the column names of n candidates match what the question asks for.

    Args:
        question: the question in the words of the index.
        query: the t words of the question that the index contains.
        tables: distinct numbers of the candidates' tables, ascending.
        table_of: (n,) index into `tables` of each candidate.
        elsewhere: (n, t) whether its row or its headings contain the word.
        somewhere: (n, t) whether any field contains it.
    """
    words = list(dict.fromkeys(LETTERS.findall(question.casefold())))[:MOST]
    cut = [cut_word(snapshot.lexical.tokenize, word) for word in words]
    places = [[query.known[part] for part in parts if part in query.known] for parts in cut]
    near = _near(snapshot, words, tables)[table_of]
    weights = np.asarray([max((float(query.weights[at]) for at in numbers), default=0.0) for numbers in places])
    row, any_field = _has_all(places, elsewhere, somewhere)
    counts = np.asarray(
        [len(numbers) > 0 or len(word) > 2 for word, numbers in zip(words, places, strict=True)], dtype=float
    )
    whole = float(weights.sum()) or 1.0
    return {
        "meaning": (near * (1.0 - row) * counts).max(axis=1, initial=0.0),
        "meaning_covered": (near * (1.0 - any_field)) @ weights / whole,
    }


def _has_all(places: Sequence[Sequence[int]], *marks: Mask) -> Scores:
    """Return (marks, n, words) 1 if a candidate has all parts of a word; 0 for a word without parts in the index."""
    has_all = np.zeros((len(marks), len(places), len(marks[0])))
    some = [number for number, numbers in enumerate(places) if numbers]
    if some:
        flat = np.stack(marks)[:, :, [at for numbers in places for at in numbers]]
        sizes = np.asarray([len(places[number]) for number in some], dtype=np.int64)
        all_of = np.minimum.reduceat(flat, np.cumsum(sizes) - sizes, axis=2)
        has_all[:, some] = all_of.transpose(0, 2, 1)
    return has_all.transpose(0, 2, 1)


def _near(snapshot: Snapshot, words: Sequence[str], tables: Positions) -> Scores:
    """Return (tables, words) the similarity of the nearest column of each table to each word, 0-1."""
    index = snapshot.columns
    names, which = numbered(index.columns.gather(tables))
    nearness = np.zeros((len(tables), len(words)))
    if not len(names) or not words:
        return nearness
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    cosines = np.stack([word_vector(word) for word in (*words, *pairs)]) @ index.vectors[names].T
    near, together = cosines[: len(words)].astype(np.float64), WITH_NEXT * cosines[len(words) :]
    np.maximum(near[:-1], together, out=near[:-1])
    np.maximum(near[1:], together, out=near[1:])
    near = np.clip((near - NEAR) / (SAME - NEAR), 0.0, 1.0)
    sizes = index.columns.sizes(tables)
    some = np.flatnonzero(sizes)
    nearness[some] = np.maximum.reduceat(near.T[which], np.cumsum(sizes[some]) - sizes[some], axis=0)
    return nearness


_DECIMALS = 3
"""Decimals of a cosine, so that it is the same whichever words are compared with it."""


def semantic_similarity(
    snapshot: Snapshot,
    question: str,
    query: QueryTerms,
    fields: tuple[Fields, Fields],
    passage: int,
    heads: Sequence[int],
    has_term: tuple[Mask, Mask],
    candidates: Candidates,
) -> Mapping[str, Scores]:
    """Return how much of a question n candidates cover, each word as far as their nearest word is similar.

    A word that a candidate contains counts fully; a word that the index lacks has the weight of the rarest.

    Args:
        question: the question in the words of the index.
        query: the t words of the question that the index contains.
        fields: the fields of the candidates, and of their tables.
        passage: index of the candidates' field that is prose.
        heads: indices of the tables' fields to compare.
        has_term: (n, t) whether a candidate's own fields contain the word; whether those of its table do.
    """
    words = [*query.known, *query.strangers]
    weights = np.append(query.weights, list(query.strangers.values()))
    shares = weights / (weights.sum() or 1.0)
    written = _written(snapshot, question, words)
    vectors = _vectors(written)
    near = _WordSimilarities(snapshot, fields, vectors)
    row, head = near.best(fields[0]).max(axis=0), near.best(fields[1])[list(heads)].max(axis=0)[candidates.table_of]
    together = np.where(candidates.is_row, 0.0, near.densest(fields[0], passage, shares))
    t = len(query.words)
    np.maximum(row[:, :t], has_term[0], out=row[:, :t])
    np.maximum(head[:, :t], has_term[1], out=head[:, :t])
    own = np.maximum(row, head)
    read = read_with_prose(own, candidates.section_of, candidates.is_row)
    values = {"alike": own, "alike_row": row, "alike_head": head, "alike_read": read}
    shared = {name: near @ shares for name, near in values.items()} | _told(own, words, written, weights)
    together = np.where(candidates.is_row, shared["alike_row"], together)
    return shared | {"alike_together": together}


def _told(own: Scores, words: Sequence[str], written: Sequence[str | None], weights: Scores) -> dict[str, Scores]:
    """Return how much of a question n candidates cover, with words weighted by their information in any text; a number
    has full weight.

    `someone` may be the rarest word of a question, but carries no information about what is asked for.

    Args:
        own: (n, words) how far each candidate covers each word.
        words: the words as the index has them.
        written: the words as the question has them.
        weights: (words,) how rare each is.
    """
    named = [at or (word if word.isalpha() else None) for word, at in zip(words, written, strict=True)]
    counted = np.asarray([name is None for name in named], dtype=np.bool_)
    tells = np.asarray([1.0 if name is None else telling(name) for name in named])
    whole = float(weights @ tells) or 1.0
    return {
        "told": own @ (weights * tells) / whole,
        "told_words": own @ tells,
        "untold": ((1.0 - own) * tells).max(axis=1, initial=0.0),
        "untold_number": (own[:, counted] < 1.0).any(axis=1).astype(np.float64),
    }


class _WordSimilarities:
    """Similarities of every word of some fields to the words of a question."""

    def __init__(self, snapshot: Snapshot, fields: Sequence[Fields], vectors: Vector) -> None:
        there = np.zeros(len(snapshot.rarity), dtype=np.bool_)
        for field in fields:
            there[field.words] = True
        numbers = np.flatnonzero(there[:-1])
        cosines = np.round(snapshot.words.of(numbers) @ vectors.T, _DECIMALS)
        # The last row is for words that the index lacks.
        self.near = np.zeros((len(numbers) + 1, len(vectors)), dtype=np.float32)
        np.clip((cosines - NEAR) / (SAME - NEAR), 0.0, 1.0, out=self.near[:-1])
        self.row_of = np.full(len(there), -1, dtype=np.int32)
        self.row_of[numbers] = np.arange(len(numbers))

    def best(self, fields: Fields) -> Scores:
        """Return (fields, n, words) the similarity of the nearest word of each field of each candidate, 0 if it is
        empty."""
        nearest = np.zeros((*fields.sizes.shape, self.near.shape[1]))
        some = np.flatnonzero(fields.sizes)
        if len(some):
            near = self.near[self.row_of[fields.words]]
            nearest.reshape(fields.sizes.size, -1)[some] = np.maximum.reduceat(near, fields.ends[some], axis=0)
        return nearest

    def densest(self, fields: Fields, field: int, shares: Scores) -> Scores:
        """Return (n,) how much of the question the best stretch of a field covers; 0 if the field is empty."""
        best = np.zeros(fields.n)
        starts, sizes = fields.ends[field * fields.n : (field + 1) * fields.n], fields.sizes[field]
        some = np.flatnonzero(sizes)
        if not len(some):
            return best
        start, stop = starts[0], fields.ends[(field + 1) * fields.n]
        near = self.near[self.row_of[fields.words[start:stop]]]
        first, last = np.searchsorted(fields.hits, [start, stop])
        near[fields.hits[first:last] - start, fields.which[first:last]] = 1.0
        blocks = -(-sizes[some] // STRETCH)
        owner = np.repeat(np.arange(len(some)), blocks)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(blocks) - blocks, blocks)
        maxima = np.maximum.reduceat(near, starts[some][owner] - start + within * STRETCH, axis=0)
        # Each block with the next: no sentence is cut in all of these pairs.
        follows = np.flatnonzero(owner[1:] == owner[:-1])
        pairs = maxima.copy()
        pairs[follows] = np.maximum(maxima[follows], maxima[follows + 1])
        np.maximum.at(best, some[owner], pairs @ shares)
        return best


def _written(snapshot: Snapshot, question: str, words: Sequence[str]) -> Sequence[str | None]:
    """Return each word of the index as the question has it; None for a word that does not consist of letters."""
    written: dict[str, str] = {}
    for word in LETTERS.findall(question.casefold()):
        for part in cut_word(snapshot.lexical.tokenize, word):
            written.setdefault(part, word)
    return [written.get(word) for word in words]


def _vectors(written: Sequence[str | None]) -> Vector:
    """Return the vectors of words, (words, dimensions); zeros for None."""
    vectors = np.zeros((len(written), WORD_EMBEDDER.identity.dimensions), dtype=np.float32)
    for position, word in enumerate(written):
        if word is not None:
            vectors[position] = word_vector(word)
    return vectors


def read_with_prose(coverage: Scores, sections: Numbers, is_row: Mask) -> Scores:
    """Return (n, words) the coverage of each candidate; a row also gets that of the prose in its section, which its
    reader has read.

    Args:
        coverage: (n, words) how far each candidate covers each word of the question.
        sections: (n,) number of the section of each, from 0.
        is_row: (n,) whether each is a row.
    """
    prose = np.zeros((int(sections.max(initial=-1)) + 1, coverage.shape[1]))
    np.maximum.at(prose, sections[~is_row], coverage[~is_row])
    read: Scores = np.where(is_row[:, None], np.maximum(coverage, prose[sections]), coverage)
    return read
