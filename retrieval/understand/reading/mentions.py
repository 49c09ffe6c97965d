"""Where a question may name a value of the metadata; whether it is a condition is judged elsewhere."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField, is_person
from retrieval.understand.catalog.words import Word, keys

_SHORTEST_NAME = 3
"""Letters of a first or last name that may stand for the whole."""
_FIRSTS = 4
"""People at most that one first name may stand for."""

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
        return names

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._names), default=0)

    def _named(self, words: Sequence[Word]) -> Iterator[Mention]:
        for first in range(len(words)):
            said: list[str] = []
            for stop in range(first, min(len(words), first + 2 * self._longest)):
                key = words[stop].key
                if key in ("-", "/", "&", ".") and said:
                    continue
                if not key[0].isalnum():
                    break
                said.append(key)
                for field, values, certainty in self._names.get(tuple(said), ()):
                    # A part of a name that is written small is a word.
                    if certainty == 1.0 or all(word.is_capital for word in words[first : stop + 1]):
                        yield Mention(field, values, first, stop + 1, certainty)


def _is_within(one: Mention, other: Mention) -> bool:
    inside = other.first <= one.first and one.stop <= other.stop
    return inside and (other.stop - other.first > one.stop - one.first)


def _whole_names(field: CatalogField) -> list[tuple[Name, Scalar]]:
    if field.kind == "flag":
        return [(tuple(word for word in field.words if word not in ("is", "has")), True)]
    if field.kind not in ("text", "person"):
        return []
    named = [(keys(str(value).replace("_", " ")), value) for value in field.counts]
    free = [(("without", *name[:-1]), value) for name, value in named if len(name) > 1 and name[-1] == "free"]
    return [(name, value) for name, value in [*named, *free] if name]


def _parts(name: str) -> set[Name]:
    """What may stand for a whole name: the first, the last, both without what is between."""
    whole = keys(name)
    found: set[Name] = {(part,) for part in whole if len(part) >= _SHORTEST_NAME}
    if len(whole) > 2:
        found.add((whole[0], whole[-1]))
    if "," in name:
        found.add((*whole[1:], whole[0]))
    return found if len(whole) > 1 else set()
