"""What a question asks, in the numbers of an index: its words, their weights, its quantities and its codes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.figure_index import unit_number
from retrieval.quantities import Quantity, quantities
from retrieval.quantities.quantity import AS_TEXT
from retrieval.search.evidence.evidence import word_weights
from retrieval.search.query import Query

MOST = 48
"""Distinct words of a question that are looked at; the rarest of a longer one."""
BEFORE, AFTER = 3, 3
"""Words beside a number that may say what it counts."""

_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"(?<![\w'.-])([A-Z])(?![\w'.])")

Words = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A number of the question."""

    quantity: Quantity
    unit: int
    label: int
    """Numbers of the figure index."""
    near: Words
    """Words of the index that stand beside it, its unit and its label."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question as a snapshot sees it."""

    words: Words
    """(t,) distinct words that the index has, rising."""
    weights: Weights
    """(t,) how rare each is."""
    pairs: Weights
    """(t, t): what it is worth that word j follows word i, as in the question; 0 where it does not."""
    figures: tuple[Figure, ...]
    codes: frozenset[int]
    """Single capital letters, as numbers of their characters."""

    @property
    def whole(self) -> float:
        """Sum of the weights; 1 where there is none."""
        return float(self.weights.sum()) or 1.0


def ask(snapshot: Snapshot, question: Query) -> Asked:
    """Read a question against a snapshot."""
    said = snapshot.lexical.tokenize(question.text)
    asked = (snapshot.lexical.ask or snapshot.lexical.tokenize)(question.text)
    weighed = word_weights(snapshot.lexical, asked)
    known = sorted((word for word in weighed if weighed[word]), key=lambda word: -weighed[word])[:MOST]
    positions = dict(zip(known, snapshot.lexical.terms.positions(known), strict=True))
    order = sorted(positions, key=lambda word: positions[word] or 0)
    place = {word: number for number, word in enumerate(order)}
    weights = np.asarray([weighed[word] for word in order], dtype=np.float64)
    pairs = np.zeros((len(order), len(order)))
    for first, second in pairwise(asked):
        if first in place and second in place:
            pairs[place[first], place[second]] = min(weighed[first], weighed[second])
    return Asked(
        np.asarray([positions[word] for word in order], dtype=np.int64),
        weights,
        pairs,
        tuple(_figures(snapshot, question.text)) if said else (),
        _codes(question.text),
    )


def _figures(snapshot: Snapshot, text: str) -> Sequence[Figure]:
    units = snapshot.figures.units
    return [
        Figure(found, unit_number(units, found.unit), unit_number(units, found.label), _near(snapshot, text, found))
        for found in quantities(text)
        if found.kind not in AS_TEXT
    ]


def _near(snapshot: Snapshot, text: str, found: Quantity) -> Words:
    before = _WORD.findall(text[: found.start])[-BEFORE:]
    after = _WORD.findall(text[found.end :])[:AFTER]
    ask = snapshot.lexical.ask or snapshot.lexical.tokenize
    words = [word for each in (*before, *after, found.unit or "", found.label or "") if each for word in ask(each)]
    at = snapshot.lexical.terms.positions([word for word in dict.fromkeys(words) if word.isalpha()])
    return np.asarray(sorted(place for place in at if place is not None), dtype=np.int64)


def _codes(text: str) -> frozenset[int]:
    """`size K`, `class B`; an `I` and the first word of a sentence are none."""
    return frozenset(ord(match[1]) for match in _CODE.finditer(text) if match[1] != "I" and match.start() > 0)
