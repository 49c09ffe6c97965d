import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.artifacts.sqlite_store import ARTIFACTS_FILE, SqliteStore
from retrieval.errors import IndexCorruptError, IndexMissingError, VectorDBWriteError
from tests.retrieval.artifacts.conftest import RULES, artifacts


def test_a_file_that_is_not_there_is_not_made_by_reading(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"there are no artifacts at .*; write them: querymust export"):
        SqliteStore(tmp_path / ARTIFACTS_FILE)
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    book = artifacts("a", "b")
    with closing(SqliteStore(tmp_path / ARTIFACTS_FILE, create=True)) as store:
        store.replace_book(book)
    with closing(SqliteStore(tmp_path / ARTIFACTS_FILE)) as store:
        assert list(store.embeddings(RULES, "toy")) == list(book.embeddings)


def test_a_book_that_was_not_written_whole_leaves_the_old_one_whole(tmp_path: Path) -> None:
    old = artifacts("a", "b")
    with closing(SqliteStore(tmp_path / ARTIFACTS_FILE, create=True)) as store:
        store.replace_book(old)
        with pytest.raises(VectorDBWriteError):
            store.replace_book(replace(artifacts("a", "c", run="run2"), edges=[]))
        assert list(store.chunks(RULES)) == list(old.chunks)
        assert store.entries() == (old.entry,)


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / ARTIFACTS_FILE).write_bytes(b"no database, but long enough to be read as one" * 40)
    with pytest.raises(IndexCorruptError, match="delete it and export again"):
        SqliteStore(tmp_path / ARTIFACTS_FILE)


def test_a_file_of_another_version_says_so(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / ARTIFACTS_FILE)) as connection:
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(IndexCorruptError, match="has schema 9, but this program writes 1"):
        SqliteStore(tmp_path / ARTIFACTS_FILE)


def test_another_program_may_ask_it_in_sql(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / ARTIFACTS_FILE, create=True)) as store:
        store.replace_book(artifacts("a", "b"))
    with closing(sqlite3.connect(tmp_path / ARTIFACTS_FILE)) as connection:
        fetchall = connection.execute(
            "SELECT chunk_id, json_extract(metadata, '$.text_hash') FROM enriched_chunks JOIN chunk_embeddings "
            "USING (chunk_id) WHERE json_extract(tags, '$[0]') = 'combat' ORDER BY chunk_id"
        ).fetchall()
    assert fetchall == [("a", "h"), ("b", "h")]


def test_a_foreign_database_is_neither_read_nor_changed(tmp_path: Path) -> None:
    path = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (a)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(IndexCorruptError, match="has schema 0"):
        SqliteStore(path)
    assert path.read_bytes() == before
