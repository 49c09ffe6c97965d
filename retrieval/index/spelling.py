"""Spelling correction towards the words of the library: `clerc` becomes `cleric`.

A word is looked at where neither the library nor English has it: whoever asks for a goblet among goblins means a
goblet. It is read as the word of the library that it

- misspells: one slip away, two in a long word, from its first letter on (Damerau 1964, "A technique for computer
  detection and correction of spelling errors": a letter left out, doubled, put in, changed, or two that are swapped);
- is the beginning of: `mercs`, `heli`;
- leaves the vowels out of: `dmg`, `wpn`.

A beginning and consonants must be those of one word, in whatever form of it. Of several that are misspelt alike the one
that names most is meant. It is a guess, so the receipt says it.

Before that, a word that the library lacks is read as the identifier with the same letters and figures: `minthrottle`
and `minThrottle` as `min_throttle`. What joins two words (`longbow`) is left to `compounds`.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import Stemmer
from rapidfuzz import process
from rapidfuzz.distance import OSA, Indel
from spellchecker import SpellChecker

from retrieval.files.array_folder import load_arrays
from retrieval.files.cache import remember
from retrieval.index.term_table import TermTable
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.language.identifiers import identifiers, key_of
from retrieval.language.lexicon import singular
from retrieval.language.numbers.quantity import measure
from retrieval.language.terms import cut_word
from retrieval.types import Chunk

SHORTEST, LONGEST = 4, 40
"""Letters of a word that may be meant; no longer one is looked at."""
_WORD = re.compile(r"[^\W\d_]+")

Counts = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class WrittenWords:
    """Distinct words in lower case, in the order of their letters."""

    terms: TermTable
    named: Counts
    """(n,) how many rows and headings each names or heads."""
    chunks: Counts
    """(n,) how many chunks have each."""

    @classmethod
    def build(cls, chunks: Iterable[Chunk]) -> "WrittenWords":
        """Of what is searched of the chunks; their keys, names, columns and headings name something."""
        named, held = Counter[str](), Counter[str]()
        heads: set[tuple[str, ...]] = set()
        for chunk in chunks:
            head = (*chunk.heading_path, chunk.caption or "", *chunk.columns)
            names = set(_written_words((chunk.row_key or "", *chunk.names)))
            if head not in heads:
                heads.add(head)
                names.update(_written_words(head))
            named.update(names)
            held.update(names | set(_written_words((chunk.search_text,))))
        # By their bytes, as a table of terms has them.
        ordered = sorted(held, key=lambda word: word.encode())
        return cls(
            TermTable.build([word.encode() for word in ordered]),
            np.asarray([named[word] for word in ordered], dtype=np.int32),
            np.asarray([held[word] for word in ordered], dtype=np.int32),
        )

    @cached_property
    def words(self) -> Sequence[str]:
        """(n,) all of them. They are read once, when a question first has a word that the library lacks."""
        return [self.terms.text_of(number) for number in range(len(self.named))]

    def rank(self, position: int) -> tuple[int, int, str]:
        """The smaller, the rather is it meant: what names most, then what most chunks have."""
        return -int(self.named[position]), -int(self.chunks[position]), self.words[position]


def _written_words(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        for word in _WORD.findall(text):
            if SHORTEST <= len(word) <= LONGEST:
                yield word.casefold()


_STEMMER = Stemmer.Stemmer("english", 1 << 14)


def is_english(word: str) -> bool:
    """Whether a word, in lower case, is an English one in some form of it."""
    return _STEMMER.stemWord(word) in _stems()


@cache
def _stems() -> frozenset[str]:
    """Of all words of the list. It is read once, by the first question that has a word which is nowhere else."""
    return frozenset(_STEMMER.stemWords(SpellChecker(language="en").word_frequency.keys()))


MISSPELT, TWO_SLIPS = 5, 9
"""Letters of a word that may be misspelt once, and twice, at least: fewer are as near to many others."""
PUT_IN_OR_LEFT_OUT = 3
"""Letters that two slips put in or leave out, at most: not both change a letter, as a hexacopter does a helicopter."""
BEGINNING, CONSONANTS = 4, 3
"""Letters of what is a beginning, or the consonants of a word, at least."""
CUT_OFF = 3
"""Letters that a beginning lacks, at least."""
WANTED = 16
"""Words of one question that are looked at."""
REMEMBERED = 1024
"""Words whose reading is remembered, before all are forgotten."""

_LETTERS = re.compile(r"(?<![\w'’-])[^\W\d_]+(?![\w-])")
_RUN = re.compile(r"(?<![\w'’./:-])(?=[0-9]*[^\W\d_])[^\W_]+(?![\w/:-]|\.\w)")
"""Letters and figures that are no part of what has other signs."""
_VOWELS = "aeiouy"


@dataclass(eq=False)
class Spelling:
    """Reads a question as one library would write it: see the module."""

    written: WrittenWords
    has: Callable[[str], bool]
    """Whether the library has a word in some form, all letters and figures of it, or it is a unit."""
    is_known: Callable[[str], bool]
    """Whether the library has a word in some form, or reads it as something that it has."""
    stem: Callable[[str], Sequence[str]]
    """What forms of one word share."""
    identifier: Callable[[str], str]
    """The identifier whose parts a word joins, as the library writes it; empty: of none."""
    _read: dict[str, str] = field(default_factory=dict, repr=False)
    _joined: dict[str, str] = field(default_factory=dict, repr=False)

    def __call__(self, question: str) -> str:
        """The question with such words as the library writes them, the others as they are."""
        question = _replaced(question, _long_words(_RUN, question, SHORTEST), self._identifier_of)
        shouted = question.isupper()
        # What is written in capitals is an abbreviation, and has its own letters.
        words = _long_words(_LETTERS, question, CONSONANTS)
        lower = (word for word in words if shouted or not word[0].isupper())
        return _replaced(question, lower, self._meant)

    def _identifier_of(self, word: str) -> str:
        """The identifier that a word joins, as the library writes it; empty: there is none, or it has the word."""
        written = self._joined.get(word)
        if written is None:
            written = "" if self.has(word) else self.identifier(word)
            remember(self._joined, word, written, REMEMBERED)
        return written

    def _meant(self, word: str) -> str:
        """The word of the library; empty where none is meant."""
        meant = self._read.get(word)
        if meant is None:
            meant = "" if self.is_known(word) or is_english(word) else self._written(word)
            remember(self._read, word, meant, REMEMBERED)
        return meant

    def _written(self, word: str) -> str:
        near, whole = next(iter(self._near(word)), None), self._whole(word)
        if near is not None and whole is not None:
            # Of the two the one that names something; a slip comes before a short form.
            near, whole = (near, None) if self.written.named[near] or not self.written.named[whole] else (None, whole)
        if near is not None:
            return self.written.words[near] if len(word) >= MISSPELT else ""
        return "" if whole is None else self.written.words[whole]

    def _whole(self, word: str) -> int | None:
        """The word that it is cut short from, if that is one."""
        candidates = list(self._begun(singular(word, {}))) or list(self._without_vowels(word))
        if len({tuple(self.stem(self.written.words[position])) for position in candidates}) != 1:
            return None
        return min(candidates, key=self.written.rank)

    def _near(self, word: str) -> Sequence[int]:
        """Words that it may be a slip for, the one that is meant first."""
        nearest: dict[int, int] = {}
        for form in {word, singular(word, {})}:
            slips = 1 + (len(form) >= TWO_SLIPS)
            candidates = process.extract(form, self.written.words, scorer=OSA.distance, score_cutoff=slips, limit=None)
            for other, distance, position in candidates:
                if _begin_alike(other, word) and (distance == 1 or Indel.distance(form, other) <= PUT_IN_OR_LEFT_OUT):
                    nearest[position] = min(distance, nearest.get(position, slips))
        return sorted(nearest, key=lambda position: (nearest[position], self.written.rank(position)))

    def _begun(self, word: str) -> Iterator[int]:
        if len(word) >= BEGINNING:
            for position in self._beginning_with(word):
                if len(self.written.words[position]) >= len(word) + CUT_OFF:
                    yield position

    def _without_vowels(self, word: str) -> Iterator[int]:
        if len(word) >= CONSONANTS and not set(word) & set(_VOWELS):
            full = re.compile("".join(f"{letter}{{1,2}}[{_VOWELS}]*" for letter in word))
            for position in self._beginning_with(word[0]):
                if full.fullmatch(self.written.words[position]):
                    yield position

    def _beginning_with(self, letters: str) -> range:
        words = self.written.words
        return range(bisect_left(words, letters), bisect_left(words, letters + "\U0010ffff"))


def _replaced(question: str, words: Iterable[re.Match[str]], reading: Callable[[str], str]) -> str:
    """The question with the readings of some of its words, each of which is read in folded case."""
    pieces, done = [], 0
    for word in words:
        if read := reading(word[0].casefold()):
            pieces += [question[done : word.start()], read]
            done = word.end()
    return "".join([*pieces, question[done:]])


def _long_words(letters: re.Pattern[str], question: str, least: int) -> Iterator[re.Match[str]]:
    return islice((word for word in letters.finditer(question) if least <= len(word[0]) <= LONGEST), WANTED)


def _begin_alike(word: str, other: str) -> bool:
    """Whether the first letter is the same, or swapped with the second: hardly anybody misspells it otherwise."""
    return word[0] == other[0] or word[:2] == other[1::-1]


def spelling_of(index: LexicalIndex, folder: Path, text_of: Callable[[int], str]) -> Spelling:
    """How a library reads questions: it knows the words of its lexical index, what these put together, and units.

    Args:
        index: the words, and what they put together.
        folder: of the written words.
        text_of: what was indexed of a chunk, by its position.

    Raises:
        IndexCorruptError: the written words in the folder cannot be read.
    """

    def terms_of(word: str) -> list[bool]:
        return [term is not None for term in index.terms.words(cut_word(index.tokenize, word))]

    def has(word: str) -> bool:
        return all(terms_of(word)) or measure(word) is not None

    def is_known(word: str) -> bool:
        is_compound = index.put is not None and index.put(word) != word
        return any(terms_of(word)) or measure(word) is not None or is_compound

    def identifier(word: str) -> str:
        key = key_of(word)
        (term,) = index.terms.words([key])
        # One look-up and one chunk, the first that has it, tell it.
        text = "" if term is None else text_of(int(index.documents[term][0]))
        return next((written for written in identifiers(text) if key_of(written) == key), "")

    return Spelling(
        load_arrays(folder, WrittenWords),
        has,
        is_known,
        lambda word: cut_word(index.tokenize, word),
        identifier,
    )
