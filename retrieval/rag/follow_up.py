"""Rules that complete follow-up questions of a conversation: `and AC 4?`, `how heavy is it?`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.language.identifiers import identifiers
from retrieval.language.numbers import Quantity, quantities
from retrieval.language.numbers.quantity import FUNCTION_WORDS, singular
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk

_OPENING = re.compile(
    r"(?:and|or|but|then|what|how|same|about|for|with|if|of|to|at|on|in|against|vs\.?)\b[\s,]*", re.IGNORECASE
)
"""Any number of words before the part that changes: `and what about AC 4?`."""
_BEGINS = re.compile(r"\s*(?:and|or|but|what about|how about|(?:the )?same|what if)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"\s*(?:(?:and|but|or)\s+)?((?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|may|"
    r"must|should|will|would|has|have)\b(?!\s+about\b)(?!\s+if\b).*)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:its|their|(?:this|that) one|it|they|them|those|these)(?=\W|$)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_BEFORE, _AFTER = re.compile(r"(?:[^\W_]+[_./-]+)+\Z"), re.compile(r"(?:[_./-]+[^\W_]+)+")
"""The other parts of an identifier before and after a word."""
_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)
_REFERRING = FUNCTION_WORDS.union(Vocabulary.default().holding_words)
"""Words that name nothing by themselves: `the other one`."""
_SHORTEST = 3
"""The minimum number of letters in a word that names something."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An answered question of a conversation."""

    question: str
    """The question, completed if it was a follow-up."""
    name: str
    """Name of what answered it: a row, or the section of a passage."""
    words: frozenset[str]
    """Words of the names of what answered it, in lower case."""
    titles: tuple[frozenset[str], ...] = ()
    """Words of the titles above it, nearest first."""

    @classmethod
    def of(cls, question: str, chunk: Chunk) -> "Turn":
        """Return the turn of a question that a chunk answered."""
        name = chunk.called or chunk.row_key or (chunk.heading_path[-1] if chunk.heading_path else chunk.title)
        titles = (chunk.caption or "", *reversed(chunk.heading_path))
        words = frozenset(_words(" ".join((name, chunk.called or "", *chunk.names))))
        return cls(question, name, words, tuple(frozenset(_words(title)) for title in titles))


def is_follow_up(question: str) -> bool:
    """Whether a question refers back to the one before it."""
    return bool(_BEGINS.match(question) or _PRONOUN.search(question))


def complete(question: str, turn: Turn) -> str | None:
    """Return a follow-up question as one that can be understood alone; None if no rule applies.

    `and MAX_RATE?` replaces the only identifier, `and AC 4?` the number with the same label, `what about a halberd?`
    the thing that answered, and in `how heavy is it?` the name of that thing replaces the pronoun.
    """
    whole = _QUESTION.match(question)
    if whole or not _BEGINS.match(question):
        core = whole[1] if whole else question
        return _PRONOUN.sub(lambda match: _named(match[0], turn.name), core, count=1) if _PRONOUN.search(core) else None
    rest = question.strip().rstrip("?!. ")
    while match := _OPENING.match(rest):
        rest = rest[match.end() :]
    if not rest:
        return None
    return _with_identifier(turn.question, rest) or _with_numbers(turn.question, rest) or _with_name(turn, rest)


def _named(pronoun: str, name: str) -> str:
    return f"{name}'s" if pronoun.casefold() in {"its", "their"} else name


def _with_identifier(previous: str, change: str) -> str | None:
    """Return the previous question with its identifier replaced by another one; None if either has none, or several."""
    names = identifiers(previous)  # an identifier, then its parts
    if not names or identifiers(change)[:1] != (change,) or any(name not in names[0] for name in names):
        return None
    return previous.replace(names[0], change, 1)


def _with_numbers(previous: str, change: str) -> str | None:
    """Return the previous question with its numbers replaced by those of a change that count the same thing.

    If a number matches none, it is appended to the question if it is the whole change; else the result is None.
    """
    changes = quantities(change)
    for quantity in changes:
        candidates = list(quantities(previous))
        same = [candidate for candidate in candidates if _counted(candidate) & _counted(quantity)]
        if not same and not _counted(quantity) and len(candidates) == 1:
            same = candidates
        if same:
            previous = previous[: same[0].start] + quantity.text + previous[same[0].end :]
        elif quantity.text == change:
            return f"{previous.rstrip('?!. ')} {change}"
        else:
            return None
    return previous if changes else None


def _counted(quantity: Quantity) -> frozenset[str]:
    """Return what a number counts or is labelled with: `kilogram`, `level`."""
    return frozenset(singular(word) for word in (quantity.unit, quantity.label) if word)


def _with_name(turn: Turn, change: str) -> str | None:
    """Return the previous question with another thing in place of the one that answered it; None if the change or the
    question names none."""
    if _REFERRING.issuperset(_words(change)):
        return None
    words = list(_WORD.finditer(turn.question))
    every = (_runs([not names.isdisjoint(_words(word[0])) for word in words]) for names in (turn.words, *turn.titles))
    runs = next(filter(None, every), None)
    if not runs:
        return None
    first, last = max(runs, key=lambda run: run[1] - run[0])
    following = words[last + 1][0] if last + 1 < len(words) else ""
    if following.isdigit() and (any(map(str.isdigit, change)) or following in _WORD.findall(turn.name)):
        last += 1  # of "alarm 4", the number too
    start, end = _whole_names(turn.question, words[first].start(), words[last].end())
    article = _ARTICLE.match(turn.question[words[first - 1].start() : start]) if first else None
    if article and _ARTICLE.match(change):
        start = words[first - 1].start()
    return turn.question[:start] + change + turn.question[end:]


def _whole_names(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a part of a text with the rest of the identifiers at its ends: of `BATCH`, `K6_BATCH`."""
    before, after = _BEFORE.search(text, 0, start), _AFTER.match(text, end)
    return before.start() if before else start, after.end() if after else end


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the first and last position of each run of true flags."""
    runs: list[tuple[int, int]] = []
    for position, flag in enumerate(flags):
        if flag and runs and runs[-1][1] == position - 1:
            runs[-1] = (runs[-1][0], position)
        elif flag:
            runs.append((position, position))
    return runs


def _words(text: str) -> list[str]:
    """Return the words that may name something, in lower case, without a plural `s`."""
    words = (match[0].casefold() for match in _WORD.finditer(text))
    return [word.removesuffix("s") for word in words if len(word) >= _SHORTEST and not word.isdigit()]
