"""Which value or field of a catalogue a word means that is written otherwise, by the vectors of words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.index.words.word_vectors import WORDS, word_vector
from retrieval.types import Vector
from retrieval.understand.catalog.catalog import Catalog, CatalogField, Flag, flag_of
from retrieval.understand.catalog.words import keys, same_state

_FEW = 40
"""A field with more values names things, and every word is near one of them."""
_VALUE, _FLAG = 0.4, 0.3
"""Cosine from which a word may mean a value, and a flag."""
_SURE = 0.6
"""Likeness of a word for the same state, and the least of a word without what denies it: `un` of unresolved."""
_DENIALS = ("un", "non", "in", "im", "dis")
_LANGUAGES = frozenset({"language", "lang", "tongue"})
"""Fields whose values are like countries, and are none."""
_BROAD = 0.28
"""Likeness to a second value from which a word is one for all of a field: `ships` of container ship."""
_FIELD = 0.3
"""Cosine from which a word means a field."""
_AHEAD = 0.1
"""By how much more it is like that one than like any other."""
_ALIKE = 0.08
"""Values of one field that are so near each other in likeness are all meant: `blinded` is single- and double-blind."""
_UNITS = frozenset(
    {"kg", "g", "cm", "mm", "m", "km", "eur", "usd", "gbp", "min", "max", "number", "total", "count", "n"}
)
"""Words of a field's name that say how it is measured."""


@dataclass(frozen=True, slots=True)
class Relatives:
    """Values of one field that a word is like."""

    field: CatalogField
    values: tuple[Scalar, ...]
    likeness: float
    """Cosine of the word and the nearest value."""
    denied: bool = False
    """Whether the word says that it is none of them: `unresolved`."""


@dataclass(frozen=True, eq=False)
class Kin:
    """The values and fields of a catalogue by what they mean."""

    catalog: Catalog

    def values(self, said: str) -> Relatives | None:
        """The values that a word or a few mean; None where none or those of several fields are near."""
        known = next(filter(None, (_state(said, field) for field in self.catalog.dividing)), None) or self._denied(said)
        if known or said.startswith(_DENIALS[:2]) or not self._values[0]:
            return known
        return self._nearest(said)

    def _nearest(self, said: str) -> Relatives | None:
        candidates, vectors = self._values
        near = vectors @ word_vector(said)
        best = int(near.argmax())
        field, top = candidates[best][0], float(near[best])
        if top < (_FLAG if field.name in self._flags else _VALUE):
            return None
        same = [at for at, (other, _) in enumerate(candidates) if other is field and near[at] >= top - _ALIKE]
        others = np.delete(near, same)
        values = tuple(candidates[at][1] for at in same)
        if len(others) and top < float(others.max()) + _AHEAD:
            return None
        if len(values) == 1 and field.kind == "text" and self._is_part(said, field, values[0]):
            return None
        opposed = field.name in self._flags and self._flags[field.name].opposed
        return Relatives(field, values, top, denied=opposed and not said.endswith("free"))

    def _is_part(self, said: str, field: CatalogField, value: Scalar) -> bool:
        """Whether a word is one of several of a value, and one for all values: `ships` of container ship."""
        whole, part = keys(field.written(value)), keys(said)
        return len(whole) > len(part) and set(part) <= set(whole) and self.is_broad(said, field, value)

    def is_broad(self, word: str, field: CatalogField, value: Scalar) -> bool:
        """Whether a word that is in a value is one for other values of its field too."""
        others = [field.written(other) for other in field.counts if other != value][:_FEW]
        return bool(others) and float(max(word_vector(other) @ word_vector(word) for other in others)) >= _BROAD

    def _denied(self, said: str) -> Relatives | None:
        """`unresolved` as none of what `resolved` means."""
        without = next((un for un in _DENIALS if said.startswith(un) and len(said) > len(un) + 3), None)
        matches = self.values(said.removeprefix(without)) if without and " " not in said else None
        return replace(matches, denied=True) if matches and matches.likeness >= _SURE else None

    def field(self, said: Sequence[str], fields: Sequence[CatalogField]) -> CatalogField | None:
        """Which of these fields one of the words means: `heavier` the weight, `pays` the salary."""
        if not said or not fields:
            return None
        likes = np.stack([word_vector(_called(field)) for field in fields]) @ np.stack(list(map(word_vector, said))).T
        best, word = np.unravel_index(int(likes.argmax()), likes.shape)
        others = np.delete(likes[:, word], best)
        ahead = float(likes[best, word]) - float(others.max(initial=0.0))
        return fields[int(best)] if likes[best, word] >= _FIELD and ahead >= _AHEAD else None

    @cached_property
    def _flags(self) -> Mapping[str, Flag]:
        return {each.name: flag for each in self.catalog.dividing if (flag := flag_of(each))}

    @cached_property
    def _values(self) -> tuple[tuple[tuple[CatalogField, Scalar], ...], Vector]:
        matches = [
            (field, value, field.written(value))
            for field in self.catalog.dividing
            if field.kind == "text" and len(field.counts) <= _FEW and not _LANGUAGES & set(field.words)
            for value in field.counts
        ]
        matches += [(flag.field, True, _called(flag.field)) for flag in self._flags.values() if flag.yes is True]
        return tuple((field, value) for field, value, _ in matches), WORDS.embed([text for *_, text in matches])


def _state(said: str, field: CatalogField) -> Relatives | None:
    if field.kind != "text" or field.listed or len(field.counts) > _FEW:
        return None
    values = same_state(said, [str(value) for value in field.counts])
    return Relatives(field, values, _SURE) if values else None


def _called(field: CatalogField) -> str:
    return " ".join(word for word in field.words if word not in _UNITS) or field.name
