"""The embedded artifact store: one SQLite file, in which each book is complete or absent."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import numpy as np

from retrieval.artifacts.artifacts import (
    CHUNKS,
    CONFIGS,
    EDGES,
    EMBEDDINGS,
    ENTRIES,
    NODES,
    OF_A_BOOK,
    TABLES,
    BookArtifacts,
    BookKey,
    Record,
    StoredTraversalConfig,
    Table,
    document_of,
    record_of,
)
from retrieval.artifacts.store import ArtifactStore
from retrieval.errors import IndexCorruptError, IndexMissingError, StoreUnavailableError, VectorDBWriteError

ARTIFACTS_FILE = "artifacts.sqlite"
_SCHEMA = 1
_WAIT = 60.0
"""Seconds that one writer waits for another."""
_VECTOR = "embedding"
"""The only column of bytes: float32, little-endian. Lists and mappings are JSON."""
_STALE = """
DELETE FROM chunk_embeddings WHERE ruleset_id = ? AND book_id = ? AND model_id <> ? AND NOT EXISTS (
    SELECT 1 FROM chunk_embeddings AS now
    WHERE now.chunk_id = chunk_embeddings.chunk_id AND now.model_id = ?
    AND json_extract(now.metadata, '$.text_hash') = json_extract(chunk_embeddings.metadata, '$.text_hash'))
"""


class SqliteStore(ArtifactStore):
    """An artifact store in a file; see `ArtifactStore`.

    Args:
        path: of the file.
        create: whether to create it if missing.

    Raises:
        IndexMissingError: there is no such file.
        StoreUnavailableError: it is in use for more than a minute.
        IndexCorruptError: it is damaged, not an artifact store, or of another version of this program.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.is_file():
            raise IndexMissingError(f"there are no artifacts at {path}; write them: querymust export")
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._translating_errors():
            self._connection = sqlite3.connect(path, timeout=_WAIT)
            try:
                self._prepare(create=create)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, *, create: bool) -> None:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version not in ({0, _SCHEMA} if create else {_SCHEMA}):
            raise IndexCorruptError(
                f"{self.path} has schema {version}, but this program writes {_SCHEMA}; delete it and export again"
            )
        if not create:
            return
        with self._connection:
            for table in TABLES:
                columns = ", ".join(_columns(table))
                self._connection.execute(f"CREATE TABLE IF NOT EXISTS {table.name} ({columns})")
                for index in table.indexes:
                    over = ", ".join(f"{field} {'ASC' if order == 1 else 'DESC'}" for field, order in index.fields)
                    unique = "UNIQUE" if index.unique else ""
                    self._connection.execute(
                        f'CREATE {unique} INDEX IF NOT EXISTS "{table.name}.{index.name}" ON {table.name} ({over})'
                    )
            self._connection.execute(f"PRAGMA user_version = {_SCHEMA}")

    def replace_book(self, book: BookArtifacts) -> None:
        """Replace a book in one transaction."""
        entry, key = book.entry, book.entry.book
        with self._translating_errors(), self._connection:
            for table in (CHUNKS, NODES, EDGES, ENTRIES):
                self._delete(table, key)
            self._connection.execute(f"{_OF_BOOK.format(EMBEDDINGS.name)} AND model_id = ?", (*key, entry.model_id))
            parts: Sequence[tuple[Table[Any], Iterable[object], int]] = (
                (CHUNKS, book.chunks, entry.n_chunks),
                (EMBEDDINGS, book.embeddings, entry.n_chunks),
                (NODES, book.nodes, entry.n_nodes),
                (EDGES, book.edges, entry.n_edges),
            )
            for table, records, expected in parts:
                if (written := self._insert(table, records)) != expected:
                    raise VectorDBWriteError(
                        f"{table.name} of {key.ruleset_id}/{key.book_id} are {written}, not {expected} as the entry "
                        "says; nothing was changed"
                    )
            self._connection.execute(_STALE, (*key, entry.model_id, entry.model_id))
            self._insert(ENTRIES, [entry])

    def remove_book(self, book: BookKey) -> None:
        """Remove all records of a book."""
        with self._translating_errors(), self._connection:
            for table in (*OF_A_BOOK, ENTRIES):
                self._delete(table, book)

    def models(self, book: BookKey) -> tuple[str, ...]:
        """Return the models of a book's vectors."""
        query = "SELECT DISTINCT model_id FROM chunk_embeddings WHERE ruleset_id = ? AND book_id = ? ORDER BY model_id"
        with self._translating_errors():
            return tuple(name for (name,) in self._connection.execute(query, book))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _delete(self, table: Table[Any], book: BookKey) -> None:
        self._connection.execute(_OF_BOOK.format(table.name), book)

    def _insert(self, table: Table[Any], records: Iterable[object]) -> int:
        marks = ", ".join("?" * len(_columns(table)))
        command = f"INSERT INTO {table.name} VALUES ({marks})"  # noqa: S608
        return self._connection.executemany(command, map(_row, records)).rowcount if records else 0

    def _replace_config(self, config: StoredTraversalConfig) -> None:
        key = (config.ruleset_id, config.version)
        with self._translating_errors(), self._connection:
            self._connection.execute("DELETE FROM traversal_configs WHERE ruleset_id = ? AND version = ?", key)
            self._insert(CONFIGS, [config])

    def _records(self, table: Table[Record], values: Mapping[str, str]) -> Iterator[Record]:
        condition = " AND ".join(f"{name} = ?" for name in values) or "TRUE"
        columns, order = ", ".join(_columns(table)), ", ".join(table.key)
        query = f"SELECT {columns} FROM {table.name} WHERE {condition} ORDER BY {order}"  # noqa: S608
        with self._translating_errors(), closing(self._connection.execute(query, tuple(values.values()))) as cursor:
            for row in cursor:
                yield record_of(_document(table, row), table.record, f"{table.name} in {self.path}")

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise VectorDBWriteError(
                f"{self.path}: a record with that key belongs to another book ({error}); delete the file and "
                "export again"
            ) from error
        except sqlite3.OperationalError as error:
            raise StoreUnavailableError.of(
                str(self.path), error, "wait until no other program writes, or free space"
            ) from error
        except sqlite3.DatabaseError as error:
            raise IndexCorruptError(f"{self.path} cannot be read ({error}); delete it and export again") from error


_OF_BOOK = "DELETE FROM {} WHERE ruleset_id = ? AND book_id = ?"


def _columns(table: Table[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(table.record))


def _row(record: object) -> tuple[object, ...]:
    return tuple(_cell(name, value) for name, value in document_of(record, "json").items())


def _cell(name: str, value: Any) -> object:
    if name == _VECTOR:
        return np.asarray(value, dtype="<f4").tobytes()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _document(table: Table[Any], row: Sequence[Any]) -> dict[str, Any]:
    document = dict(zip(_columns(table), row, strict=True))
    for name in _lists(table):
        document[name] = (
            np.frombuffer(document[name], "<f4").tolist() if name == _VECTOR else json.loads(document[name])
        )
    return document


@cache
def _lists(table: Table[Any]) -> tuple[str, ...]:
    """Return the columns for which SQLite has no type: lists, mappings and nested records."""
    types = get_type_hints(table.record)
    return tuple(name for name, kind in types.items() if get_origin(kind) in {tuple, Mapping} or is_dataclass(kind))
