"""What the words of a question do: those that say nothing, those that compare or step, those that ask."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from retrieval.query_must.canonical.canonical import Canonical, canonical_term
from retrieval.query_must.rivals.amounts import SaidAmount, known_unit, said_amounts
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

MOST = 63
"""Tokens of a question that are read; a longer one keeps nothing out."""
LONG = 4
"""So many words together are a name, whatever they are: `I Want You to Know`."""
CODE = 5
"""Figures of a number that is one row's own, as `6205.20`."""
_PAIR = 2
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
        """Whether a run can name a row: it has a code or a word of two letters, and is no turn of phrase."""
        says = len(run) >= LONG or not all(token in self.idle or token in self.holding for token in run)
        return says and (_has_long_word(run) or self.is_code(run))

    def is_code(self, run: Sequence[str]) -> bool:
        """Whether a run has no word of two letters: `m 12`, `e 41`, `0 x 1 a`, five figures; not `a 4` and `4 m`."""
        if len(run) == 1:
            return sum(map(str.isdigit, run[0])) >= CODE
        if _has_long_word(run):
            return False
        letters = [token for token in run if _is_word(token) and token not in self.idle]
        return bool(letters) and any(map(_has_digit, run)) and (len(run) > _PAIR or run[0] in letters)


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
    speech: Speech

    @staticmethod
    def of(question: Canonical, units: Collection[str] = ()) -> "Asked | None":
        """Read a question; None if it is too long. `units` are those that the tables know."""
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
            tuple(_in_units(said_amounts(question), units)),
            speech,
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

    def is_code(self, mask: int) -> bool:
        """Whether a code stands at these places."""
        return self.speech.is_code(self._at(mask))

    def said(self, mask: int) -> str:
        """The tokens at these places."""
        return " ".join(self._at(mask))

    def _at(self, mask: int) -> list[str]:
        return [token for place, token in enumerate(self.tokens) if mask >> place & 1]


def _in_units(amounts: Iterable[SaidAmount], units: Collection[str]) -> Iterator[SaidAmount]:
    for each in amounts:
        yield replace(each, amount=replace(each.amount, unit=known_unit(each.amount.unit, units)))


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


def _has_long_word(run: Iterable[str]) -> bool:
    return any(len(token) > 1 and _is_word(token) for token in run)


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
