"""Tables and passages as documents of their own: what each is about, by words and by meaning.

A row rarely repeats what its table is about, and a question often says it: `interfaces of a c5d.xlarge` is a row of a
table under `Network interfaces per instance type`.
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
"""Row keys of a table that its text says."""
N_HEADINGS = 3
"""Nearest headings that it says, beside the first of the document."""
LEAD, OPENING = 200, 160
"""Characters of the text before a table, from its end, and of a passage, from its beginning."""
_SEPARATOR = " . "


@dataclass(frozen=True, slots=True, eq=False)
class TableTexts:
    """The texts of tables and passages, indexed by their number."""

    lexical: LexicalIndex
    """BM25 over the texts."""
    vectors: Vector
    """(numbers, dimensions) of the model of words, whatever embeds the chunks."""

    def __post_init__(self) -> None:
        if self.vectors.shape != (expected := (self.lexical.n_documents, WORD_EMBEDDER.identity.dimensions)):
            raise ValueError(f"vectors have the shape {self.vectors.shape}, not {expected}")

    @classmethod
    def build(cls, chunks: Sequence[Chunk], of: npt.NDArray[np.int32], tokenize: Tokenize) -> "TableTexts":
        """Index chunks.

        Args:
            chunks: by position.
            of: (n_chunks,) number of each chunk's table or passage; every number has a chunk.
            tokenize: cuts texts.
        """
        texts = table_texts(chunks, of)
        return cls(LexicalIndex.build(texts, tokenize), WORD_EMBEDDER.embed(texts))

    @classmethod
    def load(cls, folder: Path, tokenize: Tokenize, ask: Tokenize) -> "TableTexts":
        """Map what `save_arrays` wrote; the tokenizer must be the one it was built with. Raises IndexCorruptError."""
        texts = load_arrays(folder, cls)
        return cls(replace(texts.lexical, tokenize=tokenize, ask=ask), texts.vectors)


def table_texts(chunks: Sequence[Chunk], of: npt.NDArray[np.int32]) -> list[str]:
    """What each table or passage is about, by its number.

    A table says its document, its headings, caption, the end of the text before it, its columns and its first keys; a
    passage its document, its headings and its beginning.
    """
    before = {(chunk.book, chunk.document, chunk.position + 1): chunk for chunk in chunks if chunk.table_id is None}
    parts: dict[int, list[Chunk]] = {}
    for chunk, number in zip(chunks, of.tolist(), strict=True):
        parts.setdefault(number, []).append(chunk)
    # Positions are the order of ids; a table is read from its first row on.
    tables = (sorted(parts[number], key=lambda chunk: chunk.position) for number in range(len(parts)))
    return [
        _SEPARATOR.join(part for part in (*_names_and_headings(rows[0]), *_about(rows, before)) if part)
        for rows in tables
    ]


def _names_and_headings(chunk: Chunk) -> Iterator[str]:
    """The document by its name, the first heading, and the nearest ones, each once."""
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
