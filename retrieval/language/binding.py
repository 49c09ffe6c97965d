"""Binding of numbers to the labels of a sentence, and open bounds (rules 4 and 5 of canonical text).

A label binds numbers to its left (`7th level`, `3rd to 5th level`, `6 AC`) and right (`AC 6`, `AC: 6`, `an AC of 6`). A
number that one label has bound is not available to the next. The rules prefer to bind too much: a number that is bound
unnecessarily admits one more row, while a missed number hides the row that was asked for.
"""

from math import isnan
from typing import NamedTuple

from retrieval.language.lexicon import Label, Lexicon
from retrieval.language.tokens import Token
from retrieval.language.vocabulary import Numeral, bound, numerals, spell_out

END = Token("mark", "")
"""The token before the first and after the last one."""

_NUMERALS = ("number", "ordinal", "spelled")
_NUMERAL_WHOLES = ("fraction", "slashed", "sum")
_ARTICLES = ("a", "an", "the")


class Sentence(NamedTuple):
    """Tokens and the lexicon that marked them."""

    tokens: list[Token]
    lexicon: Lexicon
    one_reading: bool = False
    """Whether only the likelier of two readings (`AC-2`, `level 7/8`) is used, as in a term."""

    def at(self, index: int) -> Token:
        """Return the token at an index, or END if there is none."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else END

    def is_word(self, index: int, words: frozenset[str]) -> bool:
        """Whether the token is one of these words."""
        token = self.at(index)
        return token.kind == "word" and token.raw in words

    def is_numeral(self, index: int) -> bool:
        """Whether a label can bind the token: a number, an ordinal, a number word or a fraction."""
        token = self.at(index)
        return token.kind in _NUMERALS or (token.kind == "whole" and token.glue in _NUMERAL_WHOLES)

    def is_counted(self, index: int) -> bool:
        """Whether the token is a unit, a per cent sign or the plural of a counted noun, unlike that of `4 cleric`."""
        return self.is_unit(index) or (self.is_plural(index) and self.at(index).text in self.lexicon.counted)

    def is_unit(self, index: int) -> bool:
        """Whether the token is a unit or a per cent sign: in `3 in`, but not in `an AC of 3 in the first table`."""
        token = self.at(index)
        if token.kind != "word":
            return token.text == "%"
        connects = token.raw in self.lexicon.connectives and self.at(index + 1).kind != "mark"
        return token.text in self.lexicon.units and not connects

    def is_plural(self, index: int) -> bool:
        """Whether the token is a word or a label in the plural."""
        token = self.at(index)
        return token.kind in ("word", "label") and self.lexicon.fold(token.raw) != token.raw

    def has_own_number(self, index: int) -> bool:
        """Whether the label at `index` is followed by its own number: `wis 15`, `HD: 4`."""
        index += 1
        while self.at(index).text in (":", "="):
            index += 1
        return self.is_numeral(index) or self.at(index).kind == "whole"

    def follows_between(self, index: int) -> bool:
        """Whether `between`, optionally with an article, precedes a token."""
        return self.at(self.before_article(index) - 1).raw == "between"

    def before_article(self, index: int) -> int:
        """Return the index of the article before a token, or the index itself if there is none."""
        return index - 1 if self.at(index - 1).raw in _ARTICLES else index

    def after_article(self, index: int) -> int:
        """Return the index after an article, or the index itself if there is none."""
        return index + 1 if self.at(index).raw in _ARTICLES else index


class Run(NamedTuple):
    """Numbers that belong together, and their tokens [start, stop)."""

    numerals: tuple[Numeral, ...]
    spans: tuple[tuple[float, float], ...]
    """Intervals that are too long to be enumerated."""
    start: int
    stop: int


class Link(NamedTuple):
    """The connection of a number to the next one, which is at `at`."""

    at: int
    ranged: bool
    tight: bool = False
    """Whether it is a bare dash, after which a number cannot count a noun."""
    reversed_sign: bool = False
    """Whether a sign is the dash of a range, because the label has no negative numbers: `levels 1 –3`."""


def read_run(
    sentence: Sentence, start: int, label: Label, *, between: bool = False, plural: bool = False, stop: int = 0
) -> Run:
    """Return the list or range that begins with the numeral at `start`.

    With `between`, the first `and` means a range. `plural` (`levels 3 and 4 clerics`) indicates a list. With `stop`,
    the numbers before that token are known to belong together because they precede their label, and the token after
    each is not examined.
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
    """Return the connection of the number before `at` to a next one, or None."""
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
    """Return the index after a repeated label, as in `between an AC of 2 and an AC of 4`."""
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
    """Whether the next number of a list also belongs to the label, and does not count the noun after it."""
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


