"""`tables.toml` in a book's folder, read and checked once so that later code only gets complete entries."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from retrieval.errors import BadPredicateError, LibraryError
from retrieval.query_must.operators import NO_RIVAL
from retrieval.query_must.predicate import parse_query_must
from retrieval.types import EVERY, KEY, Find, TableRule, normal

TABLES_FILE = "tables.toml"
"""The file beside a book's `book.toml` with its owner's rules for tables."""

KEYS = ("find", "caption", "key", "subject", "names", "query_must", "row_query_must", "open")
FIND_KEYS = ("heading", "caption", "head", "document")


def read_table_rules(folder: Path) -> tuple[TableRule, ...]:
    """Return the entries of a book's `tables.toml` in their order; none without the file.

    Raises:
        LibraryError: the file cannot be read, or an entry is invalid; names the file, the entry, and what it may have.
    """
    path = folder / TABLES_FILE
    if not path.is_file():
        return ()
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise LibraryError(f"{path}: {error}") from error
    entries = content.get("table", [])
    if set(content) - {"table"} or not isinstance(entries, list):
        raise LibraryError(f"{path} has {', '.join(content)}; begin each entry with [[table]]")
    return tuple(_Entry(path, number, entry).rule() for number, entry in enumerate(entries, start=1))


class _Entry:
    """One entry as it is written; invalid ones raise a LibraryError."""

    def __init__(self, path: Path, number: int, values: object) -> None:
        self._where = f"{path}: entry {number}"
        self._number = number
        self._values = self._table("it", values)
        self._only("it", self._values, KEYS)

    def rule(self) -> TableRule:
        values = self._values
        find = self._table("find", values.get("find", {}))
        self._only("find", find, FIND_KEYS)
        if not find:
            self._refuse(f"find is empty; give one of {', '.join(FIND_KEYS)}")
        if not set(values) - {"find"}:
            self._refuse(f"it sets nothing; give one of {', '.join(KEYS[1:])}")
        rule = TableRule(
            entry=self._number,
            find=Find(**{name: self._text(f"find.{name}", value) for name, value in find.items()}),
            caption=self._text("caption", values["caption"]) if "caption" in values else None,
            key=self._text("key", values["key"]) if "key" in values else None,
            subject=self._texts("subject", values["subject"]) if "subject" in values else (),
            names={key: self._names(key, names) for key, names in self._by_row("names").items()},
            query_must=self._predicate("query_must", values["query_must"]) if "query_must" in values else None,
            row_query_must={
                key: self._predicate(f"row_query_must.{key}", predicate)
                for key, predicate in self._by_row("row_query_must").items()
            },
            open=self._switch(values.get("open", False)),
        )
        if rule.open and (rule.query_must or rule.row_query_must):
            self._refuse("it is open and has a query_must; leave one of them out")
        return rule

    def _refuse(self, why: str) -> NoReturn:
        raise LibraryError(f"{self._where}: {why}")

    def _only(self, name: str, values: Mapping[str, Any], known: Sequence[str]) -> None:
        if unknown := [key for key in values if key not in known]:
            hint = "; keys that find a table belong in find" if set(unknown) & (set(FIND_KEYS) - set(known)) else ""
            self._refuse(f"{name} has {', '.join(map(repr, unknown))}; it may have {', '.join(known)}{hint}")

    def _table(self, name: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self._refuse(f"{name} is {value!r}; write it as a table, {{ key = value }}")
        return value

    def _text(self, name: str, value: object) -> str:
        if not isinstance(value, str) or not normal(value):
            self._refuse(f"{name} is {value!r}; write words in quotes")
        return value

    def _texts(self, name: str, value: object) -> tuple[str, ...]:
        several = value if isinstance(value, list) and value else [value]
        return tuple(self._text(name, text) for text in several)

    def _names(self, key: str, value: object) -> tuple[str, ...]:
        names = self._texts(f"names.{key}", value)
        if key == EVERY and (same := [name for name in names if KEY not in name]):
            self._refuse(f"names.{key} has {same[0]!r}, which would be the name of every row; write {KEY} in it")
        return names

    def _switch(self, value: object) -> bool:
        if not isinstance(value, bool):
            self._refuse(f"open is {value!r}; write true or false")
        return value

    def _by_row(self, name: str) -> Mapping[str, Any]:
        by_row = self._table(name, self._values.get(name, {}))
        keys = [self._text(f"a row of {name}", key) for key in by_row if (name, key) != ("names", EVERY)]
        if len(set(map(normal, keys))) < len(keys):
            self._refuse(f"{name} has one row twice; case, spaces and punctuation do not distinguish row keys")
        return by_row

    def _predicate(self, name: str, value: object) -> str:
        """Return the predicate as a JSON object; a bare list of groups is read as `contain_one_of`, as elsewhere."""
        try:
            decoded = json.loads(value) if isinstance(value, str) else value
            operators = {"contain_one_of": decoded} if isinstance(decoded, list) else self._table(name, decoded)
            text = json.dumps(operators, ensure_ascii=False)
            predicate = parse_query_must(text, strict=True)
        except (BadPredicateError, ValueError, TypeError, RecursionError) as error:
            self._refuse(f"{name}: {error}")
        if not predicate.conditions or NO_RIVAL in operators:
            self._refuse(f"{name} is {value!r}; write an object of operators; {NO_RIVAL} is given by the rule")
        return text
