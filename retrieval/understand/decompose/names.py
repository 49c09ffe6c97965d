"""What the things in an index are called: by their rows, headings and captions."""

from collections.abc import Iterable, Sequence

from retrieval.types import Chunk
from retrieval.understand.catalog.words import keys

_LONGEST = 6
"""Words of a name; what is longer is a sentence."""


class Names:
    """Names of rows, sections and tables.

    Args:
        chunks: of an index.
    """

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._names: set[tuple[str, ...]] = set()
        for chunk in chunks:
            for name in (chunk.row_key, chunk.called, chunk.caption, *chunk.heading_path[-1:], *chunk.names):
                if name and len(said := keys(name)) <= _LONGEST and any(word.isalpha() for word in said):
                    self._names.add(tuple(sorted(said)))

    def __contains__(self, said: Sequence[str]) -> bool:
        """Whether these keys, in any order, are a whole name: `Horse, war, heavy` is a heavy war horse."""
        return tuple(sorted(said)) in self._names
