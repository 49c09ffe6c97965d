"""What would be stated of a passage, and the probability that it is the right answer."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.word_vectors import word_vector
from retrieval.language.numbers import AS_TEXT, holds, quantities
from retrieval.rag.cells import WORD, AnswerKind, answer_kind
from retrieval.rag.relevance import is_everywhere, subject_of
from retrieval.types import Chunk

Floats = npt.NDArray[np.float64]

_SPECIFIC = re.compile(r"(?<![\w.])(?=\w*[\d_A-Z])\w+(?:[._/-]\w+)*")
_PLAIN_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:st|nd|rd|th)?")
_SEPARATORS = re.compile(r"[\W_]+")
_POLAR = re.compile(
    r"^\s*(?:is|are|am|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b", re.IGNORECASE
)
_COUNTS = re.compile(r"\bhow (?:many|much|long|far|high|often|old|big|large|fast|deep|wide|heavy|tall)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """A question, as statements are compared with it."""

    text: str
    words: tuple[str, ...]
    """Its words as written, each once, without those that any question has."""
    tokens: tuple[frozenset[str], ...]
    """Each word as the index cuts it."""
    weights: tuple[float, ...]
    """How rare each is in the library."""
    specific: tuple[str, ...]
    """Names, codes and identifiers: words with a capital that does not begin the question, a figure or `_`."""
    kind: AnswerKind
    is_polar: bool
    """Whether yes or no is wanted."""
    wants_number: bool

    @classmethod
    def of(cls, question: str, snapshot: Snapshot) -> "QuestionWords":
        """Read a question as the index of a snapshot does."""
        spelt = snapshot.spelling(question)
        tokenize = snapshot.lexical.tokenize
        terms = {word: frozenset(tokenize(word)) for word in dict.fromkeys(WORD.findall(subject_of(spelt)))}
        words = tuple(word for word, cut in terms.items() if cut and not is_everywhere(word.casefold()))
        kind = answer_kind(snapshot.lexical.said(spelt), tokenize)
        return cls(
            text=question,
            words=words,
            tokens=tuple(terms[word] for word in words),
            weights=tuple(_rarity(snapshot, terms[word]) for word in words),
            specific=_specific_words(question),
            kind=kind,
            is_polar=bool(_POLAR.match(question)),
            wants_number=kind.number or bool(kind.measures) or bool(_COUNTS.search(question)),
        )


def _rarity(snapshot: Snapshot, tokens: frozenset[str]) -> float:
    positions = list(snapshot.lexical.terms.words(sorted(tokens)))
    return max(float(snapshot.rarity[-1 if position is None else position]) for position in positions)


def _specific_words(question: str) -> tuple[str, ...]:
    """Words of a question that name one thing and no kind of things.

    >>> _specific_words("What is FOO_BAR of the iPhone 12 in Canberra?")
    ('FOO_BAR', 'iPhone', 'Canberra')
    """
    words = []
    for match in _SPECIFIC.finditer(question):
        word = match[0]
        opens = not question[: match.start()].strip() and word[1:].islower()
        if not opens and not _PLAIN_NUMBER.fullmatch(word) and not is_everywhere(word.casefold()) and len(word) > 1:
            words.append(word)
    return tuple(dict.fromkeys(words))


@dataclass(frozen=True, slots=True)
class PassageWords:
    """A passage, as questions are compared with it."""

    stated: frozenset[str]
    """Words of its title, headings, heads of columns, cells, or of its prose, as the index cuts them."""
    location: frozenset[str]
    """... of its book and document."""
    folded: str
    """All of that as written, without case and with one blank for what is no letter and no figure."""

    @classmethod
    def of(cls, chunk: Chunk, snapshot: Snapshot) -> "PassageWords":
        """Read a chunk as the index of its snapshot does."""
        stated = " ".join((chunk.search_text, chunk.title, *chunk.names, *chunk.searched_as))
        location = f"{chunk.book} {chunk.document}"
        return cls(
            frozenset(snapshot.lexical.tokenize(stated)),
            frozenset(snapshot.lexical.tokenize(_SEPARATORS.sub(" ", location))),
            f" {_SEPARATORS.sub(' ', f'{location} {stated}'.casefold())} ",
        )

    def covers(self, tokens: frozenset[str]) -> bool:
        """Whether it has a word of the question."""
        return not tokens.isdisjoint(self.stated) or not tokens.isdisjoint(self.location)

    def has(self, name: str) -> bool:
        """Whether it has a name or a code, however its parts are joined."""
        folded = _SEPARATORS.sub(" ", name.casefold()).strip()
        return f" {folded} " in self.folded or f" {folded}s " in self.folded


def missing_words(question: QuestionWords, passage: PassageWords) -> tuple[str, ...]:
    """Words of the question that a passage does not have, the rarest first."""
    left = [
        (weight, word)
        for word, tokens, weight in zip(question.words, question.tokens, question.weights, strict=True)
        if not passage.covers(tokens)
    ]
    return tuple(word for _, word in sorted(left, key=lambda pair: -pair[0]))


NAMES = (
    *("relevance", "chance", "gap", "first"),
    *("cover", "heaviest", "unnamed", "rival_cover", "rival_names"),
    *("choice", "margin", "echo", "number_fits", "number_misses", "numbers_elsewhere", "long", "polar", "empty"),
    *("unexplained", "beyond", "nowhere", "untold", "uncounted", "numbered", "distinct", "alike", "unknown"),
)
