"""Some of an index's documents, when not all of them are looked at."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.ragged import RaggedArray

Positions = npt.NDArray[np.int64]
Documents = npt.NDArray[np.signedinteger[Any]]
Words = RaggedArray[np.int32]
Met = tuple[Positions, Positions]

_LOOKED_UP = 64
"""From so many selected documents for each of a list on, the list is looked up in them; below, in a table of all."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Some of n documents, each with its place among them."""

    positions: Positions
    """(m,) rising, each once."""
    n_documents: int
    _met: "dict[tuple[int, int], tuple[Words, Met]]" = field(default_factory=dict, repr=False)
    """Lists that were met, and the index that each is of, which so lives as long as its number is a key."""

    @classmethod
    def of(cls, lists: Sequence[Documents], n_documents: int) -> "Selection":
        """The documents that are in any of these lists."""
        marked = np.zeros(n_documents, dtype=np.bool_)
        for each in lists:
            marked[each] = True
        return cls(np.flatnonzero(marked), n_documents)

    def __len__(self) -> int:
        return len(self.positions)

    def meet_list(self, lists: Words, key: int) -> Met:
        """`meet` of one list of an index, remembered: a question asks for the documents of a word more than once."""
        if (id(lists), key) not in self._met:
            self._met[id(lists), key] = lists, self.meet(lists[key])
        return self._met[id(lists), key][1]

    def meet(self, documents: Documents) -> Met:
        """Those of some documents that are selected: which of them, rising, and the place of each in the selection."""
        if not len(self.positions) or not len(documents):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        if len(documents) * _LOOKED_UP < len(self.positions):
            place = np.minimum(np.searchsorted(self.positions, documents), len(self.positions) - 1)
            which = np.flatnonzero(self.positions[place] == documents)
            return which, place[which]
        found = self._places[documents]
        which = np.flatnonzero(found)
        return which, found[which].astype(np.int64) - 1

    @cached_property
    def _places(self) -> npt.NDArray[np.int32]:
        """(n_documents,) the place of each selected document, from 1 on; 0 for all others."""
        places = np.zeros(self.n_documents, dtype=np.int32)
        places[self.positions] = np.arange(1, len(self.positions) + 1, dtype=np.int32)
        return places
