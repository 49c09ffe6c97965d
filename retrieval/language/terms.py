"""The terms of the lexical index, which are the same for texts and questions.

They are the tokens of canonical text (signs, dice, fractions and decimals are kept whole, `7th` and `seven` match `7`,
plurals match their singular) without binding, because a bag of words has no order. So `7th level` and `level 7`,
`armour class 6`, `A.C. 6` and `AC6`, `-2` and `−2` are the same bags. Times, dates and versions are split into their
numbers.

Canonical text itself as tokens was tried on three real books: the quality was the same within two hundredths of MRR, at
five times the cost.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from hashlib import sha256

import Stemmer

from retrieval.language.english import word_list
from retrieval.language.identifiers import MARK, identifier_keys
from retrieval.language.lexicon import singular
from retrieval.language.tokens import tokenize
from retrieval.language.vocabulary import Vocabulary

_KEPT = 16
"""Cached tokenizers: every opened snapshot has its own vocabulary, and a server opens snapshots for months."""
_ENGLISH = Stemmer.Stemmer("english", 0)


@dataclass(frozen=True, slots=True)
class Tokenization:
    """Settings for processing tokens beyond canonical spelling; part of a snapshot.

    The evals chose both. BM25's nDCG@10 on the open splits, without either, with stems, and with both: Cranfield
    0.355, 0.377, 0.389; SciFact 0.683, 0.697, 0.700; three rulebooks 0.758, 0.757, 0.762; rows of WikiTableQuestions
    0.479, 0.480, 0.569. If stop words are also removed from texts, the rulebooks fall to 0.737, because prose gets
    shorter but rows do not.
    """

    stem: bool = True
    """Snowball's English stems: `charging` matches `charge`."""
    stop: bool = True
    """Whether a question's stop words are ignored, unless it has no other words. Texts keep theirs."""
    irregular: bool = True
    """The plurals that the vocabulary lists: `thieves` matches `thief`."""
    numbers: bool = True
    """Whether number words match digits (`table nine`, `Table 9`), except `one`, often a pronoun, and ordinals.

    Of 609 look-ups and 136 rules that people asked of 21 books, the first hit answered 450 and 90 without, 461 and 89
    with it; 462 and 88 also with `one`, 460 and 89 with ordinals.
    """
    identifiers: bool = True
    """Whether an identifier is also a token as a whole, to distinguish `c5d.xlarge` from `c5d.2xlarge`."""


TOKENIZATION = Tokenization()

Tokenize = Callable[[str], Sequence[str]]


def tokens(text: str) -> list[str]:
    """Return the tokens of a text in order, with repetitions, in the generic vocabulary.

    A number joined to a letter by a minus (`AC-2`, `level-3`) gives both the signed and the plain number, because a
    bag of words has no labels that would decide.
    """
    return tokenizer(Vocabulary.default())(text)


@dataclass(frozen=True, slots=True, eq=False)
class Tokenizer:
    """Tokenizes texts by a vocabulary and a `Tokenization`. Two with the same `identity` give the same tokens."""

    identity: str
    """SHA-256 of the vocabulary's JSON and of the tokenization."""
    stem: bool
    identifiers: bool
    fold: Callable[[str], str]
    """Returns the form that a word of letters shares with its plural, or the digits of a number word."""
    phrases: Mapping[str, Sequence[tuple[list[str], list[str]]]]
    """Forms of labels and aliases with their replacement, longest first, by their first word."""

    def __call__(self, text: str) -> list[str]:
        """Return the tokens of a text in order, with repetitions."""
        words = _folded(_words(text, self.fold), self.phrases)
        parts = [_stem(word) for word in words] if self.stem else words
        return [*parts, *identifier_keys(text)] if self.identifiers else parts


