"""Words that a question writes together and the books apart, or the other way round: `longbow` and `Long Bow`.

A word is cut where its parts stand side by side in what names a row or heads a table or passage, and two words are
also asked for as one where such a place has that one and none has the two. That both parts occur somewhere is not
enough: `restart` is no `rest art`. It is a guess, so predicates and names that are bound see the question as it is.

Of a word that is no English one either, the parts may stand side by side in any text: `looptime` is `loop time`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.files.array_folder import load_arrays
from retrieval.files.arrays import distinct, load_array
from retrieval.files.cache import remember
from retrieval.index.words.field_index import FieldIndex, Words
from retrieval.index.words.lexical_index import WordIndex
from retrieval.index.words.value_index import ValueIndex
from retrieval.language.terms import Tokenizer, cut_word

PART, WHOLE = 3, 6
"""Letters of a part and of a whole word, at least: shorter ones meet by chance."""
LONGEST = 40
"""Letters of a word that is cut, at most."""
WANTED = 16
"""Words of one question that are looked for, of each of the two sorts."""
SCANNED = 65_536
"""Chunks of the rarer of two words that are asked whether they have the other, the first ones."""
COMMON = 4096
"""Chunks with both words whose fields are read, the first ones."""
REMEMBERED = 1024
"""Questions, and words, whose reading is remembered, before all are forgotten."""

_LETTERS = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"\s+|[-\u2010\u2011]")

Positions = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
Change = tuple[int, int, str]
"""Where it begins and ends in a question, and what is put there."""


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """What names rows and heads tables and passages, in the order of its words."""

    fields: FieldIndex
    values: ValueIndex
    of: npt.NDArray[np.int32]
    """(n_chunks,) number of each chunk's table or passage."""

    @classmethod
    def load(cls, snapshot: Path) -> "Naming":
        """Map the files of a snapshot. Raises IndexCorruptError."""
        evidence = snapshot / "evidence"
        return cls(
            load_arrays(snapshot / "fields", FieldIndex),
            load_arrays(evidence / "values", ValueIndex),
            load_array(evidence / "of.npy", np.int32),
        )

    def having(self, chunks: Positions, *words: int) -> Marks:
        """(chunks,): whether the key, the caption, a near heading or a column has the word, or one and then the other.

        A key may begin with them turned round (`Bow, long`).
        """
        fields = self.fields
        tables, table_of = np.unique(self.of[chunks].astype(np.int64), return_inverse=True)
        heads = _has(fields.column, tables, words, fields.column_of)
        for texts in (fields.caption, fields.heading, fields.above):
            heads |= _has(texts, tables, words)
        marks: Marks = _has(fields.key, chunks, words) | _begins_with(fields.key, chunks, words[::-1]) | heads[table_of]
        return marks

    def containing(self, chunks: Positions, *words: int) -> Marks:
        """(chunks,): whether the prose, or one cell, has one word and then the other."""
        fields = self.fields
        return _has(fields.passage, chunks, words) | _has(fields.cell, chunks, words, fields.cell_of)

    def named(self, *names: str) -> Positions:
        """The chunks that have one of these words, or runs of words, for a whole name."""
        places = [position for position in self.values.values.positions(names) if position is not None]
        spans = [self.values.chunks.span(position) for position in places]
        chunks = [self.values.chunks.items[span][self.values.is_name[span]] for span in spans]
        return distinct(np.concatenate([np.empty(0, dtype=np.int64), *chunks]))


def _has(field: Words, keys: Positions, words: Sequence[int], cell_of: npt.NDArray[np.int16] | None = None) -> Marks:
    """(keys,): whether a list has the words, one or two, one right after the other and in one cell."""
    places, owner = field.places(keys), np.repeat(np.arange(len(keys)), field.sizes(keys))
    numbers, last = field.items[places], len(places) - len(words) + 1
    has_words, here = np.zeros(len(keys), dtype=np.bool_), numbers[:last] == words[0]
    if len(words) > 1:
        here &= (numbers[1:] == words[1]) & (owner[1:] == owner[:-1])
        if cell_of is not None:
            cells = cell_of[places]
            here &= cells[1:] == cells[:-1]
    has_words[owner[:last][here]] = True
    return has_words


def _begins_with(field: Words, keys: Positions, words: Sequence[int]) -> Marks:
    """(keys,): whether a list begins with the words."""
    begins = field.sizes(keys) >= len(words)
    starts = field.starts[keys[begins]]
    begins[begins] = np.all([field.items[starts + position] == word for position, word in enumerate(words)], axis=0)
    return begins


