"""Spelling correction towards the words of the library: `clerc` becomes `cleric`.

Only a word that is neither in the library nor English is corrected: a question about a goblet in a book of goblins
means a goblet. It is read as the word of the library that it

- misspells: with one error, two in a long word, and the same first letter (Damerau 1964, "A technique for computer
  detection and correction of spelling errors": a letter omitted, doubled, inserted or changed, or two swapped);
- is the beginning of: `mercs`, `heli`;
- abbreviates by omitting the vowels: `dmg`, `wpn`.

A beginning or consonants must fit one word only, in any of its forms. Of several words at the same distance, the one
that names the most is chosen. It is a guess, so the receipt states it.

Before that, a word that the library lacks is read as the identifier with the same letters and digits: `minthrottle`
and `minThrottle` as `min_throttle`. Words that join two words (`longbow`) are left to `compounds`.
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
"""Fewest and most letters of a word that a correction can give; longer words are not corrected."""
_WORD = re.compile(r"[^\W\d_]+")

Counts = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class WrittenWords:
    """Distinct words of a library in lower case, sorted by their bytes."""

    terms: TermTable
    named: Counts
    """(n,) number of rows and headings whose names contain each word."""
    chunks: Counts
    """(n,) number of chunks that contain each word."""

    @classmethod
    def build(cls, chunks: Iterable[Chunk]) -> "WrittenWords":
        """Collect the words of the chunks' searched text; those in keys, names, columns and headings are naming."""
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
        # By their bytes, the order of a table of terms.
        ordered = sorted(held, key=lambda word: word.encode())
        return cls(
            TermTable.build([word.encode() for word in ordered]),
            np.asarray([named[word] for word in ordered], dtype=np.int32),
            np.asarray([held[word] for word in ordered], dtype=np.int32),
        )

    @cached_property
    def words(self) -> Sequence[str]:
        """(n,) all words, read once, when a question first has a word that the library lacks."""
        return [self.terms.text_of(number) for number in range(len(self.named))]

    def rank(self, position: int) -> tuple[int, int, str]:
        """Return a sort key, smallest for the likeliest word: the one that names the most, then the most frequent."""
        return -int(self.named[position]), -int(self.chunks[position]), self.words[position]