_LONGEST_BRIDGE = 5
_BRACKETS = {"(": ")", "[": "]"}


class Binding(NamedTuple):
    """A label, its numbers, and the tokens [start, stop) that they replace."""

    label: Label
    numerals: tuple[Numeral, ...]
    spans: tuple[tuple[float, float], ...]
    start: int
    stop: int


def bind(sentence: Sentence) -> list[Binding]:
    """Return all bindings, left to right, without overlap."""
    bindings: list[Binding] = []
    floor = 0
    for index, token in enumerate(sentence.tokens):
        if token.kind != "label" or index < floor:
            continue
        label = sentence.lexicon.labels[token.text]
        binding = _bind_label(sentence, index, label, floor)
        if binding is not None:
            bindings.append(binding)
            floor = binding.stop
    return bindings


def _bind_label(sentence: Sentence, index: int, label: Label, floor: int) -> Binding | None:
    before = _run_before(sentence, index, label, floor)
    after, crossed, way = _run_after(sentence, index, label)
    if before is not None and after is not None:
        if not sentence.at(index - 1).ordinal:
            if _counts_labels(sentence, after.stop):
                after = None
            else:
                before = None
        elif crossed or sentence.is_counted(after.stop) or sentence.at(after.stop).kind == "label":
            after = None
    runs = [run for run in (before, after) if run is not None]
    if not runs:
        return None
    start, stop = min(index, runs[0].start), max(index + 1, runs[-1].stop)
    values = tuple(value for run in runs for value in run.numerals)
    spans = tuple(span for run in runs for span in run.spans)
    way = way or _way_around(sentence, start, stop, index)
    direction = _direction(label, way)
    if direction:
        spans = (*spans, *(bound(value.value, direction) for value in values if not isnan(value.value)))
    return Binding(label, values, spans, start, stop)


def _counts_labels(sentence: Sentence, stop: int) -> bool:
    """Whether a chain like `6 HD 5 AC 30 hp` ends in a label, so that each number belongs to the label after it."""
    while sentence.at(stop).kind == "label":
        if not sentence.is_numeral(stop + 1):
            return True
        stop += 2
    return False


def _run_after(sentence: Sentence, index: int, label: Label) -> tuple[Run | None, bool, str]:
    """Return the numbers to the right, whether a bridge was crossed, and the direction of an open bound."""
    at, between, way = _cross(sentence, index)
    crossed = at > index + 1 and sentence.at(at - 1).text != "."
    token = sentence.at(at)
    if token.glue == "opaque":
        # A die or a code belongs to the label only if it directly follows it.
        values = numerals(token, label, one_reading=True)
        return None if crossed else Run(values, (), at, at + 1), crossed, way
    if not sentence.is_numeral(at) or (crossed and not _may_meet(sentence, at)):
        return None, crossed, ""
    described = sentence.at(at + 1).kind in ("word", "label")
    if token.ordinal and described and not sentence.is_word(at + 1, sentence.lexicon.connectives):
        return None, crossed, ""
    if token.glue == "hyphen" and label.negative and token.kind == "number":
        return _both_readings(sentence, at, label), crossed, way
    run = read_run(sentence, at, label, between=between, plural=sentence.is_plural(index))
    return run, crossed, way


def _cross(sentence: Sentence, index: int) -> tuple[int, bool, str]:
    """Return the index after the words between a label and its number, whether `between` is one of them, and the
    direction of an open bound."""
    at, way = index + 1, ""
    between = sentence.follows_between(index)
    if sentence.at(at).text == "." and sentence.at(index).raw in sentence.lexicon.dotted:
        at += 1
    while at <= index + _LONGEST_BRIDGE:
        token = sentence.at(at)
        phrase, phrase_way = sentence.lexicon.bounds_before.starting(sentence.tokens, at)
        if phrase:
            at, way = at + phrase, phrase_way
        elif bridge := _bridge(sentence, at):
            at += bridge
        elif token.raw in ("between", "from"):
            at, between = at + 1, token.raw == "between" or between
        else:
            break
    return at, between, way


