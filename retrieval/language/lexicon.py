"""Look-up tables of a vocabulary: phrases, plurals, words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Literal, NamedTuple

from retrieval.language.tokens import Token, tokenize

_SILENT = ("che", "she", "sse", "xe", "oe", "use")
_SHORTEST = 4
"""Fewest letters of a word that may have a plural ending, to leave `gas`, `wis` and `his` unchanged."""


def singular(word: str, irregular: Mapping[str, str]) -> str:
    """Return the form that a lower-case word shares with its plural; `irregular` plurals take precedence."""
    if word in irregular:
        return irregular[word]
    if len(word) >= _SHORTEST and word[-1] == "s" and word[-2:] not in ("ss", "us", "is"):
        word = word[:-1]
    if len(word) >= _SHORTEST and word.endswith("ie"):
        return word[:-2] + "y"
    if len(word) >= _SHORTEST and word.endswith(_SILENT):
        return word[:-1]
    return word


Way = Literal["higher", "lower", ""]
"""The direction in which a label's values get better; empty if undecided."""


@dataclass(frozen=True, slots=True)
class Label:
    """A word that takes a number: `ac`, `level`, `section`. Key: name, its canonical form."""

    name: str
    forms: tuple[str, ...] = ()
    """Other names; one that ends in a dot may be written with or without it."""
    negative: bool = False
    """Whether its numbers may be negative, so that `AC-2` is read in both ways."""
    counted: bool = False
    """Whether a plain number before it is a count (`3 chapters`)."""
    implied: bool = False
    """Whether a bare number after the subject of a table belongs to this label: `cleric 10`."""
    fractions: bool = False
    """Whether `1/4` beside it is only a fraction; beside other labels, `7/8` may also be a list."""
    better: Way = ""
    written: str = ""
    """The full name, for column headings; empty if it has no abbreviation."""


