"""Follow-up questions of a conversation, made whole by rules: `and AC 4?`, `how heavy is it?`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.types import Chunk

_OPENING = re.compile(
    r"(?:and|or|but|then|what|how|same|about|for|with|if|of|to|at|on|in|against|vs\.?)\b[\s,]*", re.IGNORECASE
)
"""Words before what changes, in any number: `and what about AC 4?`."""
_BEGINS = re.compile(r"\s*(?:and|or|but|what about|how about|(?:the )?same|what if)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"\s*(?:(?:and|but|or)\s+)?((?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|may|"
    r"must|should|will|would|has|have)\b(?!\s+about\b)(?!\s+if\b).*)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:its|their|(?:this|that) one|it|they|them|those|these)(?=\W|$)", re.IGNORECASE)
_LABELLED = re.compile(
    r"(?P<ordinal>\d+(?:st|nd|rd|th)?)[\s-]+(?P<of>[^\W\d_]{2,})|(?P<label>[^\W\d_]{2,})[\s-]+(?P<number>\d[\w/.-]*)"
)
_WORD = re.compile(r"[^\W_]+")
_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)
_SHORTEST = 3
"""Letters of a word that names something."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of a conversation that was answered."""

    question: str
    """Whole."""
    name: str
    """What answered it is called: a row, or the section of a passage."""
    words: frozenset[str]
    """Words of the names of what answered it, in lower case."""

    @classmethod
    def of(cls, question: str, chunk: Chunk) -> "Turn":
        """The turn of a question that a chunk answered."""
        name = chunk.called or chunk.row_key or (chunk.heading_path[-1] if chunk.heading_path else chunk.title)
        return cls(question, name, frozenset(_words(" ".join((name, chunk.called or "", *chunk.names)))))


def is_follow_up(question: str) -> bool:
    """Whether a question refers back to the one before it."""
    return bool(_BEGINS.match(question) or _PRONOUN.search(question))


def complete(question: str, turn: Turn) -> str | None:
    """A question that refers back, as one that can be understood alone; None if no rule can.

    `and AC 4?` sets the number of the same label, `what about a halberd?` puts one thing in the place of another, and
    `how heavy is it?` names the thing that answered.
    """
    whole = _QUESTION.match(question)
    if whole or not _BEGINS.match(question):
        asked = whole[1] if whole else question
        return (
            _PRONOUN.sub(lambda match: _named(match[0], turn.name), asked, count=1) if _PRONOUN.search(asked) else None
        )
    rest = question.strip().rstrip("?!. ")
    while match := _OPENING.match(rest):
        rest = rest[match.end() :]
    return (_with_numbers(turn.question, rest) or _with_name(turn, rest)) if rest else None


def _named(pronoun: str, name: str) -> str:
    return f"{name}'s" if pronoun.casefold() in {"its", "their"} else name


def _with_numbers(previous: str, change: str) -> str | None:
    """The previous question with the numbers of a change, each under its label; None unless all have a place."""
    changes = list(_LABELLED.finditer(change))
    if not changes:
        return None
    for match in changes:
        label = match["label"] or match["of"]
        place = next((each for each in _LABELLED.finditer(previous) if _same(each["label"] or each["of"], label)), None)
        if place is None:
            return None
        previous = previous[: place.start()] + match[0] + previous[place.end() :]
    return previous


def _with_name(turn: Turn, change: str) -> str | None:
    """The previous question with another thing in the place of the one that answered it; None where it names none."""
    words = list(_WORD.finditer(turn.question))
    named = [turn.words.intersection(_words(word[0])) != frozenset() for word in words]
    runs = _runs(named)
    if not runs:
        return None
    first, last = max(runs, key=lambda run: run[1] - run[0])
    start, end = words[first].start(), words[last].end()
    article = _ARTICLE.match(turn.question[words[first - 1].start() : start]) if first else None
    if article and _ARTICLE.match(change):
        start = words[first - 1].start()
    return turn.question[:start] + change + turn.question[end:]


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """First and last position of each run of true flags."""
    runs: list[tuple[int, int]] = []
    for position, flag in enumerate(flags):
        if flag and runs and runs[-1][1] == position - 1:
            runs[-1] = (runs[-1][0], position)
        elif flag:
            runs.append((position, position))
    return runs


def _words(text: str) -> list[str]:
    """Words that may name something, in lower case, without the `s` of a plural."""
    words = (match[0].casefold() for match in _WORD.finditer(text))
    return [word.removesuffix("s") for word in words if len(word) >= _SHORTEST and not word.isdigit()]


def _same(one: str, other: str) -> bool:
    return one.casefold().removesuffix("s") == other.casefold().removesuffix("s")
