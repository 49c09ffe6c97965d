"""The words of a question and of a passage, and the words that the passage lacks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from unicodedata import normalize

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.language.english import word_set, word_sets
from retrieval.language.identifiers import identifiers
from retrieval.language.numbers.columns import figure_of_cell
from retrieval.language.numbers.quantity import Quantity, holds, singular
from retrieval.language.numbers.reading import quantities
from retrieval.rag.cells import WORD, AnswerKind, answer_kind
from retrieval.rag.relevance import is_everywhere, subject_of
from retrieval.types import Chunk

_SPECIFIC = re.compile(r"(?<![\w.])(?=\w*[\d_A-Z])\w+(?:[._/-]\w+)*")
_PLAIN_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:st|nd|rd|th)?")
_SEPARATORS = re.compile(r"[\W_]+")
_DIGITS_BESIDE_LETTERS = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
"""Where `UN1824` may have a blank."""
_LETTERS = re.compile(r"[^\W\d_]+")
_POLAR = re.compile(
    r"^\s*(?:is|are|am|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b"
    r"|[,;]\s*(?:ok|right|allowed|possible)\?",
    re.IGNORECASE,
)
MORE, LESS = word_set("more"), word_set("less")
CHOICE = re.compile(r"\bor\b", re.IGNORECASE)
_COMPARING = word_sets("comparisons")["comparing"] | MORE | LESS | word_set("function")
_AGES = word_set("ages")
_HOW = re.compile(r"\bhow (\w+)")
_COUNTS = re.compile(
    r"\bhow (?:many|much|long|far|high|often|old|big|large|fast|deep|wide|heavy|tall)\b", re.IGNORECASE
)


def is_polar(question: str) -> bool:
    """Whether a question is a yes-or-no question."""
    return bool(_POLAR.search(question))


@dataclass(frozen=True)
class QuestionWords:
    """A question, prepared for comparison with passages."""

    text: str
    words: tuple[str, ...]
    """Its words as written, each once, without words that occur in any question."""
    tokens: tuple[frozenset[str], ...]
    """The index tokens of each word."""
    weights: tuple[float, ...]
    """How rare each word is in the library."""
    specific: tuple[str, ...]
    """Names, codes and identifiers: words that contain a digit, `_`, or a capital that does not begin the question."""
    kind: AnswerKind
    is_polar: bool
    """Whether it is a yes-or-no question."""
    wants_number: bool
    indexed_text: str
    """The question with its compounds and misspelt words replaced by words of the library."""
    tokenize: Callable[[str], Sequence[str]]
    """The tokenizer of the index."""

    @classmethod
    def of(cls, question: str, snapshot: Snapshot) -> "QuestionWords":
        """Read a question as the index of a snapshot does."""
        spelt = snapshot.spelling(question)
        tokenize = snapshot.lexical.tokenize
        indexed_text = snapshot.lexical.in_index_words(spelt)
        # Compounds are split into their parts, identifiers into those of the index: `BitLocker` matches `Bitlocker`.
        terms = {
            word: frozenset(snapshot.lexical.read(word)) for word in dict.fromkeys(WORD.findall(subject_of(spelt)))
        }
        words = tuple(word for word, cut in terms.items() if cut and not is_everywhere(word.casefold()))
        kind = answer_kind(indexed_text, tokenize)
        return cls(
            text=question,
            words=words,
            tokens=tuple(terms[word] for word in words),
            weights=tuple(_rarity(snapshot, terms[word]) for word in words),
            specific=_specific_words(spelt),
            kind=kind,
            is_polar=is_polar(question),
            wants_number=kind.number or bool(kind.measures) or bool(_COUNTS.search(question)),
            indexed_text=indexed_text,
            tokenize=tokenize,
        )

    @cached_property
    def all_tokens(self) -> frozenset[str]:
        """The index tokens of all words."""
        return frozenset(self._weight_of)

    @cached_property
    def _weight_of(self) -> dict[str, float]:
        return {token: weight for cut, weight in zip(self.tokens, self.weights, strict=True) for token in cut}

    @cached_property
    def quantities(self) -> tuple[tuple[frozenset[str], Quantity], ...]:
        """Its quantities, each with its words: `3 year old`."""
        return tuple(
            (
                frozenset(WORD.findall(quantity.text)) | _AGES.intersection(_first_word(self.text, quantity.end)),
                quantity,
            )
            for quantity in quantities(self.text)
        )

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """Its identifiers and their parts that are names, as written, each once."""
        return tuple(dict.fromkeys(identifiers(self.text)))

    def weight(self, tokens: frozenset[str]) -> float:
        """Return how rare some of its words are together."""
        return sum(self._weight_of[token] for token in sorted(tokens))


def _rarity(snapshot: Snapshot, tokens: frozenset[str]) -> float:
    positions = list(snapshot.lexical.terms.words(sorted(tokens)))
    return max(float(snapshot.rarity[-1 if position is None else position]) for position in positions)


def _specific_words(question: str) -> tuple[str, ...]:
    """Return the words of a question that name one thing instead of a kind of thing.

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
    """A passage, prepared for comparison with questions."""

    tokens: frozenset[str]
    """Index tokens of its book, document, headings, column heads and cells, or of its prose."""
    folded: str
    """All of that as written, in lower case, with one space for each run of characters other than letters and
    digits; `₂` is `2`."""
    key: Quantity | None = None
    """The number or the range that is the key of a row."""

    @classmethod
    def of(cls, chunk: Chunk, snapshot: Snapshot) -> "PassageWords":
        """Read a chunk as the index of its snapshot does."""
        cells = zip(chunk.cells, chunk.columns, strict=False)
        column = next((column for cell, column in cells if cell == chunk.row_key), None)
        stated = " ".join((chunk.search_text, chunk.title, *chunk.names, *chunk.searched_as))
        location = f"{chunk.book} {chunk.document}"
        tokenize = snapshot.lexical.tokenize
        return cls(
            frozenset(tokenize(stated)) | frozenset(tokenize(_SEPARATORS.sub(" ", location))),
            f" {_folded(f'{location} {stated}')} ",
            None if column is None else figure_of_cell(chunk.row_key or "", column, is_key=True),
        )

    def covers(self, word: frozenset[str]) -> bool:
        """Whether it contains a word of the question, given as its index tokens."""
        return not word.isdisjoint(self.tokens)

    def has(self, name: str) -> bool:
        """Whether it contains a name or a code, however its parts are joined."""
        folded = _folded(name).strip()
        apart = _DIGITS_BESIDE_LETTERS.sub(" ", folded)
        return any(f" {words} " in self.folded for words in (folded, f"{folded}s", apart))

    def cover(self, question: QuestionWords) -> float:
        """Return the share of the question's words that it contains, weighted by rarity, 0 to 1; 1 for a question
        without words."""
        total = sum(question.weights)
        words = zip(question.words, question.tokens, question.weights, strict=True)
        had = sum(weight for word, cut, weight in words if self.covers(cut) or self._holds(word, question))
        return had / total if total else 1.0

    def _holds(self, word: str, question: QuestionWords) -> bool:
        """Whether a word is of a number that is within the key of the row: `350` for `201–400`."""
        key = self.key
        return key is not None and any(word in words and holds(key, figure) for words, figure in question.quantities)

    def named(self, question: QuestionWords) -> float:
        """Return the share of the question's names and codes that it contains, 0 to 1; 1 for a question without
        them."""
        return sum(map(self.has, question.specific)) / len(question.specific) if question.specific else 1.0

    def missing(self, question: QuestionWords) -> tuple[str, ...]:
        """Return the words of the question that it lacks, both alone and in a phrase, rarest first, after identifiers
        that it lacks although it may have their parts: `http_reqs` beside `http_req_duration`.

        The `long` of `how long` is not included, nor are words that only compare: `difference`, `heavier`.
        """
        names = tuple(name for name in question.identifiers if not self.has(name))
        asking = _COMPARING | {match[1] for match in _HOW.finditer(question.text.casefold())}
        left = [
            (weight, word)
            for word, cut, weight in zip(question.words, question.tokens, question.weights, strict=True)
            if not (self.covers(cut) or self.has(word) or self._holds(word, question)) and word.casefold() not in asking
        ]
        within = frozenset(part for name in names for part in WORD.findall(name))
        return (*names, *(word for _, word in sorted(left, key=lambda pair: -pair[0]) if word not in within))


