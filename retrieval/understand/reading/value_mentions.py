"""Where a question may name a value of the metadata."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.catalog.catalog import Catalog, CatalogField
from retrieval.understand.catalog.kin import Kin, Relatives
from retrieval.understand.catalog.words import LONGEST, Word, is_state, keys
from retrieval.understand.reading.grammar import ADVERBS, CARRIERS, CONJUNCTIONS, GLUE, MADE, NEGATIONS, is_noun_like
from retrieval.understand.reading.phrases import SORTS, People
from retrieval.understand.reading.value_flags import Flags
from retrieval.understand.reading.value_names import PLUS, SMALL, TITLES, Mention, Spellings, ValueNames

_LONGEST_TEXT = 8
"""Words of a value that somebody may write whole."""
_LINKS = frozenset({":", "=", "is", "of", "called", '"', "'", "“", "‘"})


@dataclass(frozen=True, eq=False)
class FreeTexts:
    """Finds whole values behind the names of their fields."""

    catalog: Catalog

    def within(self, words: Sequence[Word]) -> Iterator[Mention]:
        """Values that these words write whole."""
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
        free = [each for each in self.catalog.dividing if each.kind == "free"]
        return [(each, {terms: value for value in each.counts if (terms := keys(str(value)))}) for each in free]


_SHORTEST = 3
"""Letters of a value that may be written with other capitals."""
_LONGEST, _LONGER = LONGEST, 0.03
"""Words that together may mean a value, and how much likeness each of them makes up for."""
_PROPER = 0.55
"""Cosine from which a word that is written small may mean a value of one word that is written as a name."""
_PARTICLES = frozenset({"on", "in", "out", "off", "up", "down", "under", "over"})
"""What such words may begin or end with: `on hold`, `threw out`."""
_JOINED = re.compile(r"\band\b|&|\+|/", re.IGNORECASE)
_FILLERS = frozenset({"still", "also", "now", "only", "already", "yet", "just", "even", "currently", "ever"})
_PLAIN = re.compile(r"[^\W\d_][a-z]{2,}")
"""A word of English, as `TypedDict` is none."""


@dataclass(frozen=True, eq=False)
class ValueMentions:
    """Finds values in questions."""

    catalog: Catalog

    def within(self, words: Sequence[Word]) -> tuple[Mention, ...]:
        """Values that these words name, left to right; one within a longer one is left out, others may overlap."""
        matches = [*self._named(words), *self._flags.within(words), *self._free_texts.within(words)]
        places = {(match.first, match.stop, match.field.name) for match in matches}
        others = self._spellings.within(words)
        matches += [each for each in others if (each.first, each.stop, each.field.name) not in places]
        stated = {(match.field.name, value) for match in matches for value in match.values}
        meant = self._meant(words, {at for match in matches for at in range(match.first, match.stop)})
        ends = {(match.stop, match.field.name) for match in matches if match.is_exact}
        matches += [
            each
            for each in meant
            if stated.isdisjoint((each.field.name, value) for value in each.values)
            and (each.first, each.field.name) not in ends  # `medium weight`: it says what is medium
        ]
        return tuple(
            match
            for match in sorted(matches, key=lambda one: (one.first, -one.stop, one.field.name))
            if not any(_is_within(match, other) for other in matches)
        )

    def _meant(self, words: Sequence[Word], named: Collection[int]) -> Iterator[Mention]:
        """Values that words mean which are none themselves: `trawlers` the fishing vessels, `stopped early`."""
        matches: list[tuple[float, Mention]] = []
        for first in range(len(words)):
            for stop in range(first + 1, min(len(words), first + _LONGEST) + 1):
                if stop - 1 in named or not words[stop - 1].key.isalpha():
                    break
                asked_for = first > 0 and words[first - 1].key in ("which", "what", "many")
                terms = " ".join(word.text.lower() for word in words[first:stop])
                if not asked_for and (is_state(terms) or self._may_mean(words[first:stop])):
                    meant = self._kin.values(terms)
                    if meant and not _is_other_name(words[first:stop], first, meant):
                        mention = Mention(meant.field, meant.values, first, stop, 1.0, meant.likeness, meant.denied)
                        matches.append((meant.likeness + _LONGER * (stop - first), mention))
        taken: set[int] = set()
        for _, mention in sorted(matches, key=lambda match: -match[0]):
            if taken.isdisjoint(range(mention.first, mention.stop)):
                taken |= set(range(mention.first, mention.stop))
                yield mention

    def _may_mean(self, run: Sequence[Word]) -> bool:
        """Whether words may be another way to say a value: some say something, and none is of what documents are."""
        telling = [bool(_PLAIN.fullmatch(word.text)) and is_noun_like(word.key) for word in run]
        if len(run) == 1 and run[0].text.isupper() and not self.catalog.says(run[0].text):
            telling = [len(run[0].text) > 1]
        if (
            not any(telling)
            or not _FILLERS.isdisjoint(word.key for word in run)
            or not self._silent.isdisjoint(word.key for word in run)
        ):
            return False
        ends = (0, -1) if len(run) > 1 else (0,)
        return all(telling[end] or run[end].key in _PARTICLES for end in ends)

    def _denied(self, word: Word) -> tuple[CatalogField, tuple[Scalar, ...]] | None:
        """`unfurnished` as what is not furnished, where it is no value itself."""
        bare = word.key.removeprefix("un")
        if bare == word.key or self._names.called((word.key,)):
            return None
        matches = [(field, values) for field, values, sure in self._names.called((bare,)) if sure == 1.0]
        return matches[0] if len(matches) == 1 and matches[0][0].kind == "text" else None

    @cached_property
    def _names(self) -> ValueNames:
        return ValueNames(self.catalog)

    @cached_property
    def _flags(self) -> Flags:
        return Flags(self.catalog)

    @cached_property
    def _free_texts(self) -> FreeTexts:
        return FreeTexts(self.catalog)

    @cached_property
    def _spellings(self) -> Spellings:
        return Spellings(self.catalog)

    @cached_property
    def _kin(self) -> Kin:
        return Kin(self.catalog)

    @cached_property
    def _silent(self) -> frozenset[str]:
        """Keys of words that mean no value: they call fields or documents, or carry what is said of them."""
        called = {word for field in self.catalog.fields.values() for word in field.words}
        return self.catalog.nouns | CARRIERS | MADE | called

    def _named(self, words: Sequence[Word]) -> Iterator[Mention]:
        for first in range(len(words)):
            titled = any(word.key in TITLES for word in words[max(0, first - 2) : first])
            denied = self._denied(words[first])
            if denied:
                yield Mention(*denied, first, first + 1, 1.0, denied=True)
            owner = self._names.owner(words[first].key) if words[first].is_capital else None
            if owner and (words[first].owns or titled):
                yield Mention(owner[0], owner[1], first, first + 1, 1.0, granted=True)
            for stop, terms in self._runs(words, first):
                if stop == first + 1 and (denied or (owner and words[first].owns)):
                    continue
                joined = any(word.key == "and" for word in words[first : stop - 1])
                for field, values, certainty in self._names.called(terms, words[first] if stop == first + 1 else None):
                    if joined and not any(_JOINED.search(str(value)) for value in values):
                        continue  # `gluten-free and dairy-free` is no free dairy
                    # A part of a person's name that is written small is a word.
                    written = field.kind != "person" or words[stop - 1].is_capital
                    if (certainty == 1.0 or written or titled) and _is_written(words, first, stop, field):
                        yield Mention(field, values, first, stop, certainty)

    def _runs(self, words: Sequence[Word], first: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The runs of words that begin with one, as the place behind each and the keys that a name would have."""
        terms: list[str] = []
        for number in range(first, min(len(words), first + 2 * self._names.longest)):
            key = words[number].key
            if (key in ("-", "/", "&", ".") and terms) or (key == "no" and terms == ["with"]):
                terms = [key] if key == "no" else terms
                continue
            key = PLUS if key == "+" and terms else key
            if not key[0].isalnum():
                return
            if not terms or key not in SMALL:
                terms.append(key)
                yield number + 1, tuple(terms)


