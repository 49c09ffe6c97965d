"""Phrasings of row keys and columns: number forms, abbreviations, word orders, templates."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from retrieval.language.vocabulary import Vocabulary

_TABLE = re.compile(
    r"(?:(?:table|tab\.|figure)\s*(?:[\w.-]*\d[\w.-]*\s*)?|(?:chapter|part|section|appendix)\s+[\w.]{1,4}\s*)"
    r"[:.—–]\s*(?=\S)",
    re.IGNORECASE,
)
_TAG = re.compile(r"\s*[—–-]?\s*\[[^\]]*\]$")
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_MARKS = re.compile(r"(?<=\S)\s*[+*†‡^§]+$")
_BRACKETED = re.compile(r"\s*\([^()]*\)$")
_DECORATION = re.compile(r"[—–]{2,}|-{2,}|\.{3,}")
_SHORT = {
    "average": "avg",
    "damage": "dmg",
    "description": "desc",
    "distance": "dist",
    "frequency": "freq",
    "maximum": "max",
    "minimum": "min",
    "modifier": "mod",
    "number": "no.",
    "percentage": "%",
    "quantity": "qty",
    "requirement": "req",
    "requirements": "reqs",
    "temperature": "temp",
    "weight": "wt",
}
"""Common English short forms; a library's other abbreviations are in its vocabulary."""
JOINING = frozenset(
    ("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "per", "the", "to", "vs", "with")
)
_LONGEST_INITIALS = 4


def plain(text: str) -> str:
    """Return a cell or heading as one line without emphasis, footnote marks and the colon of a field."""
    bare = _EMPHASIS.sub("", " ".join(text.split()))
    return _MARKS.sub("", bare.strip(":* ")).strip()


def place_name(text: str) -> str:
    """Return a heading or caption without `Table 3-1:` or `Chapter 2:` before it and a `[TAG]` after it."""
    whole = plain(text)
    name = _TAG.sub("", _TABLE.sub("", whole, count=1)).strip(" .")
    return name if any(letter.isalpha() for letter in name) else whole


def column_name(text: str) -> str:
    """Return the name of a column for running text: without decoration, in lower case except abbreviations."""
    bare = " ".join(_DECORATION.sub(" ", plain(text)).split()).rstrip(":* ")
    words = bare.split()
    # short capitals are an abbreviation, unless the whole heading is in capitals
    shouted = len(words) > 1 and bare.isupper()
    return " ".join(word if word.isupper() and len(word) <= 3 and not shouted else word.lower() for word in words)


def column_forms(name: str) -> tuple[str, ...]:
    """Return forms of a column's name, the plainest first: without a unit in brackets, with short words, unchanged."""
    bare = unbracketed(name) or name
    short = " ".join(_SHORT.get(word, word) for word in bare.split())
    return tuple(dict.fromkeys((bare, short, name)))


def initials(name: str) -> str | None:
    """Return `BAB` for `base attack bonus`; None if initials would be unusual."""
    words = (unbracketed(name) or name).split()
    plain_words = all(word.isalpha() and word.islower() for word in words)
    if 2 <= len(words) <= _LONGEST_INITIALS and plain_words and not JOINING & set(words):
        return "".join(word[0] for word in words).upper()
    return None


def unbracketed(text: str) -> str:
    """Return the text without a last part in brackets: `Emblem` for `Emblem (borne on a shield)`; may be empty."""
    return _BRACKETED.sub("", text).strip()


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of texts without case; `wind_speed` is two."""
    return frozenset(re.findall(r"[^\W_]+", " ".join(texts).casefold()))


_NUMBER = re.compile(r"([-−–]?\d{1,4})(?:st|nd|rd|th)?")
_RANGE = re.compile(r"(\d{1,4})(?:st|nd|rd|th)?\s*[-–]\s*(\d{1,4})(?:st|nd|rd|th)?")
_ORDINAL = re.compile(r"\d+(st|nd|rd|th)\b")
_DICE = re.compile(r"\d*d(\d+|%)|(die |dice )?roll", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NumberKey:
    """A row key that means whole numbers, both ends included."""

    low: int
    high: int

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high


def number_key(key: str) -> NumberKey | None:
    """Return the whole numbers that a key means (`7`, `9th`, `-3`, `5-8`, `96-00`), or None if it is a name."""
    text = key.strip()
    single = _NUMBER.fullmatch(text)
    if single:
        number = int(re.sub("[−–]", "-", single[1])) if text != "00" else 100
        return NumberKey(number, number)
    ends = _RANGE.fullmatch(text)
    if ends is None:
        return None
    # percentile dice write 100 as 00
    low, high = int(ends[1]), int(ends[2]) if ends[2] != "00" else 100
    return NumberKey(low, high) if low < high else None


def is_dice(column: str) -> bool:
    """Whether a column contains results of dice: `d%`, `1d6`, `Die Roll`."""
    return _DICE.fullmatch(column.strip()) is not None


def is_ordinal(key: str) -> bool:
    """Whether a key is written as an ordinal, `7th`."""
    return _ORDINAL.match(key.strip()) is not None


def ordinal(number: int) -> str:
    """Return a number as an ordinal: `1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


_INVERTED = re.compile(r"([^,()]{2,30}), ([^,()]{2,30})")
_PLURAL = re.compile(r"(?<![sui'])s$")
_CASUAL = 0.5
"""Share of the questions in lower case."""
_INITIALS = 0.05
"""Share of the columns with several words that are replaced by their initials."""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Phrases keys and columns in one of their forms, chosen by a seeded generator."""

    random: Random
    vocabulary: Vocabulary
    ordinal_columns: frozenset[str]
    """Lower-case names of columns whose keys are written as ordinals somewhere in the library."""

    def template(self, templates: Sequence[str], **words: str) -> str:
        """Return one of the templates, filled in; often without capitals and question mark."""
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
        """Return a phrase for a number of a key column: `level 7`, `7th level`, `level seven`, `a roll of 43`."""
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
        """Return a form of a name: as written, in lower case, `Blue Dragon` for `Dragon, Blue`, or shorter."""
        whole = plain(key)
        forms = [whole, whole.lower(), *shorter]
        inverted = _INVERTED.fullmatch(whole)
        if inverted:
            forms += [f"{inverted[2]} {inverted[1]}"] * 2
        if "_" in whole:
            forms.append(whole.replace("_", " "))
        return self.random.choice(forms)

    def column(self, column: str) -> str:
        """Return a column's name for running text, or a shorter form from the vocabulary or a common one."""
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
        """Return a phrase for another cell of a row: `cost 2 gp`, `a cost of 2 gp`, `2 gp cost`."""
        name, phrase = self.column(column), plain(cell).rstrip(".")
        return self.random.choice(
            [f"{name} {phrase}", f"{name} {phrase}", f"{phrase} {name}", f"{_one(column)} of {phrase}"]
        )


def _one(column: str) -> str:
    """Return a column with its article: `a cost`, `an armour class`, `hit points`."""
    name = column_forms(column_name(column))[0]
    if _PLURAL.search(name):
        return name
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def _lower(word: str) -> str:
    # a word in capitals is a name or an abbreviation
    return word if word.isupper() and len(word) > 1 else word.lower()


LOOKUPS = (
    "{ask} {column} for {key} in {subject}?",
    "{ask} {column} of {key}, {subject}?",
    "{subject}: {column} for {key}",
    "{subject}, {key}: {column}",
    "{key}, {subject}, {column}",
    "{key} {column} {subject}",
    "{column} of {key} ({subject})",
    "{column} for {key}, {subject}",
    "{key} in {subject}: {column}?",
    "{subject} {key} {column}",
    "In {subject}, look up {key} and tell me the {column}.",
    "{subject}, {column}, {key}?",
)
"""`ask` is `What is the` or the like, singular or plural."""
RECORD_LOOKUPS = (
    "{ask} {column} of {key}?",
    "{key} {column}",
    "Tell me the {column} given for {key}.",
    "{column}, {key}",
    "{key}: {column}?",
    "{key}, its {column}",
)
ABOUT = ("{question} in {subject}?", "{subject}: {question}", "{question} ({subject})", "{question}, {subject}?")
ABOUT_ALONE = ("{question}?", "{question}")
"""Templates around the questions of `asked_as`, which do not contain the name of the column."""
FIELD_LOOKUPS = (
    "{ask} {field} of {owner}?",
    "{owner} {field}",
    "Tell me the {field} given for {owner}.",
    "{field}, {owner}",
    "{owner}: {field}?",
)
"""For tables of fields: a row is a field, and its owner is the table or one of its columns."""
ROW = ("{subject} {key}", "{key} in {subject}?", "{subject}, {key}", "what does {subject} say about {key}")
"""Without a column."""
WHICH = (
    "Which {name} has {other} in {subject}?",
    "{subject}: {name} with {other}",
    "{name} with {other}, {subject}",
    "{other}, {subject}: which {name}?",
)
"""The row is named by a cell other than its key, and the key is asked for."""
WHICH_ALONE = ("Which {name} has {other}?", "{name} with {other}", "{other}: which {name}?")
BY_OTHER = (
    "{column} of the {name} with {other}, {subject}",
    "{subject}, {other}: {column}",
    "{subject}: {column} where there is {other}",
    "{ask} {column} of the {name} that has {other} in {subject}?",
)
"""The row is named by a cell other than its key, and a third cell is asked for."""
BY_OTHER_ALONE = (
    "{column} of the {name} with {other}",
    "{other}: {column}",
    "{ask} {column} of the {name} that has {other}?",
)
"""`ALONE`: without the name of the table, if row and column are sufficient."""
SECTIONS = (
    "What do the rules say about {subject}?",
    "Explain {subject}.",
    "Where can I read about {subject}?",
    "tell me about {subject}",
    "{subject}, how does it work",
)
SECTION_PARTS = (
    "What is said about {terms} under {subject}?",
    "{subject}, {terms}",
    "Which part of {subject} is about {terms}?",
    "{terms}: {subject}",
)
PASSAGES = ("{terms}", "{terms}?", "what about {terms}", "where is it said: {terms}")
"""With words of the text."""


_ASKED_AS: dict[str, tuple[str, ...]] = {
    "age": ("how old is {key}",),
    "area": ("how much ground does {key} cover", "how large is {key}"),
    "capacity": ("how much does {key} hold",),
    "casting": ("how fast can {key} be cast",),
    "cost": ("how much is {key}", "price of {key}", "what do I pay for {key}"),
    "damage": ("how much does {key} hurt", "what does a hit of {key} do"),
    "depth": ("how deep is {key}",),
    "description": ("what is {key}", "what does {key} mean", "what is {key} for"),
    "difficulty": ("how hard is {key}", "how difficult is {key}"),
    "distance": ("how far is {key}",),
    "duration": ("how long does {key} last", "time that {key} lasts"),
    "effect": ("what does {key} do", "what happens with {key}"),
    "effects": ("what does {key} do", "what happens with {key}"),
    "explanation": ("what does {key} mean", "what is {key}"),
    "frequency": ("how often is {key} met", "how rare is {key}"),
    "height": ("how tall is {key}", "how high is {key}"),
    "length": ("how long is {key}",),
    "level": ("how high is {key}",),
    "maximum": ("at most how much for {key}",),
    "meaning": ("what does {key} mean",),
    "means": ("what does {key} mean",),
    "minimum": ("at least how much for {key}",),
    "modifier": ("what is added or taken off for {key}",),
    "name": ("what is {key} called", "which one is {key}"),
    "notes": ("what else is there to know about {key}",),
    "number": ("how many with {key}",),
    "payoff": ("what do I win with {key}",),
    "price": ("how much is {key}", "cost of {key}", "what do I pay for {key}"),
    "purpose": ("what is {key} for",),
    "range": ("how far does {key} reach", "how far can {key} go"),
    "reference": ("where is {key} described",),
    "requirement": ("what does {key} need",),
    "requirements": ("what does {key} need",),
    "result": ("what happens on {key}", "what comes of {key}"),
    "size": ("how big is {key}", "how large is {key}"),
    "speed": ("how fast is {key}",),
    "move": ("how fast is {key}",),
    "movement": ("how fast is {key}",),
    "time": ("how long does {key} take",),
    "timing": ("how long does {key} take",),
    "type": ("what kind is {key}", "what sort of thing is {key}"),
    "unit": ("how is {key} measured", "what is {key} measured in"),
    "units": ("how is {key} measured", "what is {key} measured in"),
    "values": ("what can {key} be", "what may {key} be set to"),
    "weight": ("how heavy is {key}", "how much does {key} weigh"),
}


def asked_as(column: str) -> tuple[str, ...]:
    """Return questions for a column by the last of its words that has any, with a gap `{key}`; often none."""
    words = [word.strip("().:,*_").casefold() for word in reversed(column.split())]
    return next((_ASKED_AS[word] for word in words if word in _ASKED_AS), ())
