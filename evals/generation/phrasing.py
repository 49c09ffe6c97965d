"""How people may say a row's key and a column: number forms, abbreviations, other word orders. No book's own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from retrieval.query_must.vocabulary.vocabulary import Vocabulary

_NUMBER = re.compile(r"([-−–]?\d{1,4})(?:st|nd|rd|th)?")
_RANGE = re.compile(r"(\d{1,4})(?:st|nd|rd|th)?\s*[-–]\s*(\d{1,4})(?:st|nd|rd|th)?")
_ORDINAL = re.compile(r"\d+(st|nd|rd|th)\b")
_DICE = re.compile(r"\d*d(\d+|%)|(die |dice )?roll", re.IGNORECASE)
_INVERTED = re.compile(r"([^,()]{2,30}), ([^,()]{2,30})")

LOOKUPS = (
    "What is the {column} for {key} in {subject}?",
    "{subject}: {column} for {key}",
    "{key}, {subject}, {column}",
    "According to {subject}, what {column} goes with {key}?",
    "{column} of {key} ({subject})",
    "In {subject}, look up {key} and tell me the {column}.",
)
RECORD_LOOKUPS = (
    "What is the {column} of {key}?",
    "{key} {column}",
    "Tell me the {column} given for {key}.",
    "{column}, {key}",
)
FIELD_LOOKUPS = (
    "What is the {field} of {owner}?",
    "{owner} {field}",
    "Tell me the {field} given for {owner}.",
    "{field}, {owner}",
)
"""For tables of fields: a row is a field, and what owns it is the table or one of its columns."""
SECTIONS = (
    "What do the rules say about {subject}?",
    "How does {subject} work?",
    "{subject}",
    "Explain {subject}.",
    "Where can I read about {subject}?",
)
SECTION_PARTS = (
    "What does {subject} say about {terms}?",
    "{subject}, {terms}",
    "Which part of {subject} is about {terms}?",
)


@dataclass(frozen=True, slots=True)
class NumberKey:
    """A row key that stands for whole numbers, both ends included."""

    low: int
    high: int

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high


def number_key(key: str) -> NumberKey | None:
    """The whole numbers that a key stands for (`7`, `9th`, `-3`, `5-8`, `96-00`), or None if it is a name."""
    text = key.strip()
    single = _NUMBER.fullmatch(text)
    if single:
        number = int(re.sub("[−–]", "-", single[1]))
        return NumberKey(number, number)
    ends = _RANGE.fullmatch(text)
    if ends is None:
        return None
    # percentile dice write 100 as 00
    low, high = int(ends[1]), int(ends[2]) if ends[2] != "00" else 100
    return NumberKey(low, high) if low < high else None


def is_dice(column: str) -> bool:
    """Whether a column holds what is rolled: `d%`, `1d6`, `Die Roll`."""
    return _DICE.fullmatch(column.strip()) is not None


def is_ordinal(key: str) -> bool:
    """Whether a key is written `7th`: then people say so, too."""
    return _ORDINAL.match(key.strip()) is not None


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Says keys and columns in one of their forms, chosen by a seeded generator."""

    random: Random
    vocabulary: Vocabulary
    ordinal_columns: frozenset[str]
    """Lower-case names of columns whose keys are written as ordinals somewhere in the library."""

    def template(self, templates: Sequence[str], **words: str) -> str:
        """One of the templates, filled in."""
        return self.random.choice(templates).format(**words)

    def number(self, number: int, column: str) -> str:
        """A number of a key column: `level 7`, `7th level`, `level seven`, `a roll of 43`."""
        if is_dice(column):
            return self.random.choice([f"a roll of {number}", f"{number} rolled on {column.strip()}"])
        name = self.column(column)
        forms = [f"{name} {number}", f"{name} {number}", f"a {name} of {number}"]
        word = next((word for word, value in self.vocabulary.cardinals.items() if value == number), None)
        if word is not None and self.vocabulary.label(column) is not None:
            forms.append(f"{name} {word}")
        if column.strip().lower() in self.ordinal_columns and number > 0:
            forms += [f"{ordinal(number)} {name}"] * 2
        return self.random.choice(forms)

    def name(self, key: str) -> str:
        """A key that is a name: as written, in lower case, or `Blue Dragon` for `Dragon, Blue`."""
        plain = " ".join(key.split()).strip(":* ")
        forms = [plain, plain, plain.lower()]
        inverted = _INVERTED.fullmatch(plain)
        if inverted:
            forms += [f"{inverted[2]} {inverted[1]}"] * 2
        return self.random.choice(forms)

    def column(self, column: str) -> str:
        """A column's name in running text, or a shorter form that the vocabulary knows."""
        plain = " ".join(column.split()).rstrip(":* ")
        words = plain.split()
        # short capitals are an abbreviation, unless the whole heading is in capitals
        shouted = len(words) > 1 and plain.isupper()
        spoken = " ".join(word if word.isupper() and len(word) <= 3 and not shouted else word.lower() for word in words)
        label = self.vocabulary.label(plain)
        forms = (label.name, *label.forms) if label else ()
        short = [form for form in forms if " " not in form and len(form) < len(spoken)]
        return self.random.choice([spoken, spoken, *short[:1]])


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