@lru_cache(maxsize=_KEPT)
def tokenizer(vocabulary: Vocabulary, how: Tokenization = TOKENIZATION) -> Tokenizer:
    """Return a vocabulary's tokenizer, which gives labels and aliases one form (`armour class`, `A.C.` -> `ac`)."""
    phrases: dict[str, list[tuple[list[str], list[str]]]] = {}
    terms = [(form, label.name) for label in vocabulary.labels for form in label.forms]
    plurals = vocabulary.plurals if how.irregular else {}
    fold = partial(_singular, {**plurals, **(_figures(vocabulary) if how.numbers else {})})
    for form, name in (*terms, *vocabulary.aliases.items()):
        parts, replacement = _words(form, fold), _words(name, fold)
        if parts and parts != replacement:
            phrases.setdefault(parts[0], []).append((parts, replacement))
    for forms in phrases.values():
        forms.sort(key=lambda form: -len(form[0]))
    # In the order of the file, because the first of two labels with the same form takes it.
    described = json.dumps([vocabulary.to_json(), asdict(how)])
    return Tokenizer(sha256(described.encode()).hexdigest(), how.stem, how.identifiers, fold, phrases)


def cut_identity(tokenize: Tokenize) -> str:
    """Return the identity of one of our tokenizers; empty for any other function."""
    if tokenize is tokens:
        tokenize = tokenizer(Vocabulary.default())
    return tokenize.identity if isinstance(tokenize, Tokenizer) else ""


@lru_cache(maxsize=_KEPT)
def stop_words(vocabulary: Vocabulary, how: Tokenization = TOKENIZATION) -> frozenset[str]:
    """Return the tokens that are not searched."""
    tokenize = tokenizer(vocabulary, how)
    return frozenset(stop for word in word_list("stop") for stop in tokenize(word)) if how.stop else frozenset()


def question_tokenizer(vocabulary: Vocabulary, how: Tokenization = TOKENIZATION) -> Callable[[str], list[str]]:
    """Return a function that gives the searched tokens of a question: those of `tokenizer` without stop words."""
    tokenize, stops = tokenizer(vocabulary, how), stop_words(vocabulary, how)

    def looked_for(text: str) -> list[str]:
        terms = tokenize(text)
        return [word for word in terms if word not in stops] or terms

    return looked_for


@lru_cache(maxsize=1 << 14)
def cut_word(tokenize: Tokenize, word: str) -> Sequence[str]:
    """Return the tokens of a word, without identifiers, cached because questions share words."""
    return tuple(token for token in tokenize(word) if not token.startswith(MARK))


def _folded(words: list[str], phrases: Mapping[str, Sequence[tuple[list[str], list[str]]]]) -> list[str]:
    if phrases.keys().isdisjoint(words):
        return words
    folded: list[str] = []
    position = 0
    while position < len(words):
        for parts, replacement in phrases.get(words[position], ()):
            if words[position : position + len(parts)] == parts:
                folded += replacement
                position += len(parts)
                break
        else:
            folded.append(words[position])
            position += 1
    return folded


def _words(text: str, fold: Callable[[str], str]) -> list[str]:
    """Return the words and numbers of a text; whole tokens without a value (times, dates) are split."""
    words: list[str] = []
    for token in tokenize(text):
        if token.kind == "word":
            words.append(fold(token.text))
        elif token.kind == "number" and token.glue == "hyphen":
            words += (f"-{token.text}", token.text)
        elif token.kind in ("number", "ordinal"):
            words.append(token.text[:-2] if token.ordinal else token.text)
        elif token.kind == "whole":
            words += token.parts
    return words


def _figures(vocabulary: Vocabulary) -> dict[str, str]:
    return {word: str(number) for word, number in vocabulary.cardinals.items() if number > 1}


def _singular(forms: Mapping[str, str], word: str) -> str:
    plain = word.removesuffix("'s").replace("'", "")
    return forms[plain] if plain in forms else _regular(plain)


@lru_cache(maxsize=1 << 17)
def _regular(word: str) -> str:
    return singular(word, {})


@lru_cache(maxsize=1 << 17)
def _stem(word: str) -> str:
    return str(_ENGLISH.stemWord(word)) if word.isalpha() else word
