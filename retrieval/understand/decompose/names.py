"""What the things in an index are called: by their rows, headings and captions."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from retrieval.types import Chunk
from retrieval.understand.catalog.words import keys

_LONGEST_NAME = 6
"""Words of a name; what is longer is a sentence."""


class Names:
    """Names of rows, sections and tables.

    Args:
        chunks: of an index; none where they are noted as somebody else reads them.
    """

    def __init__(self, chunks: Iterable[Chunk] = ()) -> None:
        self._called: set[str] = set()
        for _ in self.noting(chunks):
            pass

    def noting(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The same chunks, whose names are noted as they are read; all must be read before a name is looked for."""
        for chunk in chunks:
            called = (chunk.row_key, chunk.called, chunk.caption, *chunk.heading_path[-1:], *chunk.names)
            self._called.update(name for name in called if name)
            yield chunk

    @cached_property
    def _names(self) -> frozenset[tuple[str, ...]]:
        # All rows of a table share its caption and heading: every text is cut into words once.
        return frozenset(
            tuple(sorted(said))
            for said in map(keys, self._called)
            if len(said) <= _LONGEST_NAME and any(word.isalpha() for word in said)
        )

    def __contains__(self, said: Sequence[str]) -> bool:
        """Whether these keys, in any order, are a whole name: `Horse, war, heavy` is a heavy war horse."""
        return tuple(sorted(said)) in self._names
