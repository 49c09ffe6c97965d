"""The chunks of all books."""

import shutil
from pathlib import Path

import pytest

from pipeline.building.library_records import LibraryRecords
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedding_store import embedding_key
from retrieval.types import Chunk


def test_the_books_are_put_together_in_the_order_of_ids(tiny_built: Home, tmp_path: Path) -> None:
    chunks = read_jsonl(tiny_built.book("tiny") / "chunks.jsonl", Chunk)
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, part in zip(folders, (chunks[1:], chunks[:1]), strict=True):
        folder.mkdir()
        write_jsonl(folder / "chunks.jsonl", part)
    result = LibraryRecords.of(folders)
    assert result.chunks == tuple(sorted(chunks, key=lambda chunk: chunk.id))
    assert result.keys == tuple(map(embedding_key, result.chunks))
    assert result.version == LibraryRecords.of(folders).version
    write_jsonl(folders[1] / "chunks.jsonl", chunks[2:3])
    assert LibraryRecords.of(folders).version != result.version
    shutil.rmtree(folders[1])
    with pytest.raises(FileNotFoundError):
        LibraryRecords.of(folders)
