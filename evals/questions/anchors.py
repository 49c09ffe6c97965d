"""A place of the source that answers a question, and how the entries of a file become such places.

docs/reference/questions.md tells the format. An entry is an anchor, or `{"any_of": [anchor, ...]}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from retrieval.types import Chunk

_SNIPPET = 200
"""Characters of prose that tell where it stands."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place of the source that answers a question, identified by what is written there and never by a chunk's id."""

    book: str | None = None
    """Slug; None is any book."""
    heading_path: tuple[str, ...] = ()
    """Headings above the place, outermost first; may leave out outer ones."""
    caption: str | None = None
    row_key: str | None = None
    """The literal cell that picks the row; says that the gold is a row or a record, never prose."""
    snippet: str | None = None
    """The literal row, or the beginning of the paragraph."""
    document: str | None = None
    """Path inside the book's folder."""
    line: int | None = None
    """1-based line in `document`; with a snippet it only decides between equals."""
    group: int | None = None
    """Anchors of one question with one number are one answer, and any of them is enough. None: needed by itself.
    In a file the number is that of the `any_of` entry."""

    @classmethod
    def of(cls, chunk: Chunk, group: int | None = None) -> "Anchor":
        """The place that a chunk was made from; of prose its beginning."""
        snippet = chunk.source if chunk.kind == "row" else " ".join(chunk.source.split())[:_SNIPPET].strip()
        return cls(
            book=chunk.book,
            heading_path=chunk.heading_path,
            caption=chunk.caption,
            row_key=chunk.row_key if chunk.kind != "prose" else None,
            snippet=snippet,
            document=chunk.document,
            line=chunk.lines[0],
            group=group,
        )


_READ_OVER = {"row_header"}
_FIELDS = ({each.name for each in fields(Anchor)} - {"group"}) | {"file"} | _READ_OVER


@dataclass(frozen=True, slots=True)
class GoldEntries:
    """The anchors of one question before they are validated; groups are laid flat and numbered."""

    values: Any
    """What `Question.gold` is validated from; whatever was there if it was not a list."""
    places: tuple[str, ...] = ()
    """Where each value is, aligned with `values`: `gold.0`, `gold.1.any_of.0`."""
    problems: tuple[str, ...] = ()


def gold_entries(gold: object, question_book: object) -> GoldEntries:
    """Lay groups flat, turn `file` into `book` and `document`, and fill in the question's book.

    What is not an object is handed on as it is: the validation names it.
    """
    if not isinstance(gold, list):
        return GoldEntries(gold)
    values: list[Any] = []
    places: list[str] = []
    problems: list[str] = []
    for number, entry in enumerate(gold):
        grouped = isinstance(entry, dict) and "any_of" in entry
        members = _members(entry, f"gold.{number}", problems) if grouped else {f"gold.{number}": entry}
        for place, member in members.items():
            places.append(place)
            anchor = member
            if isinstance(member, dict):
                problems += [f"no field is called 'gold.{name}'" for name in sorted(set(member) - _FIELDS)]
                anchor = _placed(member, question_book, place, problems) | ({"group": number} if grouped else {})
            values.append(anchor)
    return GoldEntries(values, tuple(places), tuple(dict.fromkeys(problems)))


def _members(entry: Mapping[str, Any], place: str, problems: list[str]) -> dict[str, Any]:
    """The anchors of a group by their place."""
    anchors = entry["any_of"]
    beside = sorted(set(entry) - {"any_of"})
    if beside:
        problems.append(f"{place}: any_of has {', '.join(beside)} beside it; write that in each of its anchors")
    if not isinstance(anchors, list) or not anchors:
        problems.append(f"{place}.any_of: not a list of anchors: {str(anchors)[:60]!r}")
        return {}
    return {f"{place}.any_of.{number}": anchor for number, anchor in enumerate(anchors)}


def _placed(anchor: Mapping[str, Any], question_book: object, place: str, problems: list[str]) -> dict[str, Any]:
    """The anchor's own fields, with its book: its own, that of its `file`, or the question's."""
    values = {name: value for name, value in anchor.items() if name in _FIELDS - {"file"} - _READ_OVER}
    file = anchor.get("file")
    if file is None:
        return values | {"book": values.get("book") or question_book}
    book, _, document = file.partition("/") if isinstance(file, str) else ("", "", "")
    if not book or not document:
        problems.append(
            f"{place}.file: not <book>/<document>: {str(file)[:60]!r}; a path inside the book is `document`"
        )
        return values
    for name, said in (("book", book), ("document", document)):
        if values.get(name) not in (None, said):
            problems.append(f"{place}: file {file!r} and {name} {str(values[name])[:60]!r} contradict each other")
    return values | {"book": book, "document": document}
