"""Where a question may name a value of the metadata; whether it is a condition is judged elsewhere."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField, is_person
from retrieval.understand.catalog.words import Word, keys, stem

_SHORTEST_NAME = 3
"""Letters of a first or last name that may stand for the whole."""
_FIRSTS = 4
"""Values at most that one part of a name may stand for."""
_PART = 4
"""Letters of a word that may stand for the value that it is in: `sculptures` for `Bronze Sculpture`."""
_SHORT = re.compile(r"[^\W\d_]{4,}o|[^\W\d_]{5,}")
"""What may be the beginning of a longer word: `photo`."""
_PARTICIPLE = re.compile(r"([^\W\d_]{3,})(ing|ed)")
_LACKING = ("without", "no", "lack", "lacking", "missing")
_DENIED = ("un", "non")
"""What a word that denies a flag begins with: `unsigned`."""
_SMALL = frozenset({"of", "the", "a", "an", "for", "in", "at", "with", "from", "on", "and"})
"""Words within a name that may be there or not: `paintings in oil`."""

Name = tuple[str, ...]
"""Keys of its words."""


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """A run of words that is a value."""

    field: CatalogField
    values: tuple[Scalar, ...]
    """Several where one name is several people's, or `3` the beginning of several versions."""
    first: int
    """Of its words, and the one after its last."""
    stop: int
    certainty: float
    """1 where the whole value stands there."""


_WORD_OF_VALUE = 0.9
"""Certainty of one word for a value of several; Phrases asks more of it than of a whole value."""

Named = tuple[CatalogField, tuple[Scalar, ...], float]
"""Whose values a name is, which, and how certain that is."""


@dataclass(frozen=True, eq=False)
class Mentions:
    """Finds values in questions."""

    catalog: Catalog

    def within(self, words: Sequence[Word]) -> tuple[Mention, ...]:
        """Values that these words name, left to right; one within a longer one is left out, others may overlap."""
        found = list(self._named(words))
        return tuple(
            each
            for each in sorted(found, key=lambda one: (one.first, -one.stop, one.field.name))
            if not any(_is_within(each, other) for other in found)
        )

    @cached_property
    def _names(self) -> Mapping[Name, Sequence[Named]]:
        names: dict[Name, list[Named]] = defaultdict(list)
        for field in self.catalog.fields.values():
            whole = _whole_names(field)
            for name, value in whole:
                names[name].append((field, (value,), 1.0))
            known = {name for name, _ in whole}
            parts: dict[Name, set[Scalar]] = defaultdict(set)
            for value in field.counts:
                if is_person(field, str(value)):
                    for part in _parts(str(value)):
                        parts[part].add(value)
            for part, values in parts.items():
                if len(values) <= _FIRSTS and part not in known:
                    names[part].append((field, tuple(sorted(values, key=str)), 0.9 if len(values) == 1 else 0.8))
        for word, (field, several) in self._words_of_values.items():
            if (word,) not in names and word not in self.catalog.nouns:
                names[word,].append((field, several, _WORD_OF_VALUE))
        return names

    @cached_property
    def _words_of_values(self) -> Mapping[str, tuple[CatalogField, tuple[Scalar, ...]]]:
        """Words that are in values of one field alone, and in few: `sculpture`, and `photo` of `photograph`."""
        having: dict[str, set[tuple[str, Scalar]]] = defaultdict(set)
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" else ():
                whole = keys(str(value).replace("_", " "))
                for word in {*whole[:1], *whole[-1:]}:
                    having[word].add((field.name, value))
        said = {word for field in self.catalog.fields.values() for word in field.words}
        return {
            word: (self.catalog.fields[next(iter(found))[0]], tuple(sorted((value for _, value in found), key=str)))
            for word, found in having.items()
            if word.isalpha()
            and len(word) >= _PART
            and word not in said
            and len(found) <= _FIRSTS
            and len({name for name, _ in found}) == 1
        }

    def _shortened(self, key: str) -> Named | None:
        """The one value of a word that begins so."""
        if not _SHORT.fullmatch(key) or key in self.catalog.nouns:
            return None
        longer = [word for word in self._words_of_values if word.startswith(key) and len(word) > len(key)]
        return (*self._words_of_values[longer[0]], _WORD_OF_VALUE) if len(longer) == 1 else None

    @cached_property
    def _participles(self) -> Mapping[str, Named]:
        """`investigated` for `investigating`: the other participle of a value that is one."""
        found: dict[str, Named] = {}
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" else ():
                match = _PARTICIPLE.fullmatch(str(value).casefold())
                if match:
                    found[match[1] + {"ed": "ing", "ing": "ed"}[match[2]]] = (field, (value,), 1.0)
        return found

    @cached_property
    def _initials(self) -> Mapping[str, Named]:
        """`UK` for `United Kingdom`: what the first letters of one value alone spell."""
        having: dict[str, list[Named]] = defaultdict(list)
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind in ("text", "person") else ():
                capitals = [word[0] for word in str(value).split() if word[0].isupper()]
                if len(capitals) > 1:
                    having["".join(capitals)].append((field, (value,), 1.0))
        return {letters: found[0] for letters, found in having.items() if len(found) == 1}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._names), default=0)

    def _named(self, words: Sequence[Word]) -> Iterator[Mention]:
        for first in range(len(words)):
            yield from self._flagged(words, first)
            said: list[str] = []
            for stop in range(first, min(len(words), first + 2 * self._longest)):
                key = words[stop].key
                if (key in ("-", "/", "&", ".") and said) or (key == "no" and said == ["with"]):
                    said = [key] if key == "no" else said
                    continue
                if not key[0].isalnum():
                    break
                if said and key in _SMALL:
                    continue
                said.append(key)
                found = self._called(tuple(said), words[first]) if stop == first else self._names.get(tuple(said), ())
                for field, values, certainty in found:
                    # A part of a person's name that is written small is a word.
                    written = field.kind != "person" or all(word.is_capital for word in words[first : stop + 1])
                    if certainty == 1.0 or written:
                        yield Mention(field, values, first, stop + 1, certainty)

    def _called(self, name: Name, word: Word) -> Sequence[Named]:
        """Whose value one word is: as a name, as another participle, as initials, or as the beginning of a word."""
        if name in self._names:
            return self._names[name]
        other = self._participles.get(word.key) or self._initials.get(word.text) or self._shortened(word.key)
        return (other,) if other else ()

    def _flagged(self, words: Sequence[Word], first: int) -> Iterator[Mention]:
        """A flag as a verb says it: `are displayed` for `on_display`, `sponsors visas` for `visa_sponsorship`."""
        for things, flag in self._flags:
            said = [stem(word.key) for word in words[first : first + len(things)]]
            verb = len(things) > 1 or (first > 0 and words[first].text.lower().endswith("ed"))
            if verb and sorted(said) == sorted(things):
                yield Mention(flag, (True,), first, first + len(things), 1.0)
            denied = [stem(words[first].key.removeprefix(un)) for un in _DENIED if words[first].key.startswith(un)]
            if len(things) == 1 and things[0] in denied:
                yield Mention(flag, (False,), first, first + 1, 1.0)

    @cached_property
    def _flags(self) -> tuple[tuple[tuple[str, ...], CatalogField], ...]:
        """What each flag is about, as stems, and the flag."""
        flags = [field for field in self.catalog.fields.values() if field.kind == "flag"]
        said = [(tuple(stem(word) for word in flag.words if len(word) >= _PART), flag) for flag in flags]
        return tuple((things, flag) for things, flag in said if things)


