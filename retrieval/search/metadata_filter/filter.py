"""A caller's filter on metadata: a tree of frozen records, turned into a mask over all chunks.

::

    Retriever.open(home).retrieve(question, where=And((Eq("book", "rules"), Not(Contains("tags", "optional")))))

Texts compare with texts, numbers with numbers, and true with false; nothing else compares. A chunk without the key
fails every comparison but `Ne`. What a list holds is found by `Contains` alone.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import reduce

import numpy as np

from retrieval.index.snapshot.metadata_index import Mask, MetadataIndex, Scalar


class Filter(ABC):
    """Which chunks a caller wants to have back."""

    __slots__ = ()

    @abstractmethod
    def mask(self, index: MetadataIndex) -> Mask:
        """(n,): True for chunks that pass.

        Raises:
            UnknownNameError: the filter names a key that no chunk has.
        """


@dataclass(frozen=True, slots=True)
class Condition(Filter, ABC):
    """A key and a value, compared in the way that the class is called."""

    key: str
    value: Scalar


class Eq(Condition):
    """The key's value is this one."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return index.mask(self.key, "eq", self.value)


class Ne(Condition):
    """The key's value is not this one, or there is none."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return ~index.mask(self.key, "eq", self.value)


class Gt(Condition):
    """The key's value is greater."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return index.mask(self.key, "gt", self.value)


class Gte(Condition):
    """The key's value is greater or equal."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return index.mask(self.key, "gte", self.value)


class Lt(Condition):
    """The key's value is less."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return index.mask(self.key, "lt", self.value)


class Lte(Condition):
    """The key's value is less or equal."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return index.mask(self.key, "lte", self.value)


class Contains(Condition):
    """The key's list has this member; a single value counts as a list of one."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return index.mask(self.key, "eq", self.value, members=True)


@dataclass(frozen=True, slots=True)
class In(Filter):
    """The key's value is one of these; of none, nothing passes."""

    key: str
    values: tuple[Scalar, ...]

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return Or(tuple(Eq(self.key, value) for value in self.values)).mask(index)


@dataclass(frozen=True, slots=True)
class And(Filter):
    """All of these hold; of none, everything passes."""

    filters: tuple[Filter, ...]

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        masks = (each.mask(index) for each in self.filters)
        return reduce(np.logical_and, masks, np.ones(index.n_chunks, dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class Or(Filter):
    """At least one of these holds; of none, nothing passes."""

    filters: tuple[Filter, ...]

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        masks = (each.mask(index) for each in self.filters)
        return reduce(np.logical_or, masks, np.zeros(index.n_chunks, dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class Not(Filter):
    """This does not hold."""

    filter: Filter

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return ~self.filter.mask(index)
