"""What the words of a question do: those that say nothing, those that compare or step, those that ask."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from retrieval.query_must.canonical.canonical import Canonical, canonical_term
from retrieval.query_must.rivals.amounts import SaidAmount, said_amounts
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

MOST = 63
"""Tokens of a question that are read; a longer one keeps nothing out."""
LONG = 4
"""So many words together are a name, whatever they are: `I Want You to Know`."""
_ASKING = frozenset({"what", "which", "who", "when", "where", "how", "why"})
_KEPT = 16


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of a vocabulary that matter to a comparison of rows, in canonical form."""

    idle: frozenset[str]
    """They explain nothing and need no explanation: `what`, `is`, `need`."""
    holding: frozenset[str]
    """A question with one of them may want other rows than the one that it names: `than`, `other`, `second`, `not`."""
    opposing: frozenset[str]
    """What sets two things against each other, or a throw against what it is thrown for: `vs`."""

    @staticmethod
    def of(vocabulary: Vocabulary) -> "Speech":
        """Those of a vocabulary; the same object for the same vocabulary."""
        return _speech(vocabulary)

    def is_name(self, run: Sequence[str]) -> bool:
        """Whether a run of tokens can name a row: it has a word of two letters, and is no mere turn of phrase."""
        says = len(run) >= LONG or not all(token in self.idle or token in self.holding for token in run)
        return says and any(len(token) > 1 and _is_word(token) for token in run)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question by the places of its tokens; bit i of a mask is token i."""

    tokens: tuple[str, ...]
    places: dict[str, int]
    """By token: the mask of its places."""
    informative: int
    """All but idle words."""
    words: int
    """Tokens with a letter and without a digit."""
    figures: int
    """Tokens with a digit."""
    holding: int
    opposed: tuple[tuple[int, int], ...]
    """Every opposing word, and the next word after it that is not idle; as masks."""
    open: bool
    """Whether it leaves a bound open (`level 7 or higher`)."""
    amounts: tuple[SaidAmount, ...]

    @staticmethod
    def of(question: Canonical) -> "Asked | None":
        """Read a question; None if it is too long."""
        tokens = question.tokens
        if not 0 < len(tokens) <= MOST:
            return None
        speech = Speech.of(question.vocabulary)
        places: dict[str, int] = {}
        for place, token in enumerate(tokens):
            places[token] = places.get(token, 0) | 1 << place
        twice = (place for place in range(1, len(tokens)) if tokens[place - 1] == "and" and tokens[place] in _ASKING)
        return Asked(
            tokens,
            places,
            _mask(place for place, token in enumerate(tokens) if token not in speech.idle),
            _mask(place for place, token in enumerate(tokens) if _is_word(token)),
            _mask(place for place, token in enumerate(tokens) if _has_digit(token)),
            _mask(place for place, token in enumerate(tokens) if token in speech.holding) | _mask(twice),
            tuple(_opposed(tokens, speech)),
            bool(question.intervals),
            said_amounts(question),
        )

    def mask(self, words: Iterable[str]) -> int:
        """The places of some words."""
        found = 0
        for word in words:
            found |= self.places.get(word, 0)
        return found

    def settled(self, heads: int) -> int:
        """Opposing words that compare no rows of a table: what they oppose are words of its heads.

        `saving throw vs poison` asks the column of that name.
        """
        found = 0
        for word, following in self.opposed:
            found |= word if following & heads else 0
        return found

    def said(self, mask: int) -> str:
        """The tokens at these places."""
        return " ".join(token for place, token in enumerate(self.tokens) if mask >> place & 1)


def span_mask(start: int, stop: int) -> int:
    """The places start .. stop - 1."""
    return (1 << stop) - (1 << start)


def _opposed(tokens: Sequence[str], speech: Speech) -> Iterator[tuple[int, int]]:
    for place, token in enumerate(tokens):
        if token in speech.opposing:
            after = (at for at in range(place + 1, len(tokens)) if tokens[at] not in speech.idle)
            following = next(after, None)
            if following is not None:
                yield 1 << place, 1 << following


def _mask(places: Iterable[int]) -> int:
    found = 0
    for place in places:
        found |= 1 << place
    return found


def _is_word(token: str) -> bool:
    return any(map(str.isalpha, token)) and not _has_digit(token)


def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


@lru_cache(maxsize=_KEPT)
def _speech(vocabulary: Vocabulary) -> Speech:
    def canonical(words: Iterable[str]) -> frozenset[str]:
        return frozenset(token for word in words for token in canonical_term(word, vocabulary).split())

    stepping = (*vocabulary.sibling_words, *vocabulary.holding_words, *vocabulary.ordinals)
    return Speech(canonical(vocabulary.idle_words), canonical(stepping), canonical(vocabulary.opposing_words))
