"""Column names with abbreviations expanded if the book has the long form: `Opponent Armor Class`, `Opponent AC`."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval.language.english import word_set
from retrieval.language.lexicon import Label
from retrieval.language.vocabulary import Vocabulary

_WORD = re.compile(r"(?<![\w.])[A-Z][A-Za-z]*(?:\.[A-Za-z]+)*\.?(?!\w)")
_INITIALS = 2
"""Letters up to which an abbreviation must be in capitals: `Cr` in a price is not a challenge rating."""
_SPELLED = 4
"""Letters above which a form is not an abbreviation."""


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Expands the column names of one book. The searched text keeps the words of the source."""

    vocabulary: Vocabulary
    known: frozenset[str]
    """Names of labels with a long form in the book or its own vocabulary: elsewhere `AC` may be alternating current."""

    @classmethod
    def of(cls, texts: Iterable[str], vocabulary: Vocabulary) -> "ColumnNames":
        """Find the vocabulary's labels whose long forms are in a book; a library's own labels are always included."""
        spelled = {label.name: _spelled(label) for label in vocabulary.labels if label.written}
        known = {
            label.name for label in set(vocabulary.labels).difference(Vocabulary.default().labels) if label.written
        }
        for text in map(str.casefold, texts):
            known |= {name for name, forms in spelled.items() if name not in known and any(f in text for f in forms)}
        return cls(vocabulary, frozenset(known))

    def written_out(self, column: str) -> str:
        """Return a heading with abbreviations expanded, unless it has the long form already (`Armor Class (AC)`)."""
        return _WORD.sub(lambda match: self._long_form(match[0], column), column)

    def all_written_out(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the headings of a table with abbreviations expanded, except those that would become equal."""
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
    """Return the forms of a label that are not abbreviations, in lower case."""
    forms = (label.written, label.name, *label.forms)
    first = label.written[:1].casefold()
    return tuple(form.casefold() for form in forms if len(form) > _SPELLED and form.casefold().startswith(first))


ROLL = "roll"
"""Name of the label for results of dice."""

_BRACKETS = re.compile(r"\([^()]*\)")
_DIE = re.compile(r"\s*(?:(?:dice|die|roll):?\s+)?\d*\s*d(?:\d+|%)\s*(?:roll)?\s*(?:[,:(].*)?", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:/|,|&|\bor\b|\band\b)\s*", re.IGNORECASE)


def column_label(column: str, vocabulary: Vocabulary) -> Label | None:
    """Return the label that ends a heading (`NPC Level` is a level); a die (`d%`, `1d20`) is a roll; else None."""
    if _DIE.fullmatch(column):
        return vocabulary.label(ROLL)
    words = _BRACKETS.sub(" ", column).split()
    tails = (" ".join(words[start:]) for start in range(len(words)))
    return next((label for tail in tails if (label := vocabulary.label(tail))), None)


def column_labels(column: str, vocabulary: Vocabulary) -> tuple[Label, ...]:
    """Return the labels that a heading lists (`Intelligence/Wisdom`); empty unless every part is a label."""
    labels = [column_label(part, vocabulary) for part in _LIST.split(column) if part]
    return tuple(label for label in labels if label is not None) if all(labels) else ()


SMALL = word_set("short_leaves_out")
"""Words that a short form may omit."""


def ending(short: str, long: str, *, is_whole: bool) -> str | None:
    """Return the last words that a short form abbreviates, or all of them if `is_whole` and they fit; else None."""
    words = long.split()
    if is_whole and stands_for(short, words):
        return long
    tails = (words[-count:] for count in range(1, len(words) + 1))
    return next((" ".join(tail) for tail in tails if stands_for(short, tail)), None)


def beginning(short: str, long: str) -> str | None:
    """Return as many of the first words as a short form abbreviates; else None."""
    words = long.split()
    heads = (words[:count] for count in range(len(words), 0, -1))
    whole = next((head for head in heads if head[-1].casefold() not in SMALL and stands_for(short, head)), None)
    return " ".join(whole).rstrip(".,/-") if whole else None


def stands_for(short: str, words: Sequence[str]) -> bool:
    """Whether a short form consists of the words' initials, or of letters from them that include each initial."""
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
    """Whether the letters occur in the words in order, including the first letter of each word."""
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
