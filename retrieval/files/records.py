"""Frozen records as JSON lines on disk, also packed: validated when read, atomic when written."""

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from retrieval.errors import IndexCorruptError
from retrieval.files.atomic_files import replacing

Record = TypeVar("Record")


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def adapter_of(record_type: type[Record]) -> TypeAdapter[Record]:
    """What reads and writes records of a type, made once."""
    if record_type not in _ADAPTERS:
        _ADAPTERS[record_type] = TypeAdapter(record_type)
    return _ADAPTERS[record_type]


def dump_record(record: object) -> bytes:
    """One record as a JSON line without its line end; keys in field order."""
    return adapter_of(type(record)).dump_json(record)


def parse_record(line: bytes | str, record_type: type[Record]) -> Record:
    """The record of one JSON line.

    Raises:
        pydantic.ValidationError: the line is not a `record_type`.
    """
    return adapter_of(record_type).validate_json(line)


def write_jsonl(path: Path, records: Iterable[object]) -> int:
    """Write one record a line and return how many; readers see the old file or the new one, never a half."""
    count = 0
    with replacing(path) as partial, partial.open("wb") as file:
        for record in records:
            file.write(dump_record(record) + b"\n")
            count += 1
    return count


def append_record(path: Path, record: object) -> None:
    """Add a line by one write, so that lines of several processes do not mix."""
    with path.open("ab", buffering=0) as file:
        file.write(dump_record(record) + b"\n")


def read_kept(path: Path, record_type: type[Record]) -> tuple[Record, ...]:
    """What `append_record` added so far; nothing where there is no file. Raises IndexCorruptError."""
    return read_jsonl(path, record_type) if path.is_file() else ()


def read_jsonl(path: Path, record_type: type[Record]) -> tuple[Record, ...]:
    """Read what `write_jsonl` wrote.

    Raises:
        FileNotFoundError: no such file.
        IndexCorruptError: a line is not a `record_type`; names the file and the line.
    """
    records = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                records.append(parse_record(line, record_type))
            except ValidationError as error:
                raise IndexCorruptError(
                    f"{path}, line {number}: not a {record_type.__name__} ({error.errors()[0]['msg']}); build again"
                ) from error
    return tuple(records)


def unpacked(raw: bytes, path: Path) -> str:
    """The text of a file's bytes, without a byte order mark.

    Args:
        raw: what the file holds.
        path: of the file; what ends in `.gz` is packed.

    Raises:
        ValueError: it is not packed so, was cut off, or is not UTF-8; the message says which.
    """
    try:
        return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
