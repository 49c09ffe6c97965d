"""What the dense leg embeds of a chunk."""

from collections.abc import Iterator

from retrieval.ingest.tables.values import is_numeric
from retrieval.types import Chunk

MAX_CHARACTERS = 32_768
"""No model reads more, and a cell can be a whole book."""


def embedding_text(chunk: Chunk) -> str:
    """Prose as it is; of a row what it is called and about, without the numbers of its body.

    A vector says nothing sharp about numbers, and twenty of them drown the words that a question shares with a row:
    only the row's own key and names keep theirs, and of the numbers that a range stands for the first is enough. A
    column heading whose numbers were left out stays, each word once.
    """
    return _text(chunk)[:MAX_CHARACTERS]


def embedding_key(chunk: Chunk) -> str:
    """What a chunk's vector is kept under: the text that is embedded, and all that is searched.

    A changed row is embedded once, whichever cell it was; and a new way of choosing the text finds no old vector.
    """
    return f"{embedding_text(chunk)}\0{chunk.search_text}"


def _text(chunk: Chunk) -> str:
    if chunk.kind == "prose":
        return chunk.search_text
    about = dict.fromkeys([*chunk.heading_path[-1:], chunk.caption or "", str(chunk.metadata.get("row_label", ""))])
    cells = ", ".join(_worded_cells(chunk))
    columns = " ".join(dict.fromkeys(_words_of_numeric_columns(chunk)))
    return ". ".join(
        part for part in (", ".join(filter(None, about)), cells, ", ".join(_names(chunk)), columns) if part
    )


def _names(chunk: Chunk) -> Iterator[str]:
    numbered = [name for name in chunk.names if _is_numbered(name)]
    yield from (name for name in chunk.names if not _is_numbered(name))
    yield from numbered[:1]


def _is_numbered(name: str) -> bool:
    return name.rpartition(" ")[2].lstrip("-").isdigit()


def _worded_cells(chunk: Chunk) -> Iterator[str]:
    for column, cell in zip(chunk.columns, chunk.cells, strict=True):
        if cell and (cell == chunk.row_key or not is_numeric(cell)):
            yield f"{column} {cell}"


def _words_of_numeric_columns(chunk: Chunk) -> Iterator[str]:
    for column, cell in zip(chunk.columns, chunk.cells, strict=True):
        if cell and cell != chunk.row_key and is_numeric(cell):
            yield from (word for word in column.split() if any(map(str.isalpha, word)))
