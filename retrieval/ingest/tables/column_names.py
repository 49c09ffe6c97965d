"""Column headings written out, where the book itself knows the long form: `Opponent AC` is `Opponent Armor Class`."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.query_must.vocabulary.words import Label

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
    """Names of the labels that the book writes out: elsewhere `AC` may be alternating current."""

    @classmethod
    def of(cls, texts: Iterable[str], vocabulary: Vocabulary) -> "ColumnNames":
        """Look in the words of a book for the long forms that the vocabulary has."""
        spelled = {label.name: _spelled(label) for label in vocabulary.labels if label.written}
        known: set[str] = set()
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
