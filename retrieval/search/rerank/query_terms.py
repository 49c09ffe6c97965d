"""A question in the numbers of an index: its words, their weights and its quantities."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.figure_index import unit_number
from retrieval.language.identifiers import MARK
from retrieval.language.numbers import Quantity, quantities
from retrieval.language.numbers.quantity import AS_TEXT
from retrieval.language.terms import Tokenize, cut_word, tokenizer
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.query import LETTERS, NEAR, Query

MOST = 48
"""The most distinct words of a question that are used; in a longer one, the rarest."""
IDLE = 0.25
"""Weight factor of words that express how something is asked, not what: `need` is rare in a book, but means little."""
BEFORE, AFTER = 3, 3
"""Words beside a number that may name what it counts."""

_IDENTIFIER = re.compile(r"(?<![\w-])[A-Z]{1,5}-?\d[\w-]*")
_PARTS = 3
"""The fewest parts of a name like `L54-30-S400`, whose numbers are not quantities. `AC6` and `T55` have fewer."""

Words = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A number of the question."""

    quantity: Quantity
    unit: int
    label: int
    """Numbers of the unit and the label in the figure index."""
    near: Words
    """Words of the index beside it, with its unit and its label."""
    places: Words
    """The question's words that it is written with, without its unit: indices into `QueryTerms.words`."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryTerms:
    """A question in the words of a snapshot."""

    known: Mapping[str, int]
    """Its t distinct words that the index contains, and the index of each in the arrays below."""
    words: Words
    """(t,) numbers of those words, ascending."""
    weights: Weights
    """(t,) weight of each by rarity."""
    strangers: Mapping[str, float]
    """Distinct words that the index lacks, and their weights."""
    pairs: Words
    """(t, t) index of the pair in which word j follows word i in the question, of p pairs; -1 if it does not."""
    worth: Weights
    """(p,) weight of each pair."""
    worth_of_all: float
    """Sum of those; 1 if there are none."""
    behind: Words
    """(t,) the word that must precede each for a match: the `30` of `L54-30-S400` does not match a cell `30`; -1:
    none."""
    figures: tuple[Figure, ...]

    @property
    def whole(self) -> float:
        """Sum of the weights; 1 if there are none."""
        return float(self.weights.sum()) or 1.0


def ask(snapshot: Snapshot, question: Query) -> QueryTerms:
    """Read a question in the words of a snapshot."""
    terms = snapshot.lexical.looked_for(question.text)
    figures = [quantity for quantity in quantities(question.text) if _is_number(quantity, question.text, terms)]
    beside = [_beside(snapshot, question.text, figure) for figure in figures]
    every = list(dict.fromkeys((*terms, *(word for words in beside for word in words))))
    at = dict(zip(every, snapshot.lexical.terms.words(every), strict=True))
    numbers = {word: number for word in terms if (number := at[word]) is not None}
    strangers = [word for word in dict.fromkeys(terms) if at[word] is None][:MOST]
    weights = _weights(snapshot, numbers)
    known = sorted(numbers, key=lambda word: -weights[word])[:MOST]
    order = sorted(known, key=numbers.__getitem__)
    key = {word: number for number, word in enumerate(order)}
    worth = np.zeros((len(order), len(order)))
    for first, second in pairwise(terms):
        if first in key and second in key:
            worth[key[first], key[second]] = min(weights[first], weights[second])
    before = _parts_of_names(snapshot, question.text, terms)
    pairs = np.full(worth.shape, -1)
    pairs[worth > 0] = np.arange(np.count_nonzero(worth))
    return QueryTerms(
        key,
        np.asarray([numbers[word] for word in order], dtype=np.int64),
        np.asarray([weights[word] for word in order], dtype=np.float64),
        _weights(snapshot, dict.fromkeys(strangers, -1)),
        pairs,
        worth[worth > 0],
        float(worth.sum()) or 1.0,
        np.asarray([-1 if word not in before else at[before[word]] for word in order], dtype=np.int64),
        tuple(_figure(snapshot, figure, words, at, key) for figure, words in zip(figures, beside, strict=True)),
    )


def _is_number(quantity: Quantity, text: str, terms: Sequence[str]) -> bool:
    """Whether a quantity of a question is a number, not a date or part of an identifier of the index, such as `$27`."""
    names = (MARK + text[start : quantity.end] for start in (quantity.start, max(quantity.start - 1, 0)))
    return bool(terms) and quantity.kind not in AS_TEXT and not any(name in terms for name in names)


def _weights(snapshot: Snapshot, numbers: Mapping[str, int]) -> dict[str, float]:
    """Return the weight of each word by rarity, given its number; less if it only expresses how something is asked."""
    rarity = snapshot.rarity[list(numbers.values())].tolist() if numbers else []
    idle = _idle(snapshot.vocabulary)
    return {word: weight * (IDLE if word in idle else 1.0) for word, weight in zip(numbers, rarity, strict=True)}


@lru_cache(maxsize=16)
def _idle(vocabulary: Vocabulary) -> frozenset[str]:
    return frozenset(word for idle in vocabulary.idle_words for word in tokenizer(vocabulary)(idle))


def _figure(
    snapshot: Snapshot,
    quantity: Quantity,
    beside: Sequence[str],
    at: Mapping[str, int | None],
    position_of: Mapping[str, int],
) -> Figure:
    units, cut = snapshot.figures.units, _cutter(snapshot)
    near = sorted(number for word in beside if (number := at[word]) is not None)
    written = sorted({position_of[word] for word in cut(quantity.text) if word in position_of and word not in beside})
    return Figure(
        quantity,
        unit_number(units, quantity.unit),
        unit_number(units, quantity.label),
        np.asarray(near, np.int64),
        np.asarray(written, np.int64),
    )


def _cutter(snapshot: Snapshot) -> Tokenize:
    return snapshot.lexical.ask or snapshot.lexical.tokenize


def _beside(snapshot: Snapshot, text: str, quantity: Quantity) -> Sequence[str]:
    """Return the words of letters beside a number, its unit and its label, each once."""
    before = LETTERS.findall(text[max(0, quantity.start - NEAR) : quantity.start])[-BEFORE:]
    after = LETTERS.findall(text[quantity.end : quantity.end + NEAR])[:AFTER]
    lexical, cut = snapshot.lexical, _cutter(snapshot)
    # Together, because a label of several words is one word of the index; and each alone as well.
    together = (*lexical.looked_for(" ".join(before)), *lexical.looked_for(" ".join(after)))
    alone = (*before, *after, quantity.unit or "", quantity.label or "")
    parts = (part for word in alone if word for part in cut_word(cut, lexical.in_index_words(word)))
    return [word for word in dict.fromkeys((*together, *parts)) if word.isalpha()]


def _parts_of_names(snapshot: Snapshot, text: str, terms: Sequence[str]) -> Mapping[str, str]:
    """Return the numbers that occur only as parts of longer names, each with the part before it."""
    part_before: dict[str, str] = {}
    count = Counter(terms)
    for match in _IDENTIFIER.finditer(text):
        parts = [part for part in cut_word(_cutter(snapshot), match[0]) if not part.startswith("-")]
        if len(parts) >= _PARTS:
            count.subtract(parts)
            part_before |= {part: first for first, part in pairwise(parts) if part[0].isdigit()}
    known = snapshot.lexical.terms
    return {
        part: first for part, first in part_before.items() if count[part] <= 0 and known.position(first) is not None
    }
