"""The chunks of a book as several steps of one build read them: parsed once, and again only where the file changed."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from retrieval.index.embedding.embedding_text import embedding_key
from retrieval.records import read_jsonl
from retrieval.types import Chunk

CHUNKS = "chunks.jsonl"


@dataclass(frozen=True, slots=True)
class BookRecords:
    """A book's chunks, and what their vectors are kept under."""

    digest: str
    """sha256 of the file that they were read from."""
    chunks: tuple[Chunk, ...]
    keys: tuple[str, ...]
    """Aligned with the chunks."""


_READ: dict[Path, BookRecords] = {}
"""By folder of records. A build's process reads one library, and ends with the build."""


def book_records(folder: Path) -> BookRecords:
    """What the folder of a book's records holds now.

    Raises:
        FileNotFoundError: the book has no chunks yet.
        IndexCorruptError: a line of them is no chunk.
    """
    path = folder / CHUNKS
    digest = sha256(path.read_bytes()).hexdigest()
    known = _READ.get(folder)
    if known is None or known.digest != digest:
        chunks = read_jsonl(path, Chunk)
        known = _READ[folder] = BookRecords(digest, chunks, tuple(map(embedding_key, chunks)))
    return known
