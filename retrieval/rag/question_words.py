"""The words of a question and of a passage, and what the passage does not say."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.language.english import word_set, word_sets
from retrieval.rag.cells import WORD, AnswerKind, answer_kind
from retrieval.rag.relevance import is_everywhere, subject_of
from retrieval.types import Chunk

_SPECIFIC = re.compile(r"(?<![\w.])(?=\w*[\d_A-Z])\w+(?:[._/-]\w+)*")
_PLAIN_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:st|nd|rd|th)?")
_SEPARATORS = re.compile(r"[\W_]+")
_POLAR = re.compile(
    r"^\s*(?:is|are|am|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b"
    r"|[,;]\s*(?:ok|right|allowed|possible)\?",
    re.IGNORECASE,
)
MORE, LESS = word_set("more"), word_set("less")
CHOICE = re.compile(r"\bor\b", re.IGNORECASE)
_COMPARING = word_sets("comparisons")["comparing"] | MORE | LESS | word_set("function")
_HOW = re.compile(r"\bhow (\w+)")
_COUNTS = re.compile(
    r"\bhow (?:many|much|long|far|high|often|old|big|large|fast|deep|wide|heavy|tall)\b", re.IGNORECASE
)


def is_polar(question: str) -> bool:
    """Whether a question wants yes or no."""
    return bool(_POLAR.search(question))


@dataclass(frozen=True)
class QuestionWords:
    """A question, as it is compared with passages."""

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
    indexed_text: str
    """The question with its compounds and misspelt words in the words of the library."""
    tokenize: Callable[[str], Sequence[str]]
    """Of the index."""

    @classmethod
    def of(cls, question: str, snapshot: Snapshot) -> "QuestionWords":
        """Read a question as the index of a snapshot does."""
        spelt = snapshot.spelling(question)
        tokenize = snapshot.lexical.tokenize
        indexed_text = snapshot.lexical.in_index_words(spelt)
        # Of compounds the parts, of identifiers those that the index has: `BitLocker` is said where `Bitlocker` is.
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
        """Its words as the index cuts them, together."""
        return frozenset(self._weight_of)

    @cached_property
    def _weight_of(self) -> dict[str, float]:
        return {token: weight for cut, weight in zip(self.tokens, self.weights, strict=True) for token in cut}

    def weight(self, tokens: frozenset[str]) -> float:
        """How rare some of its words are, together."""
        return sum(self._weight_of[token] for token in sorted(tokens))


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

    tokens: frozenset[str]
    """Words of its book, document, headings, heads of columns and cells, or of its prose, as the index cuts them."""
    folded: str
    """All of that as written, in lower case and with one blank for what is no letter and no figure."""

    @classmethod
    def of(cls, chunk: Chunk, snapshot: Snapshot) -> "PassageWords":
        """Read a chunk as the index of its snapshot does."""
        stated = " ".join((chunk.search_text, chunk.title, *chunk.names, *chunk.searched_as))
        location = f"{chunk.book} {chunk.document}"
        tokenize = snapshot.lexical.tokenize
        return cls(
            frozenset(tokenize(stated)) | frozenset(tokenize(_SEPARATORS.sub(" ", location))),
            f" {_SEPARATORS.sub(' ', f'{location} {stated}'.casefold())} ",
        )

    def covers(self, word: frozenset[str]) -> bool:
        """Whether it has a word of the question, which is given as the index cuts it."""
        return not word.isdisjoint(self.tokens)

    def has(self, name: str) -> bool:
        """Whether it has a name or a code, however its parts are joined."""
        folded = _SEPARATORS.sub(" ", name.casefold()).strip()
        return f" {folded} " in self.folded or f" {folded}s " in self.folded

    def cover(self, question: QuestionWords) -> float:
        """Share of the question's words that it has, by rarity, 0 to 1; 1 for a question without words."""
        total = sum(question.weights)
        had = sum(weight for cut, weight in zip(question.tokens, question.weights, strict=True) if self.covers(cut))
        return had / total if total else 1.0

    def named(self, question: QuestionWords) -> float:
        """Share of the question's names and codes that it has, 0 to 1; 1 for a question without them."""
        return sum(map(self.has, question.specific)) / len(question.specific) if question.specific else 1.0

    def missing(self, question: QuestionWords) -> tuple[str, ...]:
        """Words of the question that it does not have, neither alone nor in a phrase, the rarest first.

        The `long` of `how long` is none, nor is what only compares: `difference`, `heavier`.
        """
        asking = _COMPARING | {match[1] for match in _HOW.finditer(question.text.casefold())}
        left = [
            (weight, word)
            for word, cut, weight in zip(question.words, question.tokens, question.weights, strict=True)
            if not self.covers(cut) and not self.has(word) and word.casefold() not in asking
        ]
        return tuple(word for _, word in sorted(left, key=lambda pair: -pair[0]))
