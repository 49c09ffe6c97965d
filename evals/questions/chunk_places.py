"""Where a literal text, a row key or a heading is among the chunks of a library."""

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

from retrieval.types import Chunk

_PIPE = re.compile(r"\s*\|\s*")
_MARKS = re.compile(r"[*_`#:]+")


def spaced(text: str) -> str:
    """The text with every run of white space as one space, and none around the bars of a table."""
    return _PIPE.sub("|", " ".join(text.split()))


def folded(text: str) -> str:
    """A heading, caption or key as people would call it the same: no case, emphasis, colon or curly quotes."""
    plain = unicodedata.normalize("NFKC", text).translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'})
    return " ".join(_MARKS.sub(" ", plain).casefold().split())


class ChunkPlaces:
    """Positions of chunks by what is in them. Built once; a look-up does not walk over the chunks.

    A whole line is found in a dictionary, a part of a line by one search through its book's joined sources.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = tuple(chunks)
        self._by_line: dict[str, list[int]] = defaultdict(list)
        self._by_key: dict[str, list[int]] = defaultdict(list)
        self._by_heading: dict[str, list[int]] = defaultdict(list)
        self._by_document: dict[str, list[int]] = defaultdict(list)
        self._of_book: dict[str, list[int]] = defaultdict(list)
        for position, chunk in enumerate(self.chunks):
            self._of_book[chunk.book].append(position)
            self._by_document[chunk.document].append(position)
            for line in {spaced(line) for line in chunk.source.split("\n")} - {""}:
                self._by_line[line].append(position)
            for key in row_keys(chunk):
                self._by_key[key].append(position)
            if chunk.heading_path:
                self._by_heading[folded(chunk.heading_path[-1])].append(position)
        self._joined = {book: _Joined(self.chunks, positions) for book, positions in self._of_book.items()}

    @property
    def books(self) -> tuple[str, ...]:
        """Slugs of the books that have chunks, sorted."""
        return tuple(sorted(self._of_book))

    def with_line(self, text: str) -> list[int]:
        """Chunks one of whose source lines is `text`, white space aside."""
        return self._by_line.get(spaced(text), [])

    def with_text(self, text: str, book: str | None) -> list[int]:
        """Chunks whose source contains `text`, white space aside; in one book or (None) in all."""
        books = self.books if book is None else (book,)
        wanted = spaced(text)
        return [position for name in books if name in self._joined for position in self._joined[name].find(wanted)]

    def with_key(self, key: str) -> list[int]:
        """Rows that `key` picks, and records that have a field of this name."""
        return self._by_key.get(folded(key), [])

    def under_heading(self, heading: str) -> list[int]:
        """Chunks whose innermost heading is `heading`."""
        return self._by_heading.get(folded(heading), [])

    def in_document(self, document: str) -> list[int]:
        """Chunks of the document of this path, in every book."""
        return self._by_document.get(document, [])


class _Joined:
    """The sources of some chunks as one text; a line end comes only between two chunks."""

    def __init__(self, chunks: Sequence[Chunk], positions: Sequence[int]) -> None:
        sources = [spaced(chunks[position].source) for position in positions]
        self._positions = positions
        self._text = "\n".join(sources)
        self._starts = [0, *accumulate(len(source) + 1 for source in sources)][:-1]

    def find(self, text: str) -> list[int]:
        found: list[int] = []
        at = self._text.find(text) if text else -1
        while at >= 0:
            which = bisect_right(self._starts, at) - 1
            found.append(self._positions[which])
            # go on behind this chunk: a second occurrence in it adds nothing
            at = self._text.find(text, self._starts[which + 1]) if which + 1 < len(self._starts) else -1
        return found


def row_keys(chunk: Chunk) -> set[str]:
    """Folded names that pick this chunk: key and first cell of a row, title and field names of a record."""
    if chunk.kind == "prose":
        return set()
    names = [chunk.row_key or "", *chunk.cells[:1]] if chunk.kind == "row" else [chunk.row_key or "", *chunk.columns]
    return {folded(name) for name in names} - {""}
