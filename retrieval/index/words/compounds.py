"""Words that a question writes as one and the books as two, or the other way round: `longbow` and `Long Bow`.

A word is split if its parts are adjacent in a row's name or in the heading of a table or passage. Two words are also
searched as one if such a place has the joined word and none has the two. It is not enough that both parts occur
somewhere: `restart` is not `rest art`. It is a guess, so predicates and bound names use the question as it is.

If a word is not English either, its parts may be adjacent in any text: `looptime` is `loop time`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import distinct
from retrieval.files.cache import remember
from retrieval.index.words.field_index import FieldIndex, Words
from retrieval.index.words.lexical_index import WordIndex
from retrieval.index.words.value_index import ValueIndex
from retrieval.language.terms import Tokenizer, cut_word

PART, WHOLE = 3, 6
"""Fewest letters of a part, and of a whole word: shorter ones are adjacent by chance."""
LONGEST = 40
"""Most letters of a word that is split."""
WANTED = 16
"""Most words of one question that are checked, for splitting and for joining."""
SCANNED = 65_536
"""The number of the rarer word's first chunks that are checked for the other word."""
COMMON = 4096
"""The number of the first chunks with both words whose fields are read."""
REMEMBERED = 1024
"""Questions, and words, whose reading is cached, before the cache is cleared."""

_LETTERS = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"\s+|[-\u2010\u2011]")

Positions = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
Change = tuple[int, int, str]
"""Start and end in a question, and the text to insert there."""


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """The words, in order, that name rows and head tables and passages."""

    fields: FieldIndex
    values: ValueIndex
    of: npt.NDArray[np.int32]
    """(n_chunks,) number of each chunk's table or passage."""

    def having(self, chunks: Positions, *words: int) -> Marks:
        """Return whether the key, the caption, a near heading or a column has the adjacent words, (chunks,).

        A key may also begin with them in reverse order (`Bow, long`).
        """
        fields = self.fields
        tables, table_of = np.unique(self.of[chunks].astype(np.int64), return_inverse=True)
        heads = _has(fields.column, tables, words, fields.column_of)
        for texts in (fields.caption, fields.heading, fields.above):
            heads |= _has(texts, tables, words)
        marks: Marks = _has(fields.key, chunks, words) | _begins_with(fields.key, chunks, words[::-1]) | heads[table_of]
        return marks

    def containing(self, chunks: Positions, *words: int) -> Marks:
        """Return whether the prose, or one cell, has the adjacent words, (chunks,)."""
        fields = self.fields
        return _has(fields.passage, chunks, words) | _has(fields.cell, chunks, words, fields.cell_of)

    def named(self, *names: str) -> Positions:
        """Return the chunks of which one of these words, or runs of words, is a whole name."""
        places = [position for position in self.values.values.positions(names) if position is not None]
        spans = [self.values.chunks.span(position) for position in places]
        chunks = [self.values.chunks.items[span][self.values.is_name[span]] for span in spans]
        return distinct(np.concatenate([np.empty(0, dtype=np.int64), *chunks]))


def _has(field: Words, keys: Positions, words: Sequence[int], cell_of: npt.NDArray[np.int16] | None = None) -> Marks:
    """Return whether a list has the one or two words, adjacent and in one cell, (keys,)."""
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
    """Return whether a list begins with the words, (keys,)."""
    begins = field.sizes(keys) >= len(words)
    starts = field.starts[keys[begins]]
    begins[begins] = np.all([field.items[starts + position] == word for position, word in enumerate(words)], axis=0)
    return begins


