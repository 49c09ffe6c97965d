"""A frozen dataclass of arrays as a folder with a file for each field; arrays are memory-mapped, never unpickled.

::

    <field>.npy            an array
    <field>.starts.npy     beside it for a `RaggedArray`
    <field>/               another dataclass
    <field>.json           anything else: numbers, texts, tuples and dictionaries of them

Fields with a default are not stored: they are caches, or supplied again by the caller.
"""

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from retrieval.errors import IndexCorruptError
from retrieval.files.arrays import RaggedArray, load_array, save_array

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import TypeAdapter

Record = TypeVar("Record", bound="DataclassInstance")


def save_arrays(folder: Path, record: "DataclassInstance") -> None:
    """Write a dataclass of arrays into a folder, which is created if missing.

    Raises:
        OSError: not all of it could be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, kind in _kept(type(record)).items():
        value = getattr(record, name)
        if isinstance(value, np.ndarray):
            save_array(folder / f"{name}.npy", value)
        elif isinstance(value, RaggedArray):
            value.save(folder, name)
        elif is_dataclass(kind):
            save_arrays(folder / name, value)
        else:
            (folder / f"{name}.json").write_bytes(_adapter(kind).dump_json(value))


def load_arrays(folder: Path, record_type: type[Record]) -> Record:
    """Map what `save_arrays` wrote.

    A `ValueError` of a `__post_init__`, raised if the arrays do not fit each other, becomes the error below.

    Raises:
        IndexCorruptError: a file is missing, does not have the type of its field, or does not fit the others.
    """
    make: Callable[..., Record] = record_type
    try:
        return make(**{name: _load(folder, name, kind) for name, kind in _kept(record_type).items()})
    except (OSError, TypeError, ValueError) as error:
        raise IndexCorruptError(f"{folder} cannot be read: {error}; build the index again") from error


def _load(folder: Path, name: str, kind: Any) -> object:
    arguments = get_args(kind)
    if get_origin(kind) is np.ndarray:  # np.ndarray[shape, np.dtype[scalar]]
        return load_array(folder / f"{name}.npy", get_args(arguments[1])[0])
    if get_origin(kind) is RaggedArray:
        return RaggedArray.load(folder, name, arguments[0])
    if isinstance(kind, type) and is_dataclass(kind):
        return load_arrays(folder / name, kind)
    path = folder / f"{name}.json"
    try:
        return _adapter(kind).validate_json(path.read_bytes())
    except ValueError as error:
        raise IndexCorruptError(f"{path} does not match its field; build the index again") from error


@cache
def _kept(record_type: "type[DataclassInstance]") -> dict[str, Any]:
    """Return the types of the fields without a default, by their names."""
    types = get_type_hints(record_type)
    return {
        field.name: types[field.name]
        for field in fields(record_type)
        if field.default is MISSING and field.default_factory is MISSING
    }


@cache
def _adapter(kind: Any) -> "TypeAdapter[object]":
    from pydantic import TypeAdapter

    return TypeAdapter(kind, config={"cache_strings": False})  # the texts of an index are distinct
