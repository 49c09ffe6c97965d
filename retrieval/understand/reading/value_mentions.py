"""Finds where a question may name a metadata value."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.catalog.catalog import EMPTY, Catalog, CatalogField, yes_of
from retrieval.understand.catalog.words import Word, keys, stem
from retrieval.understand.reading.certainty import SORTS, People
from retrieval.understand.reading.grammar import ADVERBS, CONJUNCTIONS, GLUE, NEGATIONS, QUESTION_WORDS, QUOTES
from retrieval.understand.reading.value_names import PLUS, SMALL, TITLES, Mention, ValueNames

_LONGEST_TEXT = 8
"""The most words of a free text that a question may contain whole."""
_LINKS = frozenset({":", "=", "is", "of", "called", '"', "'", "“", "‘"})


@dataclass(frozen=True, eq=False)
class FreeTexts:
    """Finds whole values after the names of their fields."""

    catalog: Catalog

    def within(self, words: Sequence[Word]) -> Iterator[Mention]:
        """Yield the values that these words contain whole."""
        for field, values in self._values:
            for at, word in enumerate(words):
                begin = at + 1
                while begin < len(words) and words[begin].key in _LINKS:
                    begin += 1
                for stop in range(min(len(words), begin + _LONGEST_TEXT), begin, -1) if word.key in field.words else ():
                    keys = tuple(word.key for word in words[begin:stop] if word.key[0].isalnum())
                    if keys in values:
                        yield Mention(field, (values[keys],), at, stop, 1.0, granted=True)
                        break

    @cached_property
    def _values(self) -> Sequence[tuple[CatalogField, Mapping[tuple[str, ...], Scalar]]]:
        free = [field for field in self.catalog.dividing if field.kind == "free"]
        return [(field, {terms: value for value in field.counts if (terms := keys(str(value)))}) for field in free]


_STEMMED = 4
"""Least length of a word of a flag's name that is compared by its stem."""
_SHORTEST = 3
"""Least length of a value that matches regardless of case."""
_JOINED = re.compile(r"\band\b|&|\+|/", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Flags:
    """Finds the flags of a catalogue in questions."""

    catalog: Catalog

    def within(self, words: Sequence[Word]) -> Iterator[Mention]:
        """Yield flags: `on display`, `healthy volunteers` for healthyVolunteers; a single word only as a verb or in its
        exact form."""
        for field, yes, things in self._flags:
            for first in range(len(words) - len(things) + 1):
                run = words[first : first + len(things)]
                if sorted(map(_form, (word.key for word in run))) != sorted(map(_form, things)):
                    continue
                verb = first > 0 and run[0].text.lower().endswith("ed")
                if len(run) > 1 or verb or run[0].key == things[0]:
                    yield Mention(field, (yes,), first, first + len(things), 1.0)

    @cached_property
    def _flags(self) -> Sequence[tuple[CatalogField, Scalar, Sequence[str]]]:
        flags = [(field, yes) for field in self.catalog.fields.values() if (yes := yes_of(field)) is not None]
        named = [(field, yes, [word for word in field.words if word not in EMPTY]) for field, yes in flags]
        return [flag for flag in named if any(len(word) >= _SHORTEST for word in flag[2])]


def _form(key: str) -> str:
    return stem(key) if len(key) >= _STEMMED else key


@dataclass(frozen=True, eq=False)
class ValueMentions:
    """Finds values in questions."""

    catalog: Catalog

    def within(self, words: Sequence[Word]) -> tuple[Mention, ...]:
        """Return the values that these words name, left to right; one within a longer one is left out, others may
        overlap."""
        mentions = [*self._named(words), *self._flags.within(words), *self._free_texts.within(words)]
        return tuple(
            mention
            for mention in sorted(mentions, key=lambda one: (one.first, -one.stop, one.field.name))
            if not any(_is_within(mention, other) for other in mentions)
        )

    @cached_property
    def _names(self) -> ValueNames:
        return ValueNames(self.catalog)

    @cached_property
    def _flags(self) -> Flags:
        return Flags(self.catalog)

    @cached_property
    def _free_texts(self) -> FreeTexts:
        return FreeTexts(self.catalog)

    def _named(self, words: Sequence[Word]) -> Iterator[Mention]:
        for first in range(len(words)):
            titled = any(word.key in TITLES for word in words[max(0, first - 2) : first])
            for stop, terms in self._runs(words, first):
                joined = any(word.key == "and" for word in words[first : stop - 1])
                for field, values, certainty in self._names.called(terms, words[first] if stop == first + 1 else None):
                    if joined and not any(_JOINED.search(str(value)) for value in values):
                        continue  # `gluten-free and dairy-free` does not mean free dairy
                    # A part of a person's name in lower case is an ordinary word.
                    written = field.kind != "person" or words[stop - 1].is_capital
                    if (certainty == 1.0 or written or titled) and _is_written(words, first, stop, field):
                        yield Mention(field, values, first, stop, certainty)

    def _runs(self, words: Sequence[Word], first: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the runs of words that begin with one, as the position after each and the keys that a name would
        have."""
        terms: list[str] = []
        for number in range(first, min(len(words), first + 2 * self._names.longest)):
            key = words[number].key
            if (key in ("-", "/", "&", ".", ",") and terms) or (key == "no" and terms == ["with"]):
                terms = [key] if key == "no" else terms
                continue
            key = PLUS if key == "+" and terms else key
            if not key[0].isalnum():
                return
            if not terms or key not in SMALL:
                terms.append(key)
                yield number + 1, tuple(terms)


def _is_written(words: Sequence[Word], first: int, stop: int, field: CatalogField) -> bool:
    """Whether a short value is written in its exact form: IN is India and `in` is not, and I is not a number before a
    verb."""
    key = words[first].key
    if key == "may" and first and words[first].is_capital:
        return True
    if stop - first > 1 or field.kind != "text" or (len(key) >= _SHORTEST and key not in GLUE):
        return True
    if key not in GLUE and len(key) < _SHORTEST and _beside_name(words, first, stop, field):
        return True  # `p block`, `d-block`
    following = words[stop].key if stop < len(words) else ","
    if following == "%":
        return True
    numbers = (first and words[first - 1].key in field.words) or following in CONJUNCTIONS or not following.isalpha()
    return words[first].text.isupper() and (key != "i" or bool(numbers))


def _beside_name(words: Sequence[Word], first: int, stop: int, field: CatalogField) -> bool:
    """Whether a word of the field's name is directly before or after a value."""
    behind = stop + (stop + 1 < len(words) and words[stop].key == "-")
    near = [words[at].key for at in (first - 1, behind) if 0 <= at < len(words)]
    return not set(field.words).isdisjoint(near)


def _is_within(one: Mention, other: Mention) -> bool:
    inside = other.first <= one.first and one.stop <= other.stop
    return inside and (other.stop - other.first > one.stop - one.first)


def chained(mentions: Sequence[Mention], terms: Sequence[Word]) -> Iterator[list[Mention]]:
    """Yield mentions of one field in one list: `superseded, rejected or still draft`."""
    waiting = list(mentions)
    while waiting:
        chain = [waiting.pop(0)]
        for mention in list(waiting):
            last = chain[-1]
            between = terms[last.stop : mention.first]
            turns = any(word.key in ("but", "not") for word in between)
            listed = mention.field is last.field and mention.first >= last.stop and _joins(between, mention.field.words)
            if listed and not turns:
                chain.append(mention)
                waiting.remove(mention)
        yield chain


def _joins(between: Sequence[Word], called: Collection[str]) -> bool:
    links = CONJUNCTIONS | ADVERBS | NEGATIONS | QUOTES | {"by", "the", "a", "in", "from", *called}
    return all(word.key in links for word in between) and any(word.key in CONJUNCTIONS for word in between)


def are_alternatives(chain: Sequence[Mention], terms: Sequence[Word]) -> bool:
    """Whether `or` is between two values of a list."""
    between = [word.key for one, other in pairwise(chain) for word in terms[one.stop : other.first]]
    return bool({"or", "nor", "/"} & set(between))


def or_between(between: Sequence[Word], called: Collection[str]) -> bool:
    """Whether words between two values join them as alternatives: `critical or from Ann`, `of low priority or of high
    urgency`; they may include words of the fields' names."""
    linking = QUESTION_WORDS["joining_values"].union(called)
    return "or" in [word.key for word in between] and all(word.key in linking for word in between)


def without_rivals(chains: Sequence[list[Mention]], people: People) -> Iterator[list[Mention]]:
    """Yield, of fields with the same value, the one indicated by nearby words or by the rest of a list, then a sort,
    else the first."""
    taken: dict[tuple[int, int], list[Mention]] = {}

    def rank(chain: Sequence[Mention]) -> tuple[int, bool]:
        plural = people.words[chain[-1].stop - 1].is_plural
        return people.closeness(chain[0]), plural and not SORTS.isdisjoint(chain[0].field.words)

    for chain in chains:
        position = (chain[0].first, chain[-1].stop)
        rival = taken.get(position)
        if rival is None or rank(chain) > rank(rival):
            taken[position] = chain
    for (first, stop), chain in taken.items():
        if not any(len(other) > len(chain) and at <= first and stop <= end for (at, end), other in taken.items()):
            yield chain
