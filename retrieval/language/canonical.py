"""Canonical text: the form in which questions and terms are compared.

`canonical` reads a question, `canonical_term` a term, `literal` a quoted cell. A term is in a question if
its canonical form occurs there on word boundaries. `Canonical.has` checks this and two more rules: a bare number must
be a free number of the question, and an open bound (`level 7 or higher`) includes the values that it covers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import isnan
from types import MappingProxyType
from typing import Protocol

from retrieval.language.binding import Binding, Sentence, bind
from retrieval.language.lexer import AT_ONCE
from retrieval.language.tokens import Token, tokenize
from retrieval.language.vocabulary import Vocabulary

_BREAK = ","
"""Separates an adjacent label and number that do not belong together."""


@dataclass(frozen=True, slots=True)
class Span:
    """An interval of a question whose values are not enumerated: `level 7 or higher`. Ends are included."""

    label: str
    low: float
    high: float


class KeepsOut(Protocol):
    """The exclusion of keyed tables' rows by a question."""

    def why(self, table: str, row: int) -> str:
        """Return why a row is excluded; empty if it is not."""

    def why_not_applied(self, table: str, row: int) -> str:
        """Return why no row is excluded although one of this table is named; empty if none is named or some are."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """A question in canonical form."""

    tokens: tuple[str, ...]
    text: str
    """The tokens joined by one space, with one space before and after."""
    bound: Mapping[str, tuple[float, ...]]
    """Numbers by the canonical name of the label that they belong to."""
    free_numbers: tuple[float, ...]
    """Plain numbers, bound or not, without ordinals, dice, fractions and codes."""
    intervals: tuple[Span, ...]
    vocabulary: Vocabulary
    written: str = field(default="", compare=False, repr=False)
    """The question as it was asked."""
    rivals: KeepsOut | None = field(default=None, compare=False, repr=False)
    """Rows that it excludes by naming others; None if not determined, so that `contain_no_rival` has no effect."""

    def has(self, term: str) -> bool:
        """Whether a term is in the question; never for a term without a letter or digit."""
        return self.has_canonical(canonical_term(term, self.vocabulary))

    def has_canonical(self, term: str) -> bool:
        """Whether a canonical term is in the question."""
        if not term:
            return False
        number = as_number(term)
        if number is not None:
            return number in self.free_numbers
        return f" {term} " in self.text or (bool(self.intervals) and self._covers(term))

    def _covers(self, term: str) -> bool:
        point = as_point(term, self.vocabulary)
        return point is not None and any(
            span.label == point[0] and span.low <= point[1] <= span.high for span in self.intervals
        )


def canonical(text: str, vocabulary: Vocabulary | None = None) -> Canonical:
    """Return a question in canonical form, by default with the package's vocabulary. Never raises for a string."""
    return _read(text, vocabulary or Vocabulary.default())


@lru_cache(maxsize=AT_ONCE)
def _read(text: str, vocabulary: Vocabulary) -> Canonical:
    """Return a question in canonical form, cached because a search and its embedder read the same question."""
    sentence = Sentence(vocabulary.lexicon.mark_phrases(tokenize(text)), vocabulary.lexicon)
    bindings = bind(sentence)
    bound, intervals = _numbers_by_label(sentence, bindings)
    tokens = tuple(_spell(sentence, bindings))
    return Canonical(
        tokens=tokens,
        text=f" {' '.join(tokens)} ",
        bound=MappingProxyType(bound),
        free_numbers=tuple(_free_numbers(sentence, bindings)),
        intervals=intervals,
        vocabulary=vocabulary,
        written=text,
    )


@lru_cache(maxsize=1 << 16)
def canonical_term(term: str, vocabulary: Vocabulary | None = None) -> str:
    """Return a term's canonical form, its tokens joined by one space; empty if it has no letter or digit.

    It is the same form as a question's, except that `AC-2` in a term means minus two.
    """
    vocabulary = vocabulary or Vocabulary.default()
    sentence = Sentence(vocabulary.lexicon.mark_phrases(tokenize(term)), vocabulary.lexicon, one_reading=True)
    return " ".join(_spell(sentence, bind(sentence)))


def literal(text: str, vocabulary: Vocabulary | None = None) -> str:
    """Return the literal form, without binding and lists, for cells that a question quotes."""
    vocabulary = vocabulary or Vocabulary.default()
    sentence = Sentence(vocabulary.lexicon.mark_phrases(tokenize(text)), vocabulary.lexicon)
    return " ".join(_spell(sentence, None))


