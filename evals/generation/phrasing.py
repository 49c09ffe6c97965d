"""How people may say a row's key and a column: number forms, abbreviations, other word orders. No book's own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from evals.generation.number_keys import is_dice, ordinal
from evals.generation.spoken import column_forms, column_name, initials, plain
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

_INVERTED = re.compile(r"([^,()]{2,30}), ([^,()]{2,30})")
_PLURAL = re.compile(r"(?<![sui'])s$")
_CASUAL = 0.5
"""Share of the questions that nobody took the trouble to write with capitals."""
_INITIALS = 0.05
"""Share of the columns of several words that are said by their initials."""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Says keys and columns in one of their forms, chosen by a seeded generator."""

    random: Random
    vocabulary: Vocabulary
    ordinal_columns: frozenset[str]
    """Lower-case names of columns whose keys are written as ordinals somewhere in the library."""

    def template(self, templates: Sequence[str], **words: str) -> str:
        """One of the templates, filled in; often without its capitals and its question mark."""
        ask = self._ask(words.get("column", words.get("field", "")))
        text = self.random.choice(templates).format(ask=ask, **words)
        if self.random.random() < _CASUAL:
            text = " ".join(map(_lower, text.split())).rstrip("?.")
        return text

    def _ask(self, column: str) -> str:
        if _PLURAL.search(column):
            return self.random.choice(["What are the", "Tell me the"])
        return self.random.choice(["What is the", "What's the"])

    def number(self, number: int, column: str) -> str:
        """A number of a key column: `level 7`, `7th level`, `level seven`, `a roll of 43`."""
        if is_dice(column):
            return self.random.choice([f"a roll of {number}", f"{number} rolled on {column.strip()}"])
        name = self.column(column).rstrip(".")
        forms = [f"{name} {number}", f"{name} {number}", f"{_one(column)} of {number}"]
        word = next((word for word, value in self.vocabulary.cardinals.items() if value == number), None)
        if word is not None:
            forms.append(f"{name} {word}")
        if column.strip().lower() in self.ordinal_columns and number > 0:
            forms += [f"{ordinal(number)} {name}"] * 2
        return self.random.choice(forms)

    def name(self, key: str, shorter: Sequence[str] = ()) -> str:
        """A key that is a name: as written, in lower case, `Blue Dragon` for `Dragon, Blue`, or in a shorter form."""
        whole = plain(key)
        forms = [whole, whole.lower(), *shorter]
        inverted = _INVERTED.fullmatch(whole)
        if inverted:
            forms += [f"{inverted[2]} {inverted[1]}"] * 2
        if "_" in whole:
            forms.append(whole.replace("_", " "))
        return self.random.choice(forms)

    def column(self, column: str) -> str:
        """A column's name in running text, or a shorter form that the vocabulary or everybody knows."""
        spoken = column_name(column)
        label = self.vocabulary.label(" ".join(column.split()).rstrip(":* "))
        known = (label.name, *label.forms) if label else ()
        short = [form for form in known if " " not in form and len(form) < len(spoken)]
        letters = initials(spoken)
        if letters and self.random.random() < _INITIALS:
            return letters
        forms = column_forms(spoken)
        return self.random.choice([forms[0], *short[:1], *forms])

    def with_cell(self, column: str, cell: str) -> str:
        """A row's other cell: `cost 2 gp`, `a cost of 2 gp`, `2 gp cost`."""
        name, said = self.column(column), plain(cell).rstrip(".")
        return self.random.choice([f"{name} {said}", f"{name} {said}", f"{said} {name}", f"{_one(column)} of {said}"])


def _one(column: str) -> str:
    """`a cost`, `an armour class`, `hit points`."""
    name = column_forms(column_name(column))[0]
    if _PLURAL.search(name):
        return name
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def _lower(word: str) -> str:
    # what is written in capitals is a name or an abbreviation
    return word if word.isupper() and len(word) > 1 else word.lower()
