"""Mentions of tables in a question: amounts, names, and words that compare or step."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite

from retrieval.language.canonical import Canonical, canonical_term
from retrieval.language.english import word_set
from retrieval.language.identifiers import MARK, Known, Whole, identifiers, is_address, known_identifiers, sign_of
from retrieval.language.numbers import AS_TEXT, Quantity, quantities
from retrieval.language.numbers.columns import DEGREES, column_noun
from retrieval.language.numbers.quantity import NUMBERING, short_for, slack
from retrieval.language.tokens import is_unspaced
from retrieval.language.vocabulary import Vocabulary

_DECIMAL = ""
"""The unit of a decimal number without a unit; a key of whole numbers never matches one, because prices have decimals
too."""
_HAIR = 1e-6
"""The largest difference between an excluded bound and the number as it is written."""
_PERCENT = "percent"
_DEGREE = "degree"
"""The unit of degrees in a question that names no scale: that of the table is assumed."""


@dataclass(frozen=True, slots=True)
class AmountInterval:
    """An interval in the base unit of what it measures. Both ends are included and may be infinite."""

    unit: str
    low: float
    high: float

    @property
    def is_step(self) -> bool:
        """Whether it is more than one value."""
        return self.high - self.low > 4 * (slack(self.low) + slack(self.high))

    def holds(self, other: "AmountInterval") -> bool:
        """Whether it contains the whole of another one, with the same unit."""
        return self.unit == other.unit and self.low <= other.low and other.high <= self.high


@dataclass(frozen=True, slots=True)
class MentionedAmount:
    """An amount that a question contains."""

    amount: AmountInterval
    span: tuple[int, int]
    """The first of the question's tokens that express it, and the one after the last."""


def row_amounts(quantity: Quantity, column: str) -> Iterator[AmountInterval]:
    """Yield the amounts that a row represents, slightly wider than written: two conversions of one value differ by a
    rounding error.

    Args:
        quantity: the quantity of its key, or of another step.
        column: the heading of that cell. `60` under `Points` are 60 points.
    """
    written = (quantity.written[0] - slack(quantity.written[0]), quantity.written[1] + slack(quantity.written[1]))
    if any(isfinite(end) and abs(end - round(end)) > _HAIR for end in quantity.written):
        yield AmountInterval(_DECIMAL, *written)
    if quantity.unit is not None:
        yield AmountInterval(quantity.unit, quantity.low - slack(quantity.low), quantity.high + slack(quantity.high))
    elif noun := column_noun(column):
        yield AmountInterval(noun, *written)
    if quantity.unit == DEGREES:
        yield AmountInterval(_DEGREE, *written)


def mentioned_amounts(question: Canonical) -> tuple[MentionedAmount, ...]:
    """Return the quantities with a unit in a question, its decimals, and fractions in words as percentages.

    Only those whose canonical form is the same within the question are found. A whole number without a unit may be
    anything, so it is left out.
    """
    return tuple(_mentioned_amounts(question))


def known_unit(unit: str, units: Collection[str]) -> str:
    """Return the name of a unit in the tables, given the units that they use."""
    return next((short for short in short_for(unit) if short in units), unit)


def _mentioned_amounts(question: Canonical) -> Iterator[MentionedAmount]:
    after = 0
    for quantity in quantities(question.written):
        amount = _mentioned_amount(quantity)
        run = tuple(canonical_term(quantity.text, question.vocabulary).split()) if amount else ()
        start = _find(question.tokens, run, after) if run else -1
        if amount and start >= 0:
            after = start + len(run)
            yield MentionedAmount(amount, (start, after))


def _mentioned_amount(quantity: Quantity) -> AmountInterval | None:
    if quantity.kind in AS_TEXT:
        return None
    if quantity.unit is None and _is_part(quantity):
        return AmountInterval(_PERCENT, 100 * quantity.low, 100 * quantity.high)
    return (
        AmountInterval(quantity.unit or _DECIMAL, quantity.low, quantity.high)
        if quantity.unit or _is_decimal(quantity)
        else None
    )


def _is_part(quantity: Quantity) -> bool:
    """Whether it is a fraction in words, such as `a quarter` of something: 25% of it."""
    return quantity.kind == "fraction" and not any(map(str.isdigit, quantity.text))


def _is_decimal(quantity: Quantity) -> bool:
    """Whether it is a decimal number that is not the number of something, as in `Table 3.2` and `version 2.0`."""
    numbers_something = quantity.follows_name or quantity.label in NUMBERING
    return quantity.kind == "number" and "." in quantity.text and not numbers_something


def _find(tokens: tuple[str, ...], run: tuple[str, ...], after: int) -> int:
    places = range(after, len(tokens) - len(run) + 1)
    return next((position for position in places if tokens[position : position + len(run)] == run), -1)


