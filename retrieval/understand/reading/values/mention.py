"""A run of words of a question that is a value of the metadata."""

from dataclasses import dataclass

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.catalog.fields import CatalogField


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
    likeness: float = 1.0
    """Less where other words stand there that mean the value."""
    denied: bool = False
    """Whether the words say that it is none of the values: `unresolved`."""
    granted: bool = False
    """Whether the words around it say that it is asked: `pets allowed`."""

    @property
    def is_exact(self) -> bool:
        """Whether the value itself stands there."""
        return self.certainty == 1.0 and self.likeness == 1.0
