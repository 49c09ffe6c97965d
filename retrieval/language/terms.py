"""The terms of the lexical index: what is indexed and what is asked go through the same function.

They are the tokens of canonical text (signs, dice, fractions and decimals stay whole, `7th` and `seven` meet `7`,
plurals meet their singular) without binding: a bag of words has no order that a label could bind across. So
`7th level` and `level 7`, `armour class 6`, `A.C. 6` and `AC6`, `-2` and `−2` are the same bags. Times, dates and
versions are cut into their figures.

Canonical text itself as tokens was tried on three real books: the same quality within two hundredths of MRR, at five
times the cost.
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
"""Tokenizers kept: every snapshot that is opened brings a vocabulary of its own, and a server opens them for months."""
_ENGLISH = Stemmer.Stemmer("english", 0)


@dataclass(frozen=True, slots=True)
class Tokenization:
    """What is done to a token beyond canonical spelling; part of a snapshot.

    The evals chose both. BM25's nDCG@10 on the open splits, without either, with stems, and with both: Cranfield
    0.355, 0.377, 0.389; SciFact 0.683, 0.697, 0.700; three rulebooks 0.758, 0.757, 0.762; rows of WikiTableQuestions
    0.479, 0.480, 0.569. With stop words out of the texts too, the rulebooks fall to 0.737: prose gets shorter by them
    and rows do not.
    """

    stem: bool = True
    """Snowball's English stems: `charging` meets `charge`."""
    stop: bool = True
    """A question's stop words score nothing, unless it has no other words. Texts keep theirs."""
    irregular: bool = True
    """The plurals that the vocabulary lists: `thieves` meets `thief`."""
    numbers: bool = True
    """A number that is spelled meets its figure: `table nine` and `Table 9`. Not `one`, who is anybody, and no ordinal.

    Of 609 look-ups and 136 rules that people asked of 21 books the first hit answered 450 and 90 without, 461 and 89
    with it; 462 and 88 with `one` too, 460 and 89 with ordinals.
    """
    identifiers: bool = True
    """An identifier is also a token as a whole: `c5d.xlarge` tells from `c5d.2xlarge`, which has the same parts."""


TOKENIZATION = Tokenization()

Tokenize = Callable[[str], Sequence[str]]


def tokens(text: str) -> list[str]:
    """Tokens of a text in order, with repetitions, in the generic vocabulary.

    A number glued to a letter by a minus (`AC-2`, `level-3`) is both, the signed and the plain number: only the
    label would say which, and a bag of words does not know its labels.
    """
    return tokenizer(Vocabulary.default())(text)


@dataclass(frozen=True, slots=True, eq=False)
class Tokenizer:
    """Cuts texts as one vocabulary and one `Tokenization` say. Two of one `identity` cut every text alike."""

    identity: str
    """SHA-256 of the vocabulary's JSON and of the tokenization."""
    stem: bool
    identifiers: bool
    fold: Callable[[str], str]
    """A word of letters as the form that it shares with its plural, or as the figure that it spells."""
    phrases: Mapping[str, Sequence[tuple[list[str], list[str]]]]
    """Ways to say a label or an alias and the words it becomes, longest first, by their first word."""

    def __call__(self, text: str) -> list[str]:
        """Tokens of a text in order, with repetitions."""
        words = _folded(_words(text, self.fold), self.phrases)
        parts = [_stem(word) for word in words] if self.stem else words
        return [*parts, *identifier_keys(text)] if self.identifiers else parts


@lru_cache(maxsize=_KEPT)
def tokenizer(vocabulary: Vocabulary, how: Tokenization = TOKENIZATION) -> Tokenizer:
    """The tokenizer of a vocabulary: its labels and aliases are said in one way (`armour class`, `A.C.` -> `ac`)."""
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
    # In the order of the file: where two labels have one form, the first has it.
    described = json.dumps([vocabulary.to_json(), asdict(how)])
    return Tokenizer(sha256(described.encode()).hexdigest(), how.stem, how.identifiers, fold, phrases)


def cut_identity(tokenize: Tokenize) -> str:
    """What a tokenizer of ours is identified by; empty for any other function."""
    if tokenize is tokens:
        tokenize = tokenizer(Vocabulary.default())
    return tokenize.identity if isinstance(tokenize, Tokenizer) else ""


@lru_cache(maxsize=_KEPT)
def stop_words(vocabulary: Vocabulary, how: Tokenization = TOKENIZATION) -> frozenset[str]:
    """What is not looked for, as `tokenizer` cuts it."""
    tokenize = tokenizer(vocabulary, how)
    return frozenset(stop for word in word_list("stop") for stop in tokenize(word)) if how.stop else frozenset()


def question_tokenizer(vocabulary: Vocabulary, how: Tokenization = TOKENIZATION) -> Callable[[str], list[str]]:
    """What of a question is looked for: its tokens as `tokenizer` cuts them, without stop words."""
    tokenize, stops = tokenizer(vocabulary, how), stop_words(vocabulary, how)

    def looked_for(text: str) -> list[str]:
        terms = tokenize(text)
        return [word for word in terms if word not in stops] or terms

    return looked_for


@lru_cache(maxsize=1 << 14)
def cut_word(tokenize: Tokenize, word: str) -> Sequence[str]:
    """What a tokenizer cuts a word into, without identifiers. Questions repeat their words."""
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
    """The words and figures of a text; what canonical text keeps whole without a value (times, dates) is cut."""
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