def _written_words(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        for word in _WORD.findall(text):
            if SHORTEST <= len(word) <= LONGEST:
                yield word.casefold()


_STEMMER = Stemmer.Stemmer("english", 1 << 14)


def is_english(word: str) -> bool:
    """Whether a word in lower case is a form of an English word."""
    return _STEMMER.stemWord(word) in _stems()


@cache
def _stems() -> frozenset[str]:
    """Return the stems of all words of the list, which is read when a question first has an unknown word."""
    return frozenset(_STEMMER.stemWords(SpellChecker(language="en").word_frequency.keys()))


MISSPELT, TWO_SLIPS = 5, 9
"""Fewest letters of a word that may have one error, and two: shorter words are as near to many others."""
PUT_IN_OR_LEFT_OUT = 3
"""Most letters that two errors may insert or omit: this excludes two changed letters (hexacopter, helicopter)."""
BEGINNING, CONSONANTS = 4, 3
"""Fewest letters of a beginning, and of the consonants of a word."""
CUT_OFF = 3
"""Fewest letters that a beginning must lack."""
WANTED = 16
"""Most words of one question that are checked."""
REMEMBERED = 1024
"""Words whose reading is cached, before the cache is cleared."""

_LETTERS = re.compile(r"(?<![\w'’-])[^\W\d_]+(?![\w-])")
_RUN = re.compile(r"(?<![\w'’./:-])(?=[0-9]*[^\W\d_])[^\W_]+(?![\w/:-]|\.\w)")
"""A run of letters and digits that is not part of a longer term with other characters."""
_VOWELS = "aeiouy"


@dataclass(eq=False)
class Spelling:
    """Rewrites a question with the spelling of one library: see the module."""

    written: WrittenWords
    has: Callable[[str], bool]
    """Whether the library has a whole word in some form, or the word is a unit."""
    is_known: Callable[[str], bool]
    """Whether the library has a word in some form, or the word is a unit or a known compound."""
    stem: Callable[[str], Sequence[str]]
    """Returns the stems of a word, which are the same for all of its forms."""
    identifier: Callable[[str], str]
    """Returns the library's spelling of the identifier whose parts a word joins; empty if there is none."""
    _read: dict[str, str] = field(default_factory=dict, repr=False)
    _joined: dict[str, str] = field(default_factory=dict, repr=False)

    def __call__(self, question: str) -> str:
        """Return the question with the corrected words in the library's spelling, and the others unchanged."""
        question = _replaced(question, _long_words(_RUN, question, SHORTEST), self._identifier_of)
        shouted = question.isupper()
        # Capitalised words are names or abbreviations, and are not corrected.
        words = _long_words(_LETTERS, question, CONSONANTS)
        lower = (word for word in words if shouted or not word[0].isupper())
        return _replaced(question, lower, self._meant)

    def _identifier_of(self, word: str) -> str:
        """Return the library's spelling of the identifier that a word joins; empty if none, or if it has the word."""
        written = self._joined.get(word)
        if written is None:
            written = "" if self.has(word) else self.identifier(word)
            remember(self._joined, word, written, REMEMBERED)
        return written

    def _meant(self, word: str) -> str:
        """Return the library's word for a misspelt or shortened one; empty if there is none."""
        meant = self._read.get(word)
        if meant is None:
            meant = "" if self.is_known(word) or is_english(word) else self._written(word)
            remember(self._read, word, meant, REMEMBERED)
        return meant

    def _written(self, word: str) -> str:
        near, whole = next(iter(self._near(word)), None), self._whole(word)
        if near is not None and whole is not None:
            # Of the two, the one that names something; otherwise the misspelt word before the shortened one.
            near, whole = (near, None) if self.written.named[near] or not self.written.named[whole] else (None, whole)
        if near is not None:
            return self.written.words[near] if len(word) >= MISSPELT else ""
        return "" if whole is None else self.written.words[whole]

    def _whole(self, word: str) -> int | None:
        """Return the position of the word that it shortens, if all candidates are forms of one word."""
        candidates = list(self._begun(singular(word, {}))) or list(self._without_vowels(word))
        if len({tuple(self.stem(self.written.words[position])) for position in candidates}) != 1:
            return None
        return min(candidates, key=self.written.rank)

    def _near(self, word: str) -> Sequence[int]:
        """Return the positions of the words that it may misspell, the likeliest first."""
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
    """Return the question with the given words replaced by their readings; `reading` gets words in folded case."""
    pieces, done = [], 0
    for word in words:
        if read := reading(word[0].casefold()):
            pieces += [question[done : word.start()], read]
            done = word.end()
    return "".join([*pieces, question[done:]])


def _long_words(letters: re.Pattern[str], question: str, least: int) -> Iterator[re.Match[str]]:
    return islice((word for word in letters.finditer(question) if least <= len(word[0]) <= LONGEST), WANTED)


def _begin_alike(word: str, other: str) -> bool:
    """Whether the first letter is the same, or swapped with the second: other errors in it are rare."""
    return word[0] == other[0] or word[:2] == other[1::-1]


def spelling_of(index: LexicalIndex, folder: Path, text_of: Callable[[int], str]) -> Spelling:
    """Return the spelling correction of a library, which knows the words and compounds of its lexical index, and units.

    Args:
        index: the library's words and compounds.
        folder: of the written words.
        text_of: returns the indexed text of a chunk, by its position.

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
        # One look-up and the first chunk that contains it are enough.
        text = "" if term is None else text_of(int(index.documents[term][0]))
        return next((written for written in identifiers(text) if key_of(written) == key), "")

    return Spelling(
        load_arrays(folder, WrittenWords),
        has,
        is_known,
        lambda word: cut_word(index.tokenize, word),
        identifier,
    )
