"""The words of every field in their order: of a row's key, its cells and columns, of what heads it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array, save_array
from retrieval.index.term_table import TermTable
from retrieval.index.words.first_chunks import first_chunks
from retrieval.index.words.telling_headings import telling_paths
from retrieval.index.words.tokenizer import Tokenize
from retrieval.ingest.tables.search_text import other_names
from retrieval.ragged import RaggedArray
from retrieval.types import Chunk

Words = RaggedArray[np.int32]
Cells = npt.NDArray[np.int16]
Sections = npt.NDArray[np.int32]

UNKNOWN = -1
"""A word that the lexical index does not have."""

RowField = Literal["key", "cell", "passage"]
HeadField = Literal["caption", "heading", "above", "further", "column"]


@dataclass(frozen=True, slots=True, eq=False)
class FieldIndex:
    """Words as numbers of the lexical index's terms; by chunk, or by the number of its table or passage."""

    key: Words
    """By chunk: the cell that picks the row."""
    cell: Words
    """By chunk: all cells, and behind them the label that the row stands under and its other names."""
    cell_of: Cells
    """Which cell each item of `cell` is in."""
    passage: Words
    """By chunk: prose; empty for rows."""
    caption: Words
    """By table, as all that follow: its caption, and what else it is found by."""
    heading: Words
    """The nearest heading that tells it from other tables of its book."""
    above: Words
    """The heading between, or above it."""
    further: Words
    """The others."""
    column: Words
    """Column names, each with its initials: `ar` for `Armor Rating`."""
    column_of: Cells
    """Which column each item of `column` is in."""
    section: Sections
    """(tables,) which section each table or passage is in: those with one document and one heading path."""

    @classmethod
    def build(
        cls, chunks: Sequence[Chunk], of: npt.NDArray[np.int32], terms: TermTable, tokenize: Tokenize
    ) -> "FieldIndex":
        """Index chunks.

        Args:
            chunks: by position.
            of: (n_chunks,) number of each chunk's table or passage; every number has a chunk.
            terms: those of the lexical index.
            tokenize: cuts texts.
        """
        cut = cache(tokenize)
        tables = first_chunks(chunks, of)
        rows = [chunk if chunk.table_id is not None else None for chunk in chunks]
        cells = [list(_numbered(_said(chunk) if chunk else (), cut)) for chunk in rows]
        columns = [list(_numbered(table.columns, lambda name: (*cut(name), *cut(_initials(name))))) for table in tables]
        number, paths = _numbers(terms), telling_paths(tables)
        return cls(
            number([cut(chunk.row_key or "") if chunk else () for chunk in rows]),
            number([[word for _, word in words] for words in cells]),
            _places(cells),
            number([cut(chunk.search_text) if chunk.table_id is None else () for chunk in chunks]),
            number([cut(" ".join((table.caption or "", *table.searched_as))) for table in tables]),
            number([cut(_nearest(path, 1)) for path in paths]),
            number([cut(_nearest(path, 2)) for path in paths]),
            number([[word for heading in path[:-2] for word in cut(heading)] for path in paths]),
            number([[word for _, word in words] for words in columns]),
            _places(columns),
            _sections(tables),
        )

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if isinstance(value, RaggedArray):
                value.save(folder, name, f"{name}_starts")
            else:
                save_array(folder / f"{name}.npy", value)

    @classmethod
    def load(cls, folder: Path) -> "FieldIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""

        def words(name: str) -> Words:
            return RaggedArray.load(folder, np.int32, name, f"{name}_starts")

        def cells(name: str) -> Cells:
            return load_array(folder / f"{name}.npy", np.int16)

        return cls(
            words("key"),
            words("cell"),
            cells("cell_of"),
            words("passage"),
            words("caption"),
            words("heading"),
            words("above"),
            words("further"),
            words("column"),
            cells("column_of"),
            load_array(folder / "section.npy", np.int32),
        )


def _sections(tables: Sequence[Chunk]) -> Sections:
    known: dict[tuple[str, str, tuple[str, ...]], int] = {}
    places = [(table.book, table.document, table.heading_path) for table in tables]
    return np.asarray([known.setdefault(place, len(known)) for place in places], dtype=np.int32)


def _said(row: Chunk) -> tuple[str, ...]:
    return (*row.cells, str(row.metadata.get("row_label", "")), *other_names(row.names, row.cells))


def _nearest(path: Sequence[str], place: int) -> str:
    return path[-place] if len(path) >= place else ""


def _initials(column: str) -> str:
    words = [word for word in column.split() if word[0].isalpha()]
    return "".join(word[0] for word in words).casefold() if len(words) > 1 else ""


def _numbered(texts: Sequence[str], cut: Callable[[str], Iterable[str]]) -> Iterator[tuple[int, str]]:
    for place, text in enumerate(texts):
        yield from ((place, word) for word in cut(text))


def _places(numbered: Iterable[Iterable[tuple[int, str]]]) -> Cells:
    return np.fromiter((place for words in numbered for place, _ in words), np.int16)


def _numbers(terms: TermTable) -> Callable[[Sequence[Sequence[str]]], Words]:
    known: dict[str, int] = {}

    def number(texts: Sequence[Sequence[str]]) -> Words:
        new = list({word for words in texts for word in words if word not in known})
        known.update((word, UNKNOWN if at is None else at) for word, at in zip(new, terms.positions(new), strict=True))
        return RaggedArray.build([[known[word] for word in words] for words in texts], np.int32)

    return number