def _is_other_name(run: Sequence[Word], first: int, meant: Relatives) -> bool:
    """Whether a word is a name and the value is none, or the contrary: `Finland` is no finance, `soft` is not Delft."""
    written = [meant.field.written(value) for value in meant.values]
    if first > 0 and all(word.is_capital for word in run):
        return not any(each[:1].isupper() for each in written)
    names = all(each[:1].isupper() and " " not in each for each in written)
    return names and meant.field.kind == "text" and meant.likeness < _PROPER and not run[0].is_capital


def _is_written(words: Sequence[Word], first: int, stop: int, field: CatalogField) -> bool:
    """Whether a short value is written as it is: IN is India and `in` is none, and I is no number before a verb."""
    key = words[first].key
    if key == "may" and first and words[first].is_capital:
        return True
    if stop - first > 1 or field.kind != "text" or (len(key) >= _SHORTEST and key not in GLUE):
        return True
    if key not in GLUE and len(key) < _SHORTEST and _beside_name(words, first, stop, field):
        return True  # `p block`, `d-block`
    following = words[stop].key if stop < len(words) else ","
    numbers = (first and words[first - 1].key in field.words) or following in CONJUNCTIONS or not following.isalpha()
    return words[first].text.isupper() and (key != "i" or bool(numbers))


