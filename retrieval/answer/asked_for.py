"""What kind of thing a question wants to hear: a number, a date, a person, a length, an explanation."""

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from retrieval.index.words.tokenizer import Tokenize, cut_word
from retrieval.rag.question_words import is_everywhere

_WH = re.compile(
    r"\b(?:what(?:['’]s)?|which|how(?:\s+\w+)?|who(?:m|se)?|when|where|name\s+the|(?:tell|give)\s+me\s+the)\b"
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_AFTER = 4
"""Words after `which` that may say what is wanted: `which breathing gear does`."""

_QUESTION_WORDS: dict[str, Any] = tomllib.loads((files("retrieval.answer") / "asked_for.toml").read_text("utf-8"))
_NUMBER_WORDS, _EXPLAIN = (
    frozenset(_QUESTION_WORDS["number"].split()),
    frozenset(_QUESTION_WORDS["explanation"].split()),
)
_MEASURED: dict[str, frozenset[str]] = {
    unit: frozenset(said.split()) for unit, said in _QUESTION_WORDS["measured"].items()
}
_MONEY = frozenset(_QUESTION_WORDS["money"])


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What the words of a question tell of its answer."""

    number: bool
    date: bool
    person: bool
    place: bool
    explanation: bool
    measures: frozenset[str]
    """Base units, or `money`, that the answer may be in."""
    after: frozenset[str]
    """Words, as the index cuts them, that follow `which` or its like."""

    def fits(self, unit: str | None) -> bool:
        """Whether a quantity of this base unit is what is wanted."""
        return unit is not None and ("money" if unit in _MONEY else unit) in self.measures

    def measured_by(self, head: str) -> bool:
        """Whether a column's head says what is measured: `Wgt` where the question says `how heavy`."""
        said = WORD.findall(head.casefold())
        return any(
            word == each or (2 <= len(word) <= 5 and is_short(word, each))
            for unit in self.measures
            for each in _MEASURED[unit]
            for word in said
        )


def is_short(short: str, word: str) -> bool:
    """`wgt` for `weight`: its ends and other letters in their order; `atmos` for `atmosphere`: its beginning."""
    if len(word) <= len(short) + 1:
        return False
    rest = iter(word)
    skeleton = word[0] == short[0] and word[-1] == short[-1] and all(letter in rest for letter in short)
    return skeleton or (len(short) > 2 and word.startswith(short))


def asked_for(question: str, tokenize: Tokenize) -> AskedFor:
    """Read what kind of thing a question wants."""
    text = question.casefold()
    words = frozenset(WORD.findall(text))
    asks = _WH.search(text)
    first = asks[0].split()[0] if asks else ""
    following = WORD.findall(text[asks.end() :])[:_AFTER] if asks else []
    wanted = [word for word in ((asks[0].split()[1:] if asks else []) + following) if not is_everywhere(word)]
    return AskedFor(
        number=not words.isdisjoint(_NUMBER_WORDS),
        date=first == "when" or not {"year", "date", "day", "month", "season"}.isdisjoint(following[:1]),
        person=first.startswith("who"),
        place=first == "where",
        explanation=not words.isdisjoint(_EXPLAIN),
        measures=frozenset(unit for unit, said in _MEASURED.items() if not words.isdisjoint(said)),
        after=frozenset(part for word in wanted for part in cut_word(tokenize, word)),
    )