@dataclass(eq=False)
class Compounds:
    """Puts a question into the words of an index: see the module.

    Nothing but the terms is read as long as a question's words are known and no two of them are one word elsewhere.
    """

    words: WordIndex
    """Which chunks have a word."""
    tokenize: Tokenizer
    """Cut its texts."""
    stops: frozenset[str]
    """Words of a question that are not looked for: no parts."""
    snapshot: Path
    """Its folder."""
    is_english: Callable[[str], bool]
    """Whether a word, in lower case, is an English one: it may mean what it says."""
    _questions: dict[str, str] = field(default_factory=dict, repr=False)
    _splits: dict[str, str] = field(default_factory=dict, repr=False)
    """By word."""

    def __call__(self, question: str) -> str:
        """The question, an unknown word in two where these name something, and in front of two the one they are."""
        known = self._questions.get(question)
        if known is None:
            known = self._put(question)
            remember(self._questions, question, known, REMEMBERED)
        return known

    @cached_property
    def _naming(self) -> Naming:
        return Naming.load(self.snapshot)

    def _put(self, question: str) -> str:
        written = list(_LETTERS.finditer(question))
        pieces, done = [], 0
        for start, stop, text in sorted([*self._joined(question, written), *self._apart(question, written)]):
            pieces += [question[done:start], text]
            done = stop
        return "".join([*pieces, question[done:]])

    def _apart(self, question: str, written: Sequence[re.Match[str]]) -> Iterator[Change]:
        """The unknown words that are two."""
        long = [word for word in written if WHOLE <= len(word[0]) <= LONGEST]
        unknown = [word for word in long if (term := self._term(word[0])) and term.number is None]
        if not unknown:
            return
        # A word of a label of several (`armour class`) is known by the label.
        alone = set(self.tokenize(question))
        for word in [word for word in unknown if alone.issuperset(cut_word(self.tokenize, word[0]))][:WANTED]:
            parts = self._splits.get(word[0])
            if parts is None:
                parts = self._parts(word[0])
                remember(self._splits, word[0], parts, REMEMBERED)
            if parts:
                yield word.start(), word.end(), parts

    def _parts(self, word: str) -> str:
        """The two words that an unknown word is, in a name or else in any text; empty where it is not two."""
        named = self._split(word, self._count_beside)
        return named if named or self.is_english(word.casefold()) else self._split(word, self._count_written)

    def _split(self, word: str, count_chunks: Callable[[str, str], int]) -> str:
        """The two words that a word is, the first of those that most chunks have; empty where it is not two."""
        best, most = "", 0
        for number in range(PART, len(word) - PART + 1):
            count = count_chunks(word[:number], word[number:])
            if count > most:
                best, most = f"{word[:number]} {word[number:]}", count
        return best

    def _joined(self, question: str, written: Sequence[re.Match[str]]) -> Iterator[Change]:
        """The words to put in front of two that are one."""
        joined = []
        for one, other in pairwise(written):
            word = one[0] + other[0]
            if (
                min(len(one[0]), len(other[0])) >= PART
                and WHOLE <= len(word) <= LONGEST
                and _BETWEEN.fullmatch(question[one.end() : other.start()])
                and (term := self._term(word))
                and term.number is not None
            ):
                joined.append((one, other, term))
        for one, other, term in joined[:WANTED]:
            parts = self._term(one[0]), self._term(other[0])
            if all(parts) and self._count_naming(term) and not self._count_beside(one[0], other[0]):
                yield one.start(), one.start(), f"{one[0]}{other[0]} "

    def _term(self, word: str) -> "_Term | None":
        """What a written word is to the index; None where it is a stop word, or not one word of letters."""
        tokens = cut_word(self.tokenize, word)
        if len(tokens) != 1 or not tokens[0].isalpha() or tokens[0] in self.stops:
            return None
        return _Term(tokens[0], self.words.terms.words(tokens)[0])

    def _count_beside(self, one: str, other: str) -> int:
        """How many chunks have both words side by side, or the label that they are, where it names something."""
        if self._term(one) is None or self._term(other) is None:
            return 0
        tokens = cut_word(self.tokenize, f"{one} {other}")
        terms = [_Term(token, number) for token, number in zip(tokens, self.words.terms.words(tokens), strict=True)]
        return self._count_naming(*terms) if len(terms) <= 2 else 0

    def _count_written(self, one: str, other: str) -> int:
        """How many chunks have both words side by side in their prose, or in a cell."""
        terms = [self._term(one), self._term(other)]
        numbers = [term.number for term in terms if term and term.number is not None]
        if len(numbers) < len(terms):
            return 0
        return int(self._naming.containing(self._with_all(numbers), *numbers).sum())

    def _count_naming(self, *terms: "_Term") -> int:
        """How many chunks one word names, or heads, or two side by side."""
        numbers = [term.number for term in terms if term.number is not None]
        if len(numbers) < len(terms):
            return 0
        chunks = self._with_all(numbers)
        names = {" ".join(term.token for term in phrase) for phrase in (terms, terms[::-1])}
        positions = (chunks[self._naming.having(chunks, *numbers)], self._naming.named(*sorted(names)))
        return len(distinct(np.concatenate(positions)))

    def _with_all(self, numbers: Sequence[int]) -> Positions:
        rarest, *others = sorted((self.words.documents[number] for number in numbers), key=len)
        some = rarest[:SCANNED]
        for documents in others:
            some = some[documents[np.minimum(np.searchsorted(documents, some), len(documents) - 1)] == some]
        positions: Positions = some[:COMMON].astype(np.int64)
        return positions


class _Term(NamedTuple):
    token: str
    number: int | None
    """None: the index does not have it."""
