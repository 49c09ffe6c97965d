"""Columns by their meaning: how near the words of a question are to the column names of the candidates."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.column_index import word_vector
from retrieval.search.fusion import Positions, Scores
from retrieval.search.rerank.asked import Asked
from retrieval.search.rerank.said import Marks

NEAR, SAME = 0.3, 0.8
"""Cosines of a word and a column name: from the first on they have something in common, from the second on all."""
WITH_NEXT = 0.9
"""What a column counts that is near to two words together (`how long`)."""
MOST = 40
"""Words of a question that are looked at."""

_WORD = re.compile(r"[^\W\d_]+")


def meaning(
    snapshot: Snapshot, question: str, asked: Asked, tables: Positions, elsewhere: Marks, somewhere: Marks
) -> Mapping[str, Scores]:
    """How well the columns of n candidates mean what the question asks for.

    Args:
        snapshot: what is searched.
        question: as it was asked.
        asked: what the index knows of it, t words.
        tables: (n,) of each candidate.
        elsewhere: (n, t) whether its row or its headings have the word.
        somewhere: (n, t) whether any field has it.
    """
    words = list(dict.fromkeys(_WORD.findall(question.casefold())))[:MOST]
    places = _places(snapshot, words, asked)
    n = len(tables)
    near = _near(snapshot, words, tables) if words else np.zeros((n, 0))
    weights = np.asarray([max((float(asked.weights[at]) for at in each), default=0.0) for each in places])
    row = np.asarray([elsewhere[:, each].all(axis=1) if each else np.zeros(n) for each in places]).T.reshape(n, -1)
    any_field = np.asarray([somewhere[:, each].all(axis=1) if each else np.zeros(n) for each in places])
    missing = 1.0 - any_field.T.reshape(n, -1)
    counts = np.asarray([len(each) > 0 or len(word) > 2 for word, each in zip(words, places, strict=True)], dtype=float)
    whole = float(weights.sum()) or 1.0
    return {
        "meaning": (near * (1.0 - row) * counts).max(axis=1, initial=0.0),
        "meaning_missing": (near * missing * counts).max(axis=1, initial=0.0),
        "meaning_covered": (near * missing) @ weights / whole,
        "missing": (missing * (1.0 - near)) @ weights / whole,
    }


def _places(snapshot: Snapshot, words: Sequence[str], asked: Asked) -> Sequence[Sequence[int]]:
    """Which of the question's words of the index each word is."""
    cut = [snapshot.lexical.tokenize(word) for word in words]
    known = {int(word): number for number, word in enumerate(asked.words)}
    found = iter(snapshot.lexical.terms.positions([part for parts in cut for part in parts]))
    return [[known[at] for _ in parts if (at := next(found)) is not None and at in known] for parts in cut]


def _near(snapshot: Snapshot, words: Sequence[str], tables: Positions) -> Scores:
    """(n, words): how near the nearest column of each candidate's table is to each word, 0-1."""
    index = snapshot.columns
    names, which = np.unique(index.columns.gather(tables), return_inverse=True)
    found = np.zeros((len(tables), len(words)))
    if not len(names):
        return found
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    cosines = np.stack([word_vector(each) for each in (*words, *pairs)]) @ index.vectors[names].T
    near, together = cosines[: len(words)].astype(np.float64), WITH_NEXT * cosines[len(words) :]
    np.maximum(near[:-1], together, out=near[:-1])
    np.maximum(near[1:], together, out=near[1:])
    near = np.clip((near - NEAR) / (SAME - NEAR), 0.0, 1.0)
    owner = np.repeat(np.arange(len(tables)), index.columns.sizes(tables))
    np.maximum.at(found, owner, near.T[which])
    return found