def _is_within(one: Mention, other: Mention) -> bool:
    inside = other.first <= one.first and one.stop <= other.stop
    return inside and (other.stop - other.first > one.stop - one.first)


def _whole_names(field: CatalogField) -> list[tuple[Name, Scalar]]:
    if field.kind == "flag":
        called = tuple(word for word in field.words if word not in ("is", "has"))
        things = [word for word in called if len(word) >= _PART]
        having: list[tuple[Name, Scalar]] = [(("with", word), True) for word in things]
        lacking: list[tuple[Name, Scalar]] = [((no, word), False) for word in things for no in _LACKING]
        return [(called, True), *having, *lacking]
    if field.kind not in ("text", "person", "code"):
        return []
    named = [(_name(str(value)), value) for value in field.counts]
    free = [(("without", *name[:-1]), value) for name, value in named if len(name) > 1 and name[-1] == "free"]
    turned = [(name[::-1], value) for name, value in named if len(name) == 2 and field.kind == "text"]
    owned = [
        (_name(f"{owner} {thing}"), value)
        for value in field.counts
        for thing, of, owner in [str(value).partition(" of ")]
        if of
    ]
    return list(dict.fromkeys((name, value) for name, value in [*named, *free, *turned, *owned] if name))


def _name(value: str) -> Name:
    """The keys of a value, without the small words between them."""
    whole = keys(value.replace("_", " "))
    return whole[:1] + tuple(key for key in whole[1:] if key not in _SMALL)


def _parts(name: str) -> set[Name]:
    """What may stand for a whole name: the first, the last, both without what is between."""
    whole = keys(name)
    found: set[Name] = {(part,) for part in whole if len(part) >= _SHORTEST_NAME}
    if len(whole) > 2:
        found.add((whole[0], whole[-1]))
    if "," in name:
        found.add((*whole[1:], whole[0]))
    return found if len(whole) > 1 else set()
