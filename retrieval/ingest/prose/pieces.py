"""The pieces that a document's prose is cut into."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.ingest.markdown.words import is_links


@dataclass(frozen=True, slots=True)
class Piece:
    """A heading, a paragraph, a list, or the line that stands for a table."""

    text: str
    source: str
    """Empty for a table."""
    lines: tuple[int, int]
    path: tuple[str, ...]
    level: int = 0
    """Of a heading; 0 for all else."""

    @property
    def is_prose(self) -> bool:
        """Whether it is neither a heading nor a table."""
        return self.level == 0 and bool(self.source)


def without_tables_of_links(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces; where all their prose is links, without the tables and the headings of other sections.

    `[Sheet](https://...)` over three tables says nothing of them, and is no answer to what their rows are asked for.
    """
    prose = [piece for piece in pieces if piece.is_prose]
    if not all(is_links(piece.text) for piece in prose):
        return list(pieces)
    links = [piece.path for piece in prose if any(map(str.isalnum, piece.text))]
    over = {path[:depth] for path in links for depth in range(len(path) + 1)}
    return [piece for piece in pieces if piece.is_prose or (piece.level and piece.path in over)]