MOST = 63
"""The most tokens of a question that is read; a longer one excludes nothing."""
LONG = 4
"""This many words in a row are a name even if all are common: `I Want You to Know`."""
CODE = 5
"""Digits of a number that identifies one row, such as `6205.20`."""
_PAIR = 2
_QUESTION_WORDS = word_set("question_words")
_KEPT = 16


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of a vocabulary that matter when rows are compared, in canonical form."""

    idle: frozenset[str]
    """Words that explain nothing and need no explanation: `what`, `is`, `need`."""
    holding: frozenset[str]
    """Words of a question that may ask for other rows than the named one: `than`, `other`, `second`, `not`."""
    opposing: frozenset[str]
    """Words that oppose two things, or a throw and what it is against: `vs`."""
    joining: frozenset[str]
    """Words between the things that a question lists: `and`, `or`."""

    @staticmethod
    def of(vocabulary: Vocabulary) -> "Speech":
        """Return the words of a vocabulary; the same object for the same vocabulary."""
        return _speech(vocabulary)

    def is_name(self, run: Sequence[str]) -> bool:
        """Whether a run can name a row: it has a code or a word of at least two letters, and is not an idiom."""
        says = len(run) >= LONG or not all(token in self.idle or token in self.holding for token in run)
        return says and (_has_long_word(run) or self.is_code(run))

    def is_bare(self, run: Sequence[str]) -> bool:
        """Whether a run is one whole number or one letter, which alone may be anything."""
        return len(run) == 1 and (run[0].isdecimal() or _is_letter(run[0])) and not self.is_code(run)

    def is_code(self, run: Sequence[str]) -> bool:
        """Whether a run is an identifier or has no word of two letters: `m 12`, `0 x 1 a`, five digits; not `a 4`."""
        if len(run) == 1:
            return run[0].startswith(MARK) or sum(map(str.isdigit, run[0])) >= CODE
        if _has_long_word(run):
            return False
        letters = [token for token in run if _is_word(token) and token not in self.idle]
        return bool(letters) and any(map(_has_digit, run)) and (len(run) > _PAIR or run[0] in letters)


@dataclass(frozen=True, slots=True)
class QueryMentions:
    """A question by the places of its tokens; bit i of a mask is token i."""

    tokens: tuple[str, ...]
    """In canonical form; an identifier that the tables contain is one token, its key."""
    spoken: tuple[str, ...]
    """The same as people read them: with the parts of an identifier instead of its key."""
    places: dict[str, int]
    """The mask of the places of each token."""
    informative: int
    """All tokens except idle words."""
    words: int
    """Tokens with a letter and without a digit."""
    figures: int
    """Tokens with a digit."""
    holding: int
    joined: int
    """First or last tokens of a part of a list, next to a joining word but for idle words: both sides of `and`."""
    opposed: tuple[tuple[int, int], ...]
    """Every opposing word, and the next word after it that is not idle, as masks."""
    open: bool
    """Whether it leaves a bound open (`level 7 or higher`)."""
    amounts: tuple[MentionedAmount, ...]
    speech: Speech

    @staticmethod
    def of(question: Canonical, units: Collection[str], known: Known) -> "QueryMentions | None":
        """Read a question; None if it is too long. `units` and `known` identifiers are those of the tables."""
        if not 0 < len(question.tokens) <= MOST:
            return None
        speech = Speech.of(question.vocabulary)
        written = identifier_tokens(question.written, question.vocabulary)
        whole = list(_not_words(known_identifiers(question.tokens, written, known), question.tokens, written, known))
        tokens = contracted(question.tokens, whole)
        places: dict[str, int] = {}
        for position, token in enumerate(tokens):
            places[token] = places.get(token, 0) | 1 << position
        twice = (
            number
            for number in range(1, len(tokens))
            if tokens[number - 1] == "and" and tokens[number] in _QUESTION_WORDS
        )
        return QueryMentions(
            tokens,
            tuple(_spoken(question.tokens, whole)),
            places,
            _mask(position for position, token in enumerate(tokens) if token not in speech.idle),
            _mask(position for position, token in enumerate(tokens) if _is_word(token)),
            _mask(position for position, token in enumerate(tokens) if _has_digit(token)),
            _mask(position for position, token in enumerate(tokens) if token in speech.holding) | _mask(twice),
            _joined(tokens, speech),
            tuple(_opposed(tokens, speech)),
            bool(question.intervals) or any(quantity.kind == "open" for quantity in quantities(question.written)),
            tuple(_in_units(_moved(mentioned_amounts(question), whole), units)),
            speech,
        )

    def mask(self, words: Iterable[str]) -> int:
        """Return the places of some words."""
        mask = 0
        for word in words:
            mask |= self.places.get(word, 0)
        return mask

    def settled(self, heads: int) -> int:
        """Return opposing words that do not compare rows of a table: they oppose words of its heads.

        `saving throw vs poison` asks for the column of that name.
        """
        settled = 0
        for word, following in self.opposed:
            settled |= word if following & heads else 0
        return settled

    def is_code(self, mask: int) -> bool:
        """Whether the tokens at these places are a code."""
        return self.speech.is_code(self.tokens_at(mask))

    def is_bare(self, mask: int) -> bool:
        """Whether the token at this place is a number or a letter without a label."""
        return self.speech.is_bare(self.tokens_at(mask))

    def tokens_at(self, mask: int) -> list[str]:
        """Return the tokens at these places."""
        return [token for position, token in enumerate(self.tokens) if mask >> position & 1]

    def is_joined(self, mask: int) -> bool:
        """Whether a run of words is a part of a list, so that another row may be meant, too: `the rope and tackle`."""
        ends = mask & ~(mask << 1) | mask & ~(mask >> 1)
        return bool(ends & self.joined) and not mask & self.figures

    def text_at(self, mask: int) -> str:
        """Return the tokens at these places."""
        return " ".join(token for position, token in enumerate(self.spoken) if mask >> position & 1)


def identifier_tokens(text: str, vocabulary: Vocabulary) -> list[str]:
    """Return the keys of the identifiers in a text, made from its canonical tokens; a numeric address keeps its
    slash."""
    return [
        MARK + sign_of(identifier) + ("/" if is_address(identifier) else "").join(_parts(identifier, vocabulary))
        for identifier in identifiers(text)
    ]


def _not_words(
    whole: Sequence[Whole], tokens: Sequence[str], written: Collection[str], known: Known
) -> Iterator[Whole]:
    """Yield the identifiers, except a word that is a name itself: where both are keys, `userid` is not `user_id`."""
    single = [tokens[start] for start, stop, key in whole if stop == start + 1 and key not in written]
    names = {word for word, is_name in zip(single, known(single), strict=True) if is_name}
    for start, stop, key in whole:
        if stop > start + 1 or key in written or tokens[start] not in names:
            yield start, stop, key


def _parts(identifier: str, vocabulary: Vocabulary) -> list[str]:
    return canonical_term(identifier.removeprefix(sign_of(identifier)), vocabulary).split()


def contracted(tokens: Sequence[str], whole: Sequence[Whole]) -> tuple[str, ...]:
    """Return the tokens with the parts of each identifier replaced by its key."""
    replaced = list(tokens)
    for start, stop, key in reversed(whole):
        replaced[start:stop] = [key]
    return tuple(replaced)


def _spoken(tokens: Sequence[str], whole: Sequence[Whole]) -> Sequence[str]:
    return contracted(tokens, [(start, stop, " ".join(tokens[start:stop])) for start, stop, _ in whole])


def _moved(amounts: Iterable[MentionedAmount], whole: Sequence[Whole]) -> Iterator[MentionedAmount]:
    """Yield the amounts at their places after identifiers are contracted; a number that is part of one is left out."""
    for amount in amounts:
        start, stop = amount.span
        if all(stop <= first or last <= start for first, last, _ in whole):
            less = sum(last - first - 1 for first, last, _ in whole if last <= start)
            yield replace(amount, span=(start - less, stop - less))


def _in_units(amounts: Iterable[MentionedAmount], units: Collection[str]) -> Iterator[MentionedAmount]:
    for amount in amounts:
        yield replace(amount, amount=replace(amount.amount, unit=known_unit(amount.amount.unit, units)))


def span_mask(start: int, stop: int) -> int:
    """Return the places start .. stop - 1 as a mask."""
    return (1 << stop) - (1 << start)


def _joined(tokens: Sequence[str], speech: Speech) -> int:
    skipped = speech.idle - speech.joining
    sides = (range(len(tokens)), range(len(tokens) - 1, -1, -1))
    mask = 0
    for side in sides:
        after_joining = False
        for position in side:
            if tokens[position] in speech.joining:
                after_joining = True
            elif tokens[position] not in skipped:
                mask |= after_joining << position
                after_joining = False
    return mask


def _opposed(tokens: Sequence[str], speech: Speech) -> Iterator[tuple[int, int]]:
    for position, token in enumerate(tokens):
        if token in speech.opposing:
            after = (at for at in range(position + 1, len(tokens)) if tokens[at] not in speech.idle)
            following = next(after, None)
            if following is not None:
                yield 1 << position, 1 << following


def _mask(places: Iterable[int]) -> int:
    mask = 0
    for position in places:
        mask |= 1 << position
    return mask


def _has_long_word(run: Iterable[str]) -> bool:
    run = list(run)
    return any(len(token) > 1 and _is_word(token) for token in run) or sum(map(is_unspaced, run)) > 1


def _is_word(token: str) -> bool:
    return any(map(str.isalpha, token)) and not _has_digit(token)


def _is_letter(token: str) -> bool:
    return len(token) == 1 and token.isalpha() and token.isascii()


def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


@lru_cache(maxsize=_KEPT)
def _speech(vocabulary: Vocabulary) -> Speech:
    def canonical(words: Iterable[str]) -> frozenset[str]:
        return frozenset(token for word in words for token in canonical_term(word, vocabulary).split())

    stepping = (*vocabulary.holding_words, *vocabulary.ordinals)
    return Speech(
        canonical(vocabulary.idle_words),
        canonical(stepping),
        canonical(vocabulary.opposing_words),
        canonical(vocabulary.list_words),
    )
