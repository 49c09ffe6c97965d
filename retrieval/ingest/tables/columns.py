"""Column names written out where the book has the long form: `Opponent Armor Class` for `Opponent AC`."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval.language.english import word_set
from retrieval.language.lexicon import Label
from retrieval.language.vocabulary import Vocabulary

_WORD = re.compile(r"(?<![\w.])[A-Z][A-Za-z]*(?:\.[A-Za-z]+)*\.?(?!\w)")
_INITIALS = 2
"""Letters of an abbreviation that is one only in capitals: `Cr` of a price is no challenge rating."""
_SPELLED = 4
"""A form of more letters is no abbreviation."""


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """What the columns of one book are called. What is searched keeps the words of the source."""

    vocabulary: Vocabulary
    known: frozenset[str]
    """Names of the labels that the book or its own vocabulary writes out: elsewhere `AC` may be alternating current."""

    @classmethod
    def of(cls, texts: Iterable[str], vocabulary: Vocabulary) -> "ColumnNames":
        """Look in the words of a book for the long forms that the vocabulary has; a library's own labels need none."""
        spelled = {label.name: _spelled(label) for label in vocabulary.labels if label.written}
        known = {
            label.name for label in set(vocabulary.labels).difference(Vocabulary.default().labels) if label.written
        }
        for text in map(str.casefold, texts):
            known |= {name for name, forms in spelled.items() if name not in known and any(f in text for f in forms)}
        return cls(vocabulary, frozenset(known))

    def written_out(self, column: str) -> str:
        """A heading without abbreviations; one that says the long form already (`Armor Class (AC)`) stays."""
        return _WORD.sub(lambda match: self._long_form(match[0], column), column)

    def all_written_out(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The headings of a table without abbreviations; two that would become one name stay as they are."""
        written = [self.written_out(column) for column in columns]
        count = Counter(name.casefold() for name in written)
        return tuple(
            name if count[name.casefold()] == 1 else column for name, column in zip(written, columns, strict=True)
        )

    def _long_form(self, word: str, column: str) -> str:
        letters = word.replace(".", "")
        label = self.vocabulary.label(letters)
        if label is None or label.name not in self.known or label.written.casefold() in column.casefold():
            return word
        short = len(letters) < len(label.written) and (len(letters) > _INITIALS or letters.isupper())
        return label.written if short else word


def _spelled(label: Label) -> tuple[str, ...]:
    """Its forms that are no abbreviations, folded."""
    forms = (label.written, label.name, *label.forms)
    first = label.written[:1].casefold()
    return tuple(form.casefold() for form in forms if len(form) > _SPELLED and form.casefold().startswith(first))


ROLL = "roll"
"""Name of the label whose numbers come up on dice."""

_BRACKETS = re.compile(r"\([^()]*\)")
_DIE = re.compile(r"\s*(?:(?:dice|die|roll):?\s+)?\d*\s*d(?:\d+|%)\s*(?:roll)?\s*(?:[,:(].*)?", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:/|,|&|\bor\b|\band\b)\s*", re.IGNORECASE)


def column_label(column: str, vocabulary: Vocabulary) -> Label | None:
    """The label that a heading ends with (`NPC Level` is a level); a die (`d%`, `1d20`) is a roll; else None."""
    if _DIE.fullmatch(column):
        return vocabulary.label(ROLL)
    words = _BRACKETS.sub(" ", column).split()
    tails = (" ".join(words[start:]) for start in range(len(words)))
    return next((label for tail in tails if (label := vocabulary.label(tail))), None)


def column_labels(column: str, vocabulary: Vocabulary) -> tuple[Label, ...]:
    """The labels of a heading that lists some (`Intelligence/Wisdom`); empty unless every part is one."""
    labels = [column_label(part, vocabulary) for part in _LIST.split(column) if part]
    return tuple(label for label in labels if label is not None) if all(labels) else ()


SMALL = word_set("short_leaves_out")
"""Words that a short form may leave out."""


def ending(short: str, long: str, *, is_whole: bool) -> str | None:
    """The last of the words that the short form stands for; of a list's entry, all of them."""
    words = long.split()
    if is_whole and stands_for(short, words):
        return long
    tails = (words[-count:] for count in range(1, len(words) + 1))
    return next((" ".join(tail) for tail in tails if stands_for(short, tail)), None)


def beginning(short: str, long: str) -> str | None:
    """The first of the words that the short form stands for, as many as there are."""
    words = long.split()
    heads = (words[:count] for count in range(len(words), 0, -1))
    whole = next((head for head in heads if head[-1].casefold() not in SMALL and stands_for(short, head)), None)
    return " ".join(whole).rstrip(".,/-") if whole else None


def stands_for(short: str, words: Sequence[str]) -> bool:
    """Whether it is the initials of the words, or some letters of theirs, each word's initial among them."""
    letters, lower_words = short.casefold(), [word.casefold() for word in words]
    large = [word for word in lower_words if word not in SMALL and word[0].isalnum()]
    if not large or large[0] != lower_words[0] or letters == " ".join(lower_words):
        return False
    if len(letters) == 1:
        return lower_words[0][0] == letters and len(lower_words[0]) > 1
    initials = "".join(word[0] for word in large)
    if letters in (initials, "".join(word[0] for word in lower_words)):
        return len(large) > 1
    return len(large) < len(letters) and initials[0] == letters[0] and _is_cut_from(letters, large)


def _is_cut_from(letters: str, words: Sequence[str]) -> bool:
    """Whether the letters can be read off the words in order, the first of each word among them."""
    if not words:
        return not letters
    first, rest = words[0], words[1:]
    if not letters or letters[0] != first[0]:
        return False
    at, position = 0, 0
    while True:
        if _is_cut_from(letters[at + 1 :], rest):
            return True
        at += 1
        position = first.find(letters[at], position + 1) if at < len(letters) else -1
        if position < 0:
            return False
