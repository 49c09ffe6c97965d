"""Values of fields that hold names or prose, where the name of their field stands before them: `with the symbol W`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import Word, keys
from retrieval.understand.reading.values.mention import Mention

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
                    said = tuple(each.key for each in words[begin:stop] if each.key[0].isalnum())
                    if said in values:
                        yield Mention(field, (values[said],), at, stop, 1.0, granted=True)
                        break

    @cached_property
    def _values(self) -> Sequence[tuple[CatalogField, Mapping[tuple[str, ...], Scalar]]]:
        free = [each for each in self.catalog.dividing if each.kind == "free"]
        return [(each, {said: value for value in each.counts if (said := keys(str(value)))}) for each in free]
