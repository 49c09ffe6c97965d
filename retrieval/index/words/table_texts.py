"""Tables and passages as documents of their own, indexed by words and by vectors of their topic.

A row rarely repeats the topic of its table, but a question often states it: `interfaces of a c5d.xlarge` asks for a row
of a table under `Network interfaces per instance type`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt

from retrieval.files.array_folder import load_arrays
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.index.words.word_vectors import WORD_EMBEDDER
from retrieval.language.terms import Tokenize
from retrieval.types import Chunk, Vector

N_KEYS = 14
"""Row keys of a table that its text contains."""
N_HEADINGS = 3
"""Nearest headings that it contains, beside the first heading."""
LEAD, OPENING = 200, 160
"""Characters of the text before a table, from its end, and of a passage, from its beginning."""
_SEPARATOR = " . "


@dataclass(frozen=True, slots=True, eq=False)
class TableTexts:
    """The texts of tables and passages, indexed by their number."""

    lexical: LexicalIndex
    """BM25 over the texts."""
    vectors: Vector
    """(numbers, dimensions) from the model of words, whatever embeds the chunks."""

    def __post_init__(self) -> None:
        if self.vectors.shape != (expected := (self.lexical.n_documents, WORD_EMBEDDER.identity.dimensions)):
            raise ValueError(f"vectors have the shape {self.vectors.shape}, not {expected}")

    @classmethod
    def build(cls, chunks: Sequence[Chunk], of: npt.NDArray[np.int32], tokenize: Tokenize) -> "TableTexts":
        """Index chunks.

        Args:
            chunks: by position.
            of: (n_chunks,) number of each chunk's table or passage; every number has a chunk.
            tokenize: for texts.
        """
        texts = table_texts(chunks, of)
        return cls(LexicalIndex.build(texts, tokenize), WORD_EMBEDDER.embed(texts))

    @classmethod
    def load(cls, folder: Path, tokenize: Tokenize, ask: Tokenize) -> "TableTexts":
        """Map what `save_arrays` wrote; the tokenizer must be the one it was built with. Raises IndexCorruptError."""
        texts = load_arrays(folder, cls)
        return cls(replace(texts.lexical, tokenize=tokenize, ask=ask), texts.vectors)


def table_texts(chunks: Sequence[Chunk], of: npt.NDArray[np.int32]) -> list[str]:
    """Return a text about the topic of each table or passage, by its number.

    The text of a table has its document, headings, caption, the end of the text before it, its columns and first keys;
    that of a passage its document, headings and beginning.
    """
    before = {(chunk.book, chunk.document, chunk.position + 1): chunk for chunk in chunks if chunk.table_id is None}
    parts: dict[int, list[Chunk]] = {}
    for chunk, number in zip(chunks, of.tolist(), strict=True):
        parts.setdefault(number, []).append(chunk)
    # Positions follow the order of ids; a table is read in the order of its rows.
    tables = (sorted(parts[number], key=lambda chunk: chunk.position) for number in range(len(parts)))
    return [
        _SEPARATOR.join(part for part in (*_names_and_headings(rows[0]), *_about(rows, before)) if part)
        for rows in tables
    ]


def _names_and_headings(chunk: Chunk) -> Iterator[str]:
    """Yield the name of the document, the first heading and the nearest ones, each once."""
    name = PurePosixPath(chunk.document).stem.replace("-", " ").replace("_", " ")
    yield from dict.fromkeys((name, *islice(chunk.heading_path, 1), *chunk.heading_path[-N_HEADINGS:]))


def _about(rows: Sequence[Chunk], before: Mapping[tuple[str, str, int], Chunk]) -> Iterator[str]:
    first = rows[0]
    if first.table_id is None:
        yield first.text[:OPENING]
        return
    lead = before.get((first.book, first.document, first.position))
    yield first.caption or ""
    yield from first.searched_as
    if lead is not None and lead.heading_path == first.heading_path:
        yield lead.source.strip()[-LEAD:]
    yield ", ".join(first.columns)
    yield ", ".join(row.row_key or "" for row in rows[:N_KEYS])