def _beside_name(words: Sequence[Word], first: int, stop: int, field: CatalogField) -> bool:
    """Whether a word of the field's name stands right before a value or behind it."""
    behind = stop + (stop + 1 < len(words) and words[stop].key == "-")
    near = [words[at].key for at in (first - 1, behind) if 0 <= at < len(words)]
    return not set(field.words).isdisjoint(near)


def _is_within(one: Mention, other: Mention) -> bool:
    inside = other.first <= one.first and one.stop <= other.stop
    return inside and (other.stop - other.first > one.stop - one.first)


def chained(found: Sequence[Mention], said: Sequence[Word]) -> Iterator[list[Mention]]:
    """Mentions of one field that stand in one list: `superseded, rejected or still draft`."""
    waiting = list(found)
    while waiting:
        chain = [waiting.pop(0)]
        for each in list(waiting):
            last = chain[-1]
            between = said[last.stop : each.first]
            turns = any(word.key in ("but", "not") for word in between)
            listed = each.field is last.field and each.first >= last.stop and _joins(between, each.field.words)
            if listed and not turns:
                chain.append(each)
                waiting.remove(each)
        yield chain


def _joins(between: Sequence[Word], called: Collection[str]) -> bool:
    links = CONJUNCTIONS | ADVERBS | NEGATIONS | {"by", "the", "a", "in", "from", *called}
    return all(word.key in links for word in between) and any(word.key in CONJUNCTIONS for word in between)


def are_alternatives(chain: Sequence[Mention], said: Sequence[Word]) -> bool:
    """Whether `or` stands between two of a list."""
    between = [word.key for one, other in pairwise(chain) for word in said[one.stop : other.first]]
    return bool({"or", "nor", "/"} & set(between))


def or_between(between: Sequence[Word], called: Collection[str]) -> bool:
    """`critical or from Ann`, `of low priority or of high urgency`: the words of the fields' names may stand there."""
    linking = {"or", "the", "a", "an", "either", ",", "of", "in", "with", "for", "by", "from", "on", "at", *called}
    return "or" in [word.key for word in between] and all(word.key in linking for word in between)


def without_rivals(chains: Sequence[list[Mention]], people: People) -> Iterator[list[Mention]]:
    """Of fields that have the same value, the one that is nearby or has the rest of a list, a sort, else the first."""
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
