"""Frozen records as JSON lines on disk, optionally compressed: validated when read, written atomically."""

import errno
import fcntl
import gzip
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from retrieval.errors import IndexCorruptError
from retrieval.files.atomic_files import replacing, sync

Record = TypeVar("Record")

_BLOCK = 65_536

_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def adapter_of(record_type: type[Record]) -> TypeAdapter[Record]:
    """Return the cached adapter that reads and writes records of a type."""
    if record_type not in _ADAPTERS:
        _ADAPTERS[record_type] = TypeAdapter(record_type)
    return _ADAPTERS[record_type]


def dump_record(record: object) -> bytes:
    """Return one record as a JSON line without its line end; keys in field order."""
    return adapter_of(type(record)).dump_json(record)


def parse_record(line: bytes | str, record_type: type[Record]) -> Record:
    """Return the record of one JSON line.

    Raises:
        pydantic.ValidationError: the line is not a `record_type`.
    """
    return adapter_of(record_type).validate_json(line)


def write_jsonl(path: Path, records: Iterable[object]) -> int:
    """Write one record on each line and return how many, atomically: readers see the old file or the new one."""
    count = 0
    with replacing(path) as partial, partial.open("wb") as file:
        for record in records:
            file.write(dump_record(record) + b"\n")
            count += 1
    return count


def append_record(path: Path, record: object) -> None:
    """Append a line durably. An incomplete last line of an earlier writer is removed.

    Raises:
        OSError: it could not be written completely; the file is not changed.
    """
    is_new = not path.exists()
    with path.open("a+b", buffering=0) as file:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)  # only one writer at a time repairs the end, and lines do not mix
        whole = _whole_lines(file)
        file.truncate(whole)
        line = dump_record(record) + b"\n"
        if file.write(line) != len(line):
            file.truncate(whole)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        os.fsync(file.fileno())
    if is_new:
        sync(path.parent)


def _whole_lines(file: FileIO) -> int:
    """Return the number of bytes up to the last line end."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - _BLOCK)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def read_kept(path: Path, record_type: type[Record]) -> tuple[Record, ...]:
    """Read what `append_record` wrote; nothing if there is no file.

    A last line without a line end was never acknowledged, and is ignored.

    Raises:
        IndexCorruptError: a line is not a `record_type`; names the file and the line.
    """
    if not path.is_file():
        return ()
    with path.open("rb") as file:
        return _parse_lines((line for line in file if line.endswith(b"\n")), path, record_type, "delete that line")


def read_jsonl(path: Path, record_type: type[Record]) -> tuple[Record, ...]:
    """Read what `write_jsonl` wrote.

    Raises:
        FileNotFoundError: no such file.
        IndexCorruptError: a line is not a `record_type`; names the file and the line.
    """
    with path.open("rb") as file:
        return _parse_lines(file, path, record_type, "build again")


def _parse_lines(lines: Iterable[bytes], path: Path, record_type: type[Record], fix: str) -> tuple[Record, ...]:
    records = []
    for number, line in enumerate(lines, start=1):
        try:
            records.append(parse_record(line, record_type))
        except ValidationError as error:
            raise IndexCorruptError(
                f"{path}, line {number}: not a {record_type.__name__} ({error.errors()[0]['msg']}); {fix}"
            ) from error
    return tuple(records)


def unpacked(raw: bytes, path: Path) -> str:
    """Return the text of a file's bytes, without a byte order mark.

    Args:
        path: of the file; files ending in `.gz` are compressed.

    Raises:
        ValueError: it is not valid gzip, is truncated, or is not UTF-8; the message says which.
    """
    try:
        return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
