"""Numbers that belong together: a value, a list or a range, read forwards.

Rule 5 of the canonical text. A list goes on only where the next number cannot be counting a noun.
"""

from typing import NamedTuple

from retrieval.query_must.canonical.sentence import Sentence
from retrieval.query_must.tokens import Token
from retrieval.query_must.vocabulary.numbers import Numeral, numerals, spell_out
from retrieval.query_must.vocabulary.words import Label


class Run(NamedTuple):
    """Numbers that belong together, and the tokens [start, stop) that said so."""

    numerals: tuple[Numeral, ...]
    spans: tuple[tuple[float, float], ...]
    """Intervals too long to be spelled out."""
    start: int
    stop: int


class Link(NamedTuple):
    """What joins a number to the next one, which is at `at`."""

    at: int
    ranged: bool
    tight: bool = False
    """A bare dash: nothing can count a noun here."""
    reversed_sign: bool = False
    """`levels 1 –3`: the label has no negative numbers, so the sign is the dash of a range."""


def read_run(
    sentence: Sentence, start: int, label: Label, *, between: bool = False, plural: bool = False, stop: int = 0
) -> Run:
    """Read the list or range that begins with the numeral at `start`.

    `between` makes the first `and` a range. `plural` (`levels 3 and 4 clerics`) promises a list. With `stop`, the
    numbers before that token are known to belong together (they come before their label), and no question is asked
    about what follows each.
    """
    values = list(numerals(sentence.at(start), label, one_reading=sentence.one_reading))
    spans: list[tuple[float, float]] = []
    end = start + 1
    while (not stop or end < stop) and (link := find_link(sentence, end, label, between=between)) is not None:
        if not stop and not _goes_on(sentence, link, end - 1, plural):
            break
        following = _following(sentence, link, label)
        if link.ranged:
            spelled, span = spell_out(values[-1], following[0])
            values.extend(spelled)
            spans.extend(span)
        else:
            values.extend(following)
        end, between = link.at + 1, False
    return Run(tuple(values), tuple(spans), start, end)


def _following(sentence: Sentence, link: Link, label: Label) -> tuple[Numeral, ...]:
    values = numerals(sentence.at(link.at), label, one_reading=sentence.one_reading)
    if not link.reversed_sign:
        return values
    return tuple(Numeral(value.text.removeprefix("-"), -value.value, value.plain) for value in values)


def find_link(sentence: Sentence, at: int, label: Label, *, between: bool = False) -> Link | None:
    """Find what joins the number before `at` to a next one, or None."""
    token, lexicon = sentence.at(at), sentence.lexicon
    if token.kind == "number" and token.text.startswith("-") and not label.negative:
        return Link(at, ranged=True, tight=True, reversed_sign=True)
    ranged = tight = False
    if token.text == "-" and token.kind == "mark":
        ranged = tight = True
        at += 1
    elif sentence.is_word(at, lexicon.range_words):
        ranged = True
        at += 1
    elif token.raw == "up" and sentence.at(at + 1).raw == "to":
        ranged = True
        at += 2
    else:
        after = _skip_list_words(sentence, at)
        if after == at:
            return None
        ranged, at = between and _says_and(sentence.at(after - 1)), after
    if ranged:
        at = _skip_repeated_label(sentence, at, label)
    return Link(at, ranged, tight) if sentence.is_numeral(at) else None


def _skip_repeated_label(sentence: Sentence, at: int, label: Label) -> int:
    """Step over the second label of `between an AC of 2 and an AC of 4`."""
    at = sentence.after_article(at)
    if sentence.at(at).kind == "label" and sentence.at(at).text == label.name:
        at += 1
        if sentence.at(at).raw == "of":
            at += 1
    return at


def _says_and(token: Token) -> bool:
    return token.raw == "and" or token.text == "&"


def _skip_list_words(sentence: Sentence, at: int) -> int:
    if sentence.at(at).text in (",", ";", "/"):
        at += 1
    if sentence.at(at).text == "&" or sentence.is_word(at, sentence.lexicon.list_words):
        at += 1
    return at


def _goes_on(sentence: Sentence, link: Link, previous: int, plural: bool) -> bool:
    """Whether the next number of a list is the label's too, and does not count what follows it."""
    if sentence.at(previous).ordinal != sentence.at(link.at).ordinal:
        return False
    following = sentence.at(link.at + 1)
    if following.kind == "label":
        return link.ranged and sentence.has_own_number(link.at + 1)
    if link.tight or following.kind != "word":
        return following.text != "%" and (following.kind == "mark" or link.ranged)
    if sentence.is_unit(link.at + 1):
        return False
    if link.ranged or plural or sentence.is_word(link.at + 1, sentence.lexicon.connectives):
        return True
    # After a choice a singular noun is described, not counted: `level 3 or 4 cleric`, but `AC 3 or 12 goblins`.
    return sentence.at(link.at - 1).raw == "or" and not sentence.is_plural(link.at + 1)
