"""Records of the artifact tables as plain documents, and back."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from retrieval.errors import IndexCorruptError
from retrieval.records import adapter_of

Record = TypeVar("Record")
Document = dict[str, Any]


def document_of(record: object, mode: Literal["python", "json"] = "python") -> Document:
    """The fields of a record by name, nested ones too. `json`: times are text."""
    found: Document = adapter_of(type(record)).dump_python(record, mode=mode)
    return found


def record_of(document: Mapping[str, Any], record: type[Record], where: str) -> Record:
    """The record of a document; fields that it does not have are ignored.

    Args:
        document: as a store gives it.
        record: its type.
        where: what to call its place in an error.

    Raises:
        IndexCorruptError: it is no such record.
    """
    try:
        return adapter_of(record).validate_python(document)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise IndexCorruptError(
            f"{where} holds what is no {record.__name__} ({field}: {first['msg']}); write it again: querymust export"
        ) from error
