"""The names of a catalog's values: parts, initials, spellings, demonyms."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.language.english import word_sets
from retrieval.understand.catalog.catalog import Catalog, CatalogField, is_person, spaced
from retrieval.understand.catalog.words import Word, keys, of_people

_SHORTEST_NAME = 3
"""The fewest letters of a first or last name that can be used alone."""
_FIRSTS = 4
"""The most values to which one part of a name may refer."""
TITLES = word_sets("questions")["titles"]
"""Words that may precede a name and are not part of it."""
SMALL = frozenset({"of", "the", "a", "an", "for", "in", "at", "with", "from", "on", "and"})
"""Optional words within a name: `paintings in oil`."""

PLUS = "plus"
"""The word for the sign in A+."""
Name = tuple[str, ...]
"""Keys of the words of a name."""


Named = tuple[CatalogField, tuple[Scalar, ...], float]
"""The field and the values that a name refers to, and the certainty."""


@dataclass(frozen=True, eq=False)
class ValueNames:
    """The names of values."""

    catalog: Catalog

    def called(self, name: Name, word: Word | None = None) -> Sequence[Named]:
        """Return the values that a name refers to; a single word is also read as initials."""
        initials = self._initials.get(word.text) if word and name not in self._names else None
        return (initials,) if initials else self._names.get(name, ())

    @cached_property
    def longest(self) -> int:
        """Number of words of the longest name."""
        return max(map(len, self._names), default=0)

    @cached_property
    def _names(self) -> Mapping[Name, Sequence[Named]]:
        names: dict[Name, list[Named]] = defaultdict(list)
        for field in self.catalog.fields.values():
            whole = _whole_names(field)
            for name, value in whole:
                names[name].append((field, (value,), 1.0))
            for part, values in _parts_of(field, {name for name, _ in whole}).items():
                names[part].append((field, tuple(sorted(values, key=str)), 0.9 if len(values) == 1 else 0.8))
        others: list[tuple[Name, Named]] = [(name, (field, (value,), 1.0)) for field, value, name in self._peoples()]
        others += [(name, (field, (value,), 1.0)) for name, (field, value) in self._ends().items()]
        for name, named in others:
            if name not in names:
                names[name].append(named)
        return names

    def _ends(self) -> Mapping[Name, tuple[CatalogField, Scalar]]:
        """Return endings that only one value has: `back pain` of chronic low back pain."""
        having: dict[Name, set[tuple[str, Scalar]]] = defaultdict(set)
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" else ():
                whole = _name(str(value))
                for start in range(1, len(whole) - 1):
                    having[whole[start:]].add((field.name, value))
        return {
            name: (self.catalog.fields[field], value)
            for name, values in having.items()
            if len(values) == 1
            for field, value in values
        }

    def _peoples(self) -> Iterator[tuple[CatalogField, Scalar, Name]]:
        """Yield adjectives of countries that are values, and countries of adjectives that are values."""
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" and "language" not in field.words else ():
                yield from ((field, value, _name(other)) for other in of_people(field.written(value)))

    @cached_property
    def _initials(self) -> Mapping[str, Named]:
        """Initials of one value only: `UK` for `United Kingdom`."""
        having: dict[str, list[Named]] = defaultdict(list)
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind in ("text", "person") else ():
                capitals = [word[0] for word in str(value).split() if word[0].isupper()]
                if len(capitals) > 1:
                    having["".join(capitals)].append((field, (value,), 1.0))
        return {letters: values[0] for letters, values in having.items() if len(values) == 1}


def _whole_names(field: CatalogField) -> list[tuple[Name, Scalar]]:
    if field.kind not in ("text", "person", "code"):
        return []
    named = [(_name(terms), value) for value in field.counts for terms in (str(value), field.written(value))]
    named += [(whole, value) for value in field.counts if len(whole := keys(str(value))) == 1]  # GeoJSON is one word
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
    """Return the keys of a value, without the small words between them."""
    whole = keys(spaced(re.sub(r"(?<=\w)\+", f" {PLUS} ", value)))
    return whole[:1] + tuple(key for key in whole[1:] if key not in SMALL)


def _parts_of(field: CatalogField, known: Collection[Name]) -> Mapping[Name, set[Scalar]]:
    """Return parts that refer to few names of people and are not names themselves."""
    parts: dict[Name, set[Scalar]] = defaultdict(set)
    for value in field.counts:
        if is_person(field, str(value)):
            for part in _parts(str(value)):
                parts[part].add(value)
    return {part: values for part, values in parts.items() if len(values) <= _FIRSTS and part not in known}


def _parts(name: str) -> set[Name]:
    """Return parts that can be used for a whole name: the first, the last, both without the middle."""
    whole = tuple(key for key in keys(name) if key not in TITLES)
    names: set[Name] = {(part,) for part in whole if len(part) >= _SHORTEST_NAME}
    if len(whole) > 2:
        names |= {(whole[0], whole[-1]), whole[1:]}
    if len(whole) < len(keys(name)):
        names.add(whole)
    if "," in name:
        names.add((*whole[1:], whole[0]))
    return names if len(keys(name)) > 1 else set()


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """A run of words that is a value."""

    field: CatalogField
    values: tuple[Scalar, ...]
    """Several if one name belongs to several people, or `3` is the beginning of several versions."""
    first: int
    """Positions of its first word, and of the one after its last."""
    stop: int
    certainty: float
    """1 if the whole value is there."""
    granted: bool = False
    """Whether the words around it make clear that it is a condition: `pets allowed`."""