@dataclass(frozen=True, eq=False)
class Words:
    """All words on which canonical text depends. A library's own words are a `Vocabulary`."""

    labels: tuple[Label, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    counted_nouns: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    value_words: tuple[str, ...] = ()
    """Words like `score`, which are part of a preceding label that is not counted."""
    bridges: tuple[str, ...] = ()
    connectives: tuple[str, ...] = ()
    range_words: tuple[str, ...] = ()
    list_words: tuple[str, ...] = ()
    minus_words: tuple[str, ...] = ()
    opposing_words: tuple[str, ...] = ()
    """Words between two things that a question sets against each other."""
    opponent_words: tuple[str, ...] = ()
    """Words in a column name that mean that its values are the opponent's."""
    holding_words: tuple[str, ...] = ()
    """Words of comparison, steps or negation, with which a question may ask for a row other than the named one."""
    idle_words: tuple[str, ...] = ()
    """Words of a question that do not describe what is asked, so that no row needs to have them."""
    plurals: Mapping[str, str] = field(default_factory=dict)
    cardinals: Mapping[str, int] = field(default_factory=dict)
    ordinals: Mapping[str, int] = field(default_factory=dict)
    bounds_before: Mapping[str, str] = field(default_factory=dict)
    bounds_after: Mapping[str, str] = field(default_factory=dict)


_TENS = 20
_WORDS_REMEMBERED = 1 << 14
_TEXTS_REMEMBERED = 1 << 12


class Phrase(NamedTuple):
    """Words that mean a label or are replaced by other words; `words` are folded."""

    words: tuple[str, ...]
    label: str
    replacement: str


class SpokenPhrases:
    """Phrases, each with a direction, found by their first or last word; the longest match is returned."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        spoken = [(tuple(map(_spoken, tokenize(text))), way) for text, way in phrases.items()]
        for words, way in sorted(spoken, key=lambda pair: (-len(pair[0]), pair[0])):
            self._by_first.setdefault(words[0], []).append((words, way))
            self._by_last.setdefault(words[-1], []).append((words, way))

    def starting(self, tokens: Sequence[Token], at: int) -> tuple[int, str]:
        """Return the length and direction of the phrase that begins at a token; (0, "") if there is none."""
        if not 0 <= at < len(tokens):
            return 0, ""
        for words, way in self._by_first.get(_spoken(tokens[at]), ()):
            if tuple(map(_spoken, tokens[at : at + len(words)])) == words:
                return len(words), way
        return 0, ""

    def ending(self, tokens: Sequence[Token], before: int) -> tuple[int, str]:
        """Return the length and direction of the phrase that ends before a token; (0, "") if there is none."""
        if before < 1:
            return 0, ""
        for words, way in self._by_last.get(_spoken(tokens[before - 1]), ()):
            if tuple(map(_spoken, tokens[max(before - len(words), 0) : before])) == words:
                return len(words), way
        return 0, ""


class Lexicon:
    """Look-up tables of one vocabulary, immutable except for a cache of folded words."""

    def __init__(self, vocabulary: Words) -> None:
        irregular = {**_short_plurals(vocabulary), **vocabulary.plurals}
        # Both caches are bounded, because the words come from the users of a server.
        self.fold: Callable[[str], str] = lru_cache(_WORDS_REMEMBERED)(partial(singular, irregular=irregular))
        """Returns the form that a word shares with its plural."""
        self.label: Callable[[str], Label | None] = lru_cache(_TEXTS_REMEMBERED)(self._label)
        """Returns the label that a whole text is, or None; cached because predicates repeat few labels."""
        self.labels: dict[str, Label] = {label.name: label for label in vocabulary.labels}
        self.dotted: set[str] = set()
        """Folded forms after which a dot may come before the number: `lvl`, `sec`."""
        self._phrases: dict[str, tuple[Phrase, ...]] = {}
        self.value_words = frozenset(self.fold(word) for word in vocabulary.value_words)
        self.connectives = frozenset(vocabulary.connectives)
        self.range_words = frozenset(vocabulary.range_words)
        self.list_words = frozenset(vocabulary.list_words)
        self.minus_words = frozenset(vocabulary.minus_words)
        self.units = frozenset(self.fold(word) for word in vocabulary.units)
        self.counted = frozenset(self.fold(word) for word in vocabulary.counted_nouns)
        self._number_words = _number_words(vocabulary)
        self.bridges = SpokenPhrases(dict.fromkeys(vocabulary.bridges, ""))
        self.bounds_before = SpokenPhrases(vocabulary.bounds_before)
        self.bounds_after = SpokenPhrases(vocabulary.bounds_after)
        self._collect_phrases(vocabulary)
        self.tails = {name: self._tail_labels(name) for name in self.labels}
        """Shorter labels at the end of each label's name: `spell level 3` also means `level 3`."""

    def _label(self, text: str) -> Label | None:
        tokens = self.mark_phrases(tokenize(text))
        return self.labels[tokens[0].text] if len(tokens) == 1 and tokens[0].kind == "label" else None

    def mark_phrases(self, tokens: Sequence[Token]) -> list[Token]:
        """Return tokens with words folded, labels marked, aliases replaced, and number words as `spelled`."""
        marked: list[Token] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            phrase = self._phrase_at(tokens, at) if token.kind == "word" else None
            if phrase is not None:
                marked.extend(_say(phrase, tokens[at + len(phrase.words) - 1].raw))
                at += len(phrase.words)
            elif token.kind == "word" and token.text in self._number_words:
                spelled, at = self._number_word(tokens, at)
                self._add_number(marked, spelled)
            elif token.kind == "word":
                self._add_word(marked, token)
                at += 1
            else:
                self._add_number(marked, token)
                at += 1
                if token.text == ")":
                    _drop_repeated_label(marked)
        return marked

    def _add_word(self, marked: list[Token], token: Token) -> None:
        """Add a folded word; `score` in `intelligence score` becomes part of the label."""
        before, folded = marked[-1] if marked else None, self.fold(token.text)
        # `class rating` and `model value` do not mean the class and the model, whose labels are counted.
        if folded in self.value_words and before and before.kind == "label" and not self.labels[before.text].counted:
            marked[-1] = before._replace(raw=token.raw)
        else:
            marked.append(Token("word", folded, token.raw))

    def _add_number(self, marked: list[Token], token: Token) -> None:
        """Add a token; `minus 2` becomes one number, unless a number precedes it."""
        before = marked[-1] if marked else None
        if before is not None and before.raw in self.minus_words and token.kind in ("number", "spelled"):
            subtracted = len(marked) > 1 and marked[-2].kind in ("number", "spelled", "whole", "ordinal")
            if token.value > 0 and not token.ordinal and not subtracted:
                marked.pop()
                sign = "-" if token.kind == "number" else f"{before.raw} "
                token = token._replace(text=sign + token.text, value=-token.value)
        marked.append(token)

    def _phrase_at(self, tokens: Sequence[Token], at: int) -> Phrase | None:
        for phrase in self._phrases.get(self.fold(tokens[at].text), ()):
            words = phrase.words
            if len(words) == 1:
                return phrase
            if at + len(words) <= len(tokens) and all(
                tokens[at + k].kind == "word" and self.fold(tokens[at + k].text) == words[k]
                for k in range(1, len(words))
            ):
                return phrase
        return None

    def _number_word(self, tokens: Sequence[Token], at: int) -> tuple[Token, int]:
        """Return the token of `seven` or `twenty first`, and the index after it."""
        word = tokens[at].text
        value, ordinal = self._number_words[word]
        following = tokens[at + 1].text if at + 1 < len(tokens) and tokens[at + 1].kind == "word" else ""
        unit, unit_ordinal = self._number_words.get(following, (0, False))
        if value >= _TENS and not ordinal and 0 < unit < 10:
            word, value, ordinal = f"{word} {following}", value + unit, unit_ordinal
            at += 1
        return Token("spelled", word, word, float(value), ordinal=ordinal), at + 1

    def _collect_phrases(self, vocabulary: Words) -> None:
        # A later phrase replaces one with the same words, so a library's labels take precedence over the default's.
        by_words: dict[tuple[str, ...], Phrase] = {}
        for source, target in vocabulary.aliases.items():
            words = self._words(source)
            label = target if target in self.labels else ""
            by_words[words] = Phrase(words, label, " ".join(self._words(target)))
        for label_ in vocabulary.labels:
            for form in (label_.name, *label_.forms):
                words = self._words(form)
                by_words[words] = Phrase(words, label_.name, "")
                if form.endswith("."):
                    self.dotted.add(words[-1])
        for phrase in sorted(by_words.values(), key=lambda phrase: -len(phrase.words)):
            if phrase.words:
                first = phrase.words[0]
                self._phrases[first] = (*self._phrases.get(first, ()), phrase)

    def _words(self, text: str) -> tuple[str, ...]:
        return tuple(self.fold(token.text) for token in tokenize(text) if token.kind == "word")

    def _tail_labels(self, name: str) -> tuple[str, ...]:
        words = name.split()
        tails = (" ".join(words[k:]) for k in range(1, len(words)))
        return tuple(tail for tail in tails if tail in self.labels)


def _short_plurals(vocabulary: Words) -> dict[str, str]:
    """Return plurals like `acs: ac` of labels that are too short for `singular` to fold."""
    taken = {*vocabulary.bridges, *vocabulary.connectives, *vocabulary.units}
    plurals: dict[str, str] = {}
    for label in vocabulary.labels:
        for form in (label.name, *label.forms):
            words = [token.text for token in tokenize(form) if token.kind == "word"]
            # A label of one letter has no plural: `as` and `is` are other words.
            if len(words) == 1 and len(words[0]) > 1:
                plural = words[0] + "s"
                if singular(plural, vocabulary.plurals) == plural and plural not in taken:
                    plurals[plural] = words[0]
    return plurals


def _say(phrase: Phrase, last_word: str) -> list[Token]:
    if phrase.label:
        return [Token("label", phrase.label, last_word)]
    return [Token("word", word, last_word) for word in phrase.replacement.split()]


def _drop_repeated_label(marked: list[Token]) -> None:
    """Merge a label that is repeated in brackets: `Armor Class (AC)`."""
    if len(marked) < 4 or marked[-3].text != "(":
        return
    label, repeated = marked[-4], marked[-2]
    if label.kind == repeated.kind == "label" and label.text == repeated.text:
        del marked[-3:]


def _spoken(token: Token) -> str:
    return token.raw or token.text


def _number_words(vocabulary: Words) -> dict[str, tuple[int, bool]]:
    cardinals = {word: (value, False) for word, value in vocabulary.cardinals.items()}
    return cardinals | {word: (value, True) for word, value in vocabulary.ordinals.items()}