def as_number(term: str) -> float | None:
    """Return the value of a canonical term that is one bare number, or None."""
    # Not isdigit, which accepts circled digits.
    if not (term[-1:].isdecimal() and term.lstrip("-").replace(".", "", 1).isdecimal()):
        return None
    value = float(term)
    return None if value in (float("inf"), float("-inf")) else value


def as_point(term: str, vocabulary: Vocabulary) -> tuple[str, float] | None:
    """Return (label, value) of a canonical term that is a label and its number, or None."""
    name, _, figure = term.rpartition(" ")
    value = as_number(figure) if name in vocabulary.lexicon.labels else None
    return None if value is None else (name, value)


def _spell(sentence: Sentence, bindings: Sequence[Binding] | None) -> Iterator[str]:
    """Yield the words of a sentence, labels before their numbers; for None, as written."""
    starts = {binding.start: binding for binding in bindings or ()}
    index, open_label = 0, False
    while index < len(sentence.tokens):
        binding = starts.get(index)
        if binding is not None:
            for numeral in binding.numerals:
                yield from binding.label.name.split()
                yield numeral.text
            index, open_label = binding.stop, False
            continue
        token = sentence.tokens[index]
        if token.kind == "label":
            yield from token.text.split()
            index, open_label = index + 1, bindings is not None
            continue
        words, size = _plain_words(sentence, index, starts)
        if words and open_label:
            if words[0][-1].isdigit() and token.kind != "whole":
                yield _BREAK
            open_label = False
        yield from words
        index += size


def _plain_words(sentence: Sentence, index: int, starts: Mapping[int, Binding]) -> tuple[list[str], int]:
    """Return the words of an unbound token, and the number of tokens read."""
    token = sentence.tokens[index]
    if token.kind == "mark":
        return [], 1
    if token.kind == "spelled":
        return ([_figure_of(token)] if _stands_as_figure(sentence, index) else token.text.split()), 1
    if _is_whole_range(sentence, index) and index + 2 not in starts:
        return [f"{token.text}-{sentence.at(index + 2).text.removeprefix('-')}"], 3
    return [token.text], 1


def _stands_as_figure(sentence: Sentence, index: int) -> bool:
    """Whether a number word becomes digits: beside a label, or before a counted noun of the vocabulary."""
    following = sentence.at(index + 1)
    if following.kind == "word":
        return following.text in sentence.lexicon.counted or sentence.at(index - 1).kind == "label"
    return following.kind == "label" or sentence.at(index - 1).kind == "label"


def _is_whole_range(sentence: Sentence, index: int) -> bool:
    """Whether an unlabelled range like `7-3` begins here, which remains one token."""
    return (
        sentence.at(index).kind == "number"
        and sentence.at(index + 1).text == "-"
        and sentence.at(index + 2).kind == "number"
        and sentence.at(index + 3).text != "-"
    )


def _figure_of(token: Token) -> str:
    number = f"{token.value:.0f}"
    if not token.ordinal:
        return number
    ending = "th" if number[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    return number + ending


def _numbers_by_label(
    sentence: Sentence, bindings: list[Binding]
) -> tuple[dict[str, tuple[float, ...]], tuple[Span, ...]]:
    bound: dict[str, dict[float, None]] = {}
    intervals: dict[Span, None] = {}
    for binding in bindings:
        values = dict.fromkeys(numeral.value for numeral in binding.numerals if not isnan(numeral.value))
        for name in (binding.label.name, *sentence.lexicon.tails[binding.label.name]):
            if values:
                bound.setdefault(name, {}).update(values)
            intervals.update(dict.fromkeys(Span(name, low, high) for low, high in binding.spans))
    return {name: tuple(values) for name, values in bound.items()}, tuple(intervals)


def _free_numbers(sentence: Sentence, bindings: list[Binding]) -> Iterator[float]:
    """Yield each plain number once, in the order of the question."""
    seen: dict[float, None] = {}
    starts = {binding.start: binding for binding in bindings}
    index = 0
    while index < len(sentence.tokens):
        token, binding = sentence.tokens[index], starts.get(index)
        if binding is not None:
            seen.update((n.value, None) for n in binding.numerals if n.plain)
            index = binding.stop
        elif _is_whole_range(sentence, index):
            index += 3
        else:
            counted = token.kind == "spelled" and not token.ordinal and _stands_as_figure(sentence, index)
            if (token.kind == "number" and not token.glue) or counted:
                seen[token.value] = None
            index += 1
    yield from (value for value in seen if not isnan(value))
