"""Metadata from the YAML above a document, with their values converted."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from math import isfinite
from reprlib import Repr
from typing import Any, cast

import yaml

from retrieval.errors import InvalidDocumentError
from retrieval.types import Metadata, MetadataValue

_ENTRY = re.compile(r"""(?P<quote>["']?)(?P<key>\w[\w .-]*)(?P=quote)\s*:(?:\s|$)""")
_CONTINUES = re.compile(r"\s|-(?:\s|$)|[\]}]")
"""The beginning of a line that continues the entry above it."""
_UNREADABLE = (yaml.YAMLError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError, RecursionError)
"""Errors that the YAML reader raises; for a month 13, `!!int ''` or `[[[[...` they are not YAML errors."""
_RESERVED = ("$", "#", "chroma:")
_SHOWN = Repr()
"""Shortens values for messages: with nested aliases, a short value may be a gigabyte when written out."""
MAX_NODES = 10_000
"""Most nodes in the YAML above a document, with its aliases expanded."""


def split_front_matter(text: str, where: str, warnings: list[str]) -> tuple[Metadata, str, int]:
    """Return the metadata, the text below them, and the 1-based line on which that begins.

    Unreadable keys are omitted with a warning. Two horizontal rules around a paragraph look like front matter but are
    text: only a mapping is removed from the text.
    """
    head, fence, rest = text.partition("\n---\n")
    if not text.startswith("---\n") or not fence:
        return {}, text, 1
    values = _mapping(head[4:], where, warnings)
    if values is None:
        return {}, text, 1
    metadata: dict[str, MetadataValue] = {}
    for key, value in values.items():
        try:
            metadata |= read_metadata({key: value}, where)
        except InvalidDocumentError as error:
            warnings.append(f"{error}; it is left out")
    return metadata, rest, head.count("\n") + 3


def read_metadata(values: Mapping[Any, object], where: str) -> Metadata:
    """Return YAML or TOML values as metadata: dates as ISO days, lists as string tuples, without nulls.

    Raises:
        InvalidDocumentError: a key or text that no index can store, a nested value, or a number that is infinite, NaN
            or too large; it names `where` and the key.
    """
    return {_key(str(key), where): _value(str(key), value, where) for key, value in values.items() if value is not None}


def _key(key: str, where: str) -> str:
    if not key or key.startswith(_RESERVED):
        raise InvalidDocumentError(
            f"{where}: metadata key {key!r} is empty, or begins like the keys that Chroma reserves; rename it"
        )
    return _text(key, key, where)


def _value(key: str, value: object, where: str) -> MetadataValue:
    if isinstance(value, datetime | date):
        return value.isoformat()[:10]
    if isinstance(value, int | float):
        return _number(key, value, where)
    if isinstance(value, str):
        return _text(key, value, where)
    if isinstance(value, list) and all(isinstance(member, str | int | float | datetime | date) for member in value):
        return tuple(_member(key, member, where) for member in value)
    # By its keys, a mapping that every page has is one warning: its values differ from page to page.
    shown = f"a mapping of {_SHOWN.repr(list(value))}" if isinstance(value, Mapping) else _SHOWN.repr(value)
    raise InvalidDocumentError(f"{where}: metadata key {key!r} must be a string, number, date or list, not {shown}")


def _member(key: str, member: str | float | datetime | date, where: str) -> str:
    if isinstance(member, int):
        _number(key, member, where)
    return member.isoformat()[:10] if isinstance(member, datetime | date) else _text(key, str(member), where)


def _number(key: str, value: float, where: str) -> int | float:
    try:
        finite = isfinite(value)
    except OverflowError:
        raise InvalidDocumentError(
            f"{where}: metadata key {key!r} is a number of more than 300 digits; write it in quotes, or leave it out"
        ) from None
    if not finite:
        raise InvalidDocumentError(
            f"{where}: metadata key {key!r} is {value}, which no filter can compare; leave it out"
        )
    return value


def _text(key: str, text: str, where: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidDocumentError(
            f"{where}: metadata key {key!r} has {text[error.start]!r}, half a character; write the character itself"
        ) from error
    return text


def _mapping(source: str, where: str, warnings: list[str]) -> Mapping[Any, object] | None:
    try:
        values = _read_yaml(source) or {}
    except _UNREADABLE:
        # One bad value makes the whole unreadable: it is then read key by key, to lose only that value.
        return _entry_by_entry(source, where, warnings)
    return values if isinstance(values, dict) else None


def _entry_by_entry(source: str, where: str, warnings: list[str]) -> Mapping[Any, object] | None:
    lines = [line for line in source.split("\n") if line.strip() and not line.startswith("#")]
    if not lines or not _ENTRY.match(lines[0]):
        return None
    if stray := [line for line in lines if not _ENTRY.match(line) and not _CONTINUES.match(line)]:
        warnings.append(
            f"{where}: {stray[0][:60]!r} between its first two `---` is not YAML; all of it is read as text"
        )
        return None
    values: dict[Any, object] = {}
    for key, entry in _entries(lines):
        try:
            values |= cast(Mapping[Any, object], _read_yaml(entry))
        except _UNREADABLE as error:
            reason = " ".join(str(error).split())[:200]
            warnings.append(f"{where}: metadata key {key!r} cannot be read as YAML ({reason}); it is left out")
    return values


def _entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    starts = [number for number, line in enumerate(lines) if _ENTRY.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = _ENTRY.match(lines[start])
        yield (match["key"].rstrip() if match else ""), "\n".join(lines[start:end])


def _read_yaml(source: str) -> object:
    """Return the values of one YAML document. Raises YAML's errors, and ValueError if aliases make it too large."""
    loader = yaml.SafeLoader(source)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _size(node, {}) > MAX_NODES:
            raise ValueError(f"more than {MAX_NODES:,} values, aliases counted in full")
        return cast(object, loader.construct_document(node))
    finally:
        loader.dispose()


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Return the number of nodes with every alias expanded; more than `MAX_NODES` if a node contains itself."""
    if id(node) not in known:
        known[id(node)] = MAX_NODES + 1  # until it is known: a node that contains itself counts as too large
        inside = node.value if isinstance(node, yaml.SequenceNode) else ()
        if isinstance(node, yaml.MappingNode):
            inside = [part for pair in node.value for part in pair]
        known[id(node)] = 1 + sum(_size(inner, known) for inner in inside)
    return known[id(node)]
