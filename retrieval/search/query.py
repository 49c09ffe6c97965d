"""A question, checked and put into canonical form once, when it enters the library."""

import re
from dataclasses import dataclass, replace

from retrieval.errors import InvalidQueryError
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.language.canonical import Canonical, canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.compiled.sibling_index import SiblingIndex

MAX_CHARACTERS = 2000

MAX_NUMBERS = 64
MAX_WORDS = 500
"""The numbers and words of a question that are read; a real question of 2,000 characters has 400 words and few
numbers."""
_NUMBER_OR_WORD = re.compile(r"(?P<number>\d+|[¼-¾⅐-⅞])|[^\W\d_¼-¾⅐-⅞]+")

LETTERS = re.compile(r"[^\W\d_]+")
"""A word that consists only of letters."""
NEAR = 200
"""Characters in which the words beside a number are sought: no word is so long, but a question may be one word."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question and its canonical form. Key: text."""

    text: str
    canonical: Canonical
    """The form that predicates and names use."""

    @property
    def wants_several(self) -> bool:
        """Whether it lists, compares or steps between rows: `mace or dagger`, `the next largest after Mykonos`."""
        words, vocabulary = set(LETTERS.findall(self.text.casefold())), self.canonical.vocabulary
        return not words.isdisjoint((*vocabulary.list_words, *vocabulary.holding_words))

    def among(self, rivals: SiblingIndex) -> "Query":
        """Return the same question with the rivals of an index, so that it knows which rows it excludes."""
        return replace(self, canonical=rivals.with_rivals(self.canonical))

    @classmethod
    def ask(cls, text: str, vocabulary: Vocabulary | None = None) -> "Query":
        """Check a question and put it into canonical form.

        Raises:
            InvalidQueryError: it is empty, or longer than 2,000 characters.
        """
        require_askable(text)
        return cls(text, canonical(text, vocabulary))

    @classmethod
    def of(cls, text: str, snapshot: Snapshot) -> "Query":
        """Check a question and read it with the spelling of a snapshot; it does not exclude rows yet.

        Raises:
            InvalidQueryError: as for `ask`.
        """
        require_askable(text)
        read = snapshot.spelling(shortened(text))
        return cls(read, canonical(read, snapshot.vocabulary))


def shortened(text: str) -> str:
    """Return a question up to the last number and word that are read, with `…` if there were more."""
    numbers = words = 0
    for match in _NUMBER_OR_WORD.finditer(text):
        numbers, words = numbers + (match["number"] is not None), words + (match["number"] is None)
        if numbers > MAX_NUMBERS or words > MAX_WORDS:
            return f"{text[: match.start()].rstrip()} …"
    return text


def require_askable(text: str) -> None:
    """Check a question before anything is done with it.

    Raises:
        InvalidQueryError: it is no text, empty, or longer than 2,000 characters.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidQueryError(f"the question is {text!r}; ask something with at least one character")
    if len(text) > MAX_CHARACTERS:
        raise InvalidQueryError(
            f"the question has {len(text)} characters, but the limit is {MAX_CHARACTERS}; ask something shorter"
        )
