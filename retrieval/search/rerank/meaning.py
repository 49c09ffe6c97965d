"""Columns by their meaning: how near the words of a question are to the column names of the candidates."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from retrieval.arrays import numbered
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.tokenizer import cut_word
from retrieval.index.words.word_model import word_vector
from retrieval.search.fusion import Positions, Scores
from retrieval.search.query import LETTERS
from retrieval.search.rerank.asked import Asked
from retrieval.search.rerank.said import Mask, Numbers

NEAR, SAME = 0.3, 0.8
"""Cosines of a word and a column name: from the first on they have something in common, from the second on all."""
WITH_NEXT = 0.9
"""What a column counts that is near to two words together (`how long`)."""
MOST = 40
"""Words of a question that are looked at."""


def meaning(
    snapshot: Snapshot,
    question: str,
    asked: Asked,
    tables: Positions,
    table_of: Numbers,
    elsewhere: Mask,
    somewhere: Mask,
) -> Mapping[str, Scores]:
    """How well the columns of n candidates mean what the question asks for.

    Args:
        snapshot: what is searched.
        question: in the words of the index.
        asked: what the index knows of it, t words.
        tables: distinct numbers of the candidates' tables, rising.
        table_of: (n,) which of those each is in.
        elsewhere: (n, t) whether its row or its headings have the word.
        somewhere: (n, t) whether any field has it.
    """
    words = list(dict.fromkeys(LETTERS.findall(question.casefold())))[:MOST]
    cut = [cut_word(snapshot.lexical.tokenize, word) for word in words]
    places = [[asked.known[part] for part in parts if part in asked.known] for parts in cut]
    near = _near(snapshot, words, tables)[table_of]
    weights = np.asarray([max((float(asked.weights[at]) for at in each), default=0.0) for each in places])
    row, any_field = _has_all(places, elsewhere, somewhere)
    missing = 1.0 - any_field
    counts = np.asarray([len(each) > 0 or len(word) > 2 for word, each in zip(words, places, strict=True)], dtype=float)
    whole = float(weights.sum()) or 1.0
    return {
        "meaning": (near * (1.0 - row) * counts).max(axis=1, initial=0.0),
        "meaning_missing": (near * missing * counts).max(axis=1, initial=0.0),
        "meaning_covered": (near * missing) @ weights / whole,
        "missing": (missing * (1.0 - near)) @ weights / whole,
    }


def _has_all(places: Sequence[Sequence[int]], *marks: Mask) -> Scores:
    """(marks, n, words): 1 where a candidate has all that a word is; 0 for a word that is nothing."""
    found = np.zeros((len(marks), len(places), len(marks[0])))
    some = [number for number, each in enumerate(places) if each]
    if some:
        flat = np.stack(marks)[:, :, [at for each in places for at in each]]
        sizes = np.asarray([len(places[number]) for number in some], dtype=np.int64)
        all_of = np.minimum.reduceat(flat, np.cumsum(sizes) - sizes, axis=2)
        found[:, some] = all_of.transpose(0, 2, 1)
    return found.transpose(0, 2, 1)


def _near(snapshot: Snapshot, words: Sequence[str], tables: Positions) -> Scores:
    """(tables, words): how near the nearest column of each table is to each word, 0-1."""
    index = snapshot.columns
    names, which = numbered(index.columns.gather(tables))
    found = np.zeros((len(tables), len(words)))
    if not len(names) or not words:
        return found
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    cosines = np.stack([word_vector(each) for each in (*words, *pairs)]) @ index.vectors[names].T
    near, together = cosines[: len(words)].astype(np.float64), WITH_NEXT * cosines[len(words) :]
    np.maximum(near[:-1], together, out=near[:-1])
    np.maximum(near[1:], together, out=near[1:])
    near = np.clip((near - NEAR) / (SAME - NEAR), 0.0, 1.0)
    sizes = index.columns.sizes(tables)
    some = np.flatnonzero(sizes)
    found[some] = np.maximum.reduceat(near.T[which], np.cumsum(sizes[some]) - sizes[some], axis=0)
    return found