def _bridge(sentence: Sentence, at: int) -> int:
    """Return the length of the bridge that begins at a token: `is`, `equal to`, `:`, `(6)`; 0 if there is none."""
    token = sentence.at(at)
    if token.kind == "word":
        return sentence.lexicon.bridges.starting(sentence.tokens, at)[0]
    bracket = _BRACKETS.get(token.text, "")
    in_brackets = bracket and sentence.is_numeral(at + 1) and sentence.at(at + 2).text == bracket
    return int(token.kind == "mark" and (token.text in (":", "=", "-") or bool(in_brackets)))


def _may_meet(sentence: Sentence, at: int) -> bool:
    """Whether the number after a bridge does not belong to a unit, a noun or another label."""
    if sentence.at(at + 1).kind == "label":
        return sentence.has_own_number(at + 1)
    if sentence.at(at).kind == "spelled" and sentence.at(at + 1).raw in ("of", "half"):
        return False
    return not sentence.is_counted(at + 1)


def _both_readings(sentence: Sentence, at: int, label: Label) -> Run:
    """Return `AC-2` read as a negative number, and in a question also as a positive one."""
    positive = sentence.at(at)
    negative = positive._replace(text="-" + positive.text, value=-positive.value)
    signed = sentence._replace(tokens=[*sentence.tokens[:at], negative, *sentence.tokens[at + 1 :]])
    run = read_run(signed, at, label)
    if sentence.one_reading:
        return run
    return run._replace(numerals=(*run.numerals, *numerals(positive, label, one_reading=True)))


def _run_before(sentence: Sentence, index: int, label: Label, floor: int) -> Run | None:
    """Return the numbers to the left, none of them before `floor`."""
    last = index - 1 - sentence.lexicon.bounds_after.ending(sentence.tokens, index)[0]
    if last < floor or not _can_precede(sentence, last) or (label.counted and not sentence.at(last).ordinal):
        return None
    first = _first_of_list(sentence, last, label, floor)
    run = read_run(sentence, first, label, between=sentence.follows_between(first), stop=last + 1)
    return run._replace(stop=index + 1)


def _can_precede(sentence: Sentence, at: int) -> bool:
    """Whether the token is a number that may precede its label, unlike those of `+1 level` and `x86 level`."""
    token = sentence.at(at)
    return sentence.is_numeral(at) and token.glue not in ("letters", "hyphen") and token.raw[:1] not in ("+", "-")


def _first_of_list(sentence: Sentence, last: int, label: Label, floor: int) -> int:
    """Return the first index of a list like `3rd, 4th and 5th`; plain numbers with only commas are not a list."""
    first, joined = last, sentence.at(last).ordinal
    while True:
        for gap in (2, 3):
            candidate = first - gap
            if candidate < floor or sentence.at(candidate).ordinal != sentence.at(last).ordinal:
                continue
            if not _can_precede(sentence, candidate):
                continue
            link = find_link(sentence, candidate + 1, label)
            if link is not None and link.at == first and (joined or sentence.at(first - 1).text != ","):
                first, joined = candidate, True
                break
        else:
            return first


def _way_around(sentence: Sentence, start: int, stop: int, index: int) -> str:
    """Return the direction of an open bound around a binding: `at least level 7`, `13+ level`, `level 3 or higher`."""
    tokens, lexicon = sentence.tokens, sentence.lexicon
    after = lexicon.bounds_after.starting(tokens, stop)[1]
    return after or lexicon.bounds_before.ending(tokens, start)[1] or lexicon.bounds_after.ending(tokens, index)[1]


def _direction(label: Label, way: str) -> str:
    """Return the direction meant by `better` or `worse`; empty for a label without a direction."""
    if not label.better or not way:
        return ""
    if way == "better":
        return label.better
    if way == "worse":
        return "lower" if label.better == "higher" else "higher"
    return way