@dataclass(eq=False)
class Compounds:
    """Rewrites a question with the words of an index: see the module.

    Only the terms are read unless a question has an unknown word, or two words that the index has as one.
    """

    words: WordIndex
    """The chunks that have each word."""
    tokenize: Tokenizer
    """The tokenizer of the index's texts."""
    stops: frozenset[str]
    """Words of a question that are not searched, and so cannot be parts."""
    naming_of: Callable[[], Naming]
    """Returns the words that name rows and tables, when a question first needs them."""
    is_english: Callable[[str], bool]
    """Whether a word in lower case is English, and so may be meant as it is."""
    _questions: dict[str, str] = field(default_factory=dict, repr=False)
    _splits: dict[str, str] = field(default_factory=dict, repr=False)
    """Cached parts by word."""

    def __call__(self, question: str) -> str:
        """Return the question with unknown words split into two, and with the joined word before two that form one."""
        known = self._questions.get(question)
        if known is None:
            known = self._put(question)
            remember(self._questions, question, known, REMEMBERED)
        return known

    @cached_property
    def _naming(self) -> Naming:
        return self.naming_of()

    def _put(self, question: str) -> str:
        written = list(_LETTERS.finditer(question))
        pieces, done = [], 0
        for start, stop, text in sorted([*self._joined(question, written), *self._apart(question, written)]):
            pieces += [question[done:start], text]
            done = stop
        return "".join([*pieces, question[done:]])

    def _apart(self, question: str, written: Sequence[re.Match[str]]) -> Iterator[Change]:
        """Yield changes that split unknown words into two."""
        long = [word for word in written if WHOLE <= len(word[0]) <= LONGEST]
        unknown = [word for word in long if (term := self._term(word[0])) and term.number is None]
        if not unknown:
            return
        # A word of a label with several words (`armour class`) is known by the label.
        alone = set(self.tokenize(question))
        for word in [word for word in unknown if alone.issuperset(cut_word(self.tokenize, word[0]))][:WANTED]:
            parts = self._splits.get(word[0])
            if parts is None:
                parts = self._parts(word[0])
                remember(self._splits, word[0], parts, REMEMBERED)
            if parts:
                yield word.start(), word.end(), parts

    def _parts(self, word: str) -> str:
        """Return the two words that form an unknown word, adjacent in a name or else in any text; empty if none do."""
        named = self._split(word, self._count_beside)
        return named if named or self.is_english(word.casefold()) else self._split(word, self._count_written)

    def _split(self, word: str, count_chunks: Callable[[str, str], int]) -> str:
        """Return the split of a word that most chunks have, the first of equals; empty if none has one."""
        best, most = "", 0
        for number in range(PART, len(word) - PART + 1):
            count = count_chunks(word[:number], word[number:])
            if count > most:
                best, most = f"{word[:number]} {word[number:]}", count
        return best

    def _joined(self, question: str, written: Sequence[re.Match[str]]) -> Iterator[Change]:
        """Yield changes that insert the joined word before two words."""
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
        """Return a written word as a term; None if it is a stop word, or not a single word of letters."""
        tokens = cut_word(self.tokenize, word)
        if len(tokens) != 1 or not tokens[0].isalpha() or tokens[0] in self.stops:
            return None
        return _Term(tokens[0], self.words.terms.words(tokens)[0])

    def _count_beside(self, one: str, other: str) -> int:
        """Return how many chunks have both words adjacent, or the label that they form, in a name or heading."""
        if self._term(one) is None or self._term(other) is None:
            return 0
        tokens = cut_word(self.tokenize, f"{one} {other}")
        terms = [_Term(token, number) for token, number in zip(tokens, self.words.terms.words(tokens), strict=True)]
        return self._count_naming(*terms) if len(terms) <= 2 else 0

    def _count_written(self, one: str, other: str) -> int:
        """Return how many chunks have both words adjacent in their prose or in a cell."""
        terms = [self._term(one), self._term(other)]
        numbers = [term.number for term in terms if term and term.number is not None]
        if len(numbers) < len(terms):
            return 0
        return int(self._naming.containing(self._with_all(numbers), *numbers).sum())

    def _count_naming(self, *terms: "_Term") -> int:
        """Return how many chunks have a word, or two adjacent ones, in a name or heading."""
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
    """None if the index does not have it."""