def _first_word(text: str, start: int) -> list[str]:
    return WORD.findall(text[start:])[:1]


def _folded(text: str) -> str:
    return _SEPARATORS.sub(" ", normalize("NFKC", text).casefold())


def contradicts_number(question: str, chunk: Chunk) -> bool:
    """Whether a row has another number where the question has one under the same label: `Berth: 2` for `berth 4`.

    A row that also has the number itself, in its title or in another such cell, does not contradict it, nor does one
    with any of several such numbers.
    """
    if not chunk.cells:
        return False
    wanted: dict[str, list[Quantity]] = {}
    for quantity in quantities(question):
        if quantity.label:
            wanted.setdefault(quantity.label, []).append(quantity)
    return any(_contradicts(chunk, label, same) for label, same in wanted.items())


def _contradicts(chunk: Chunk, label: str, wanted: Sequence[Quantity]) -> bool:
    """Whether a row has numbers under this label, and none of the wanted ones.

    The label is in the name of the key's column, or it is the whole name of another one: a ship with a draught of 3 m
    may lie at a berth with `Max. draught: 4 m`.
    """
    cells = []
    for column, cell in zip(chunk.columns, chunk.cells, strict=True):
        is_key = cell == chunk.row_key
        nouns = [singular(word) for word in _LETTERS.findall(column.lower())]
        if label in nouns and (is_key or len(nouns) == 1) and not quantities(column):
            cells.append(figure_of_cell(cell, column, is_key=is_key))
    figures = [figure for figure in cells if figure]
    named = (*chunk.heading_path, chunk.caption or "", chunk.title, *chunk.columns, *chunk.cells)
    others = (quantity for text in named for quantity in quantities(text) if label in {quantity.label, quantity.unit})
    own = (*figures, *others)
    return bool(figures) and not any(holds(figure, quantity) for figure in own for quantity in wanted)
