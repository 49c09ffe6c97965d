import shutil
from pathlib import Path

import pytest

from pipeline.building.book_records import book_records
from retrieval.errors import IndexCorruptError
from retrieval.home import Home
from retrieval.index.embedding.embedding_text import embedding_key
from retrieval.records import read_jsonl, write_jsonl
from retrieval.types import Chunk


def test_chunks_are_read_again_where_their_file_changed_and_only_there(tiny_built: Home, tmp_path: Path) -> None:
    path = Path(shutil.copy(tiny_built.book("tiny") / "chunks.jsonl", tmp_path))
    chunks = read_jsonl(path, Chunk)
    first = book_records(tmp_path)
    assert first.chunks == chunks
    assert first.keys == tuple(map(embedding_key, chunks))
    assert book_records(tmp_path) is first
    write_jsonl(path, chunks[1:])
    assert book_records(tmp_path).chunks == chunks[1:]
    path.write_text("{}\n")
    with pytest.raises(IndexCorruptError, match="line 1"):
        book_records(tmp_path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        book_records(tmp_path)
