"""Questions with gold anchors: the records and their JSON-lines format.

One object a line (`.jsonl`, `.jsonl.gz`), or the same objects as one JSON array (`.json`)::

    {"id": "q1", "query": "...", "kind": "matrix-lookup", "book": "osric", "answer": "16",
     "tags": ["generated"], "keys": {"level": "7"},
     "gold": [{"document": "01-x.md", "line": 623, "heading_path": ["A", "B"], "caption": null,
               "row_key": "5-8", "snippet": "| 5-8 | 24 |"}]}

Only `id`, `query` and `gold` are required; `gold: []` means that the library has no answer. An entry of `gold` may be
`{"any_of": [anchor, ...]}`, of which any is sufficient. docs/reference/questions.md describes every field.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from evals.errors import QuestionsError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import unpacked
from retrieval.types import Chunk

_SNIPPET = 200
"""Characters of a prose snippet."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place of the source that answers a question, identified by its text and never by a chunk's id."""

    book: str | None = None
    """Slug; None means any book."""
    heading_path: tuple[str, ...] = ()
    """Headings above the place, outermost first; outer ones may be omitted."""
    caption: str | None = None
    row_key: str | None = None
    """The literal cell that identifies the row; the gold is then a row or a record, never prose."""
    snippet: str | None = None
    """The literal row, or the beginning of the paragraph."""
    document: str | None = None
    """Path inside the book's folder."""
    line: int | None = None
    """1-based line in `document`; with a snippet it only decides between equal candidates."""
    group: int | None = None
    """Anchors of one question with the same number are one answer, and any of them is sufficient. None: required by
    itself. In a file it is the number of the `any_of` entry."""

    @classmethod
    def of(cls, chunk: Chunk, group: int | None = None) -> "Anchor":
        """Return the place from which a chunk was made; for prose, its beginning."""
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
_FIELDS = ({field.name for field in fields(Anchor)} - {"group"}) | {"file"} | _READ_OVER


@dataclass(frozen=True, slots=True)
class GoldEntries:
    """The anchors of one question before validation, with groups flattened and numbered."""

    values: Any
    """The input for the validation of `Question.gold`; the original value if it was not a list."""
    places: tuple[str, ...] = ()
    """The path of each value, aligned with `values`: `gold.0`, `gold.1.any_of.0`."""
    problems: tuple[str, ...] = ()


def gold_entries(gold: object, question_book: object) -> GoldEntries:
    """Return anchors with groups flattened, `file` split into `book` and `document`, and the question's book filled in.

    Values that are not objects are passed on unchanged, for the validation to report.
    """
    if not isinstance(gold, list):
        return GoldEntries(gold)
    values: list[Any] = []
    places: list[str] = []
    problems: list[str] = []
    for number, entry in enumerate(gold):
        grouped = isinstance(entry, dict) and "any_of" in entry
        members = _members(entry, f"gold.{number}", problems) if grouped else {f"gold.{number}": entry}
        for where, member in members.items():
            places.append(where)
            anchor = member
            if isinstance(member, dict):
                problems += [f"no field is called 'gold.{name}'" for name in sorted(set(member) - _FIELDS)]
                anchor = _placed(member, question_book, where, problems) | ({"group": number} if grouped else {})
            values.append(anchor)
    return GoldEntries(values, tuple(places), tuple(dict.fromkeys(problems)))


def _members(entry: Mapping[str, Any], where: str, problems: list[str]) -> dict[str, Any]:
    """Return the anchors of a group by their path."""
    anchors = entry["any_of"]
    beside = sorted(set(entry) - {"any_of"})
    if beside:
        problems.append(f"{where}: any_of has {', '.join(beside)} beside it; write that in each of its anchors")
    if not isinstance(anchors, list) or not anchors:
        problems.append(f"{where}.any_of: not a list of anchors: {str(anchors)[:60]!r}")
        return {}
    return {f"{where}.any_of.{number}": anchor for number, anchor in enumerate(anchors)}


def _placed(anchor: Mapping[str, Any], question_book: object, where: str, problems: list[str]) -> dict[str, Any]:
    """Return the anchor's fields with its book: its own, that of its `file`, or the question's."""
    values = {name: value for name, value in anchor.items() if name in _FIELDS - {"file"} - _READ_OVER}
    file = anchor.get("file")
    if file is None:
        return values | {"book": values.get("book") or question_book}
    book, _, document = file.partition("/") if isinstance(file, str) else ("", "", "")
    if not book or not document:
        problems.append(
            f"{where}.file: not <book>/<document>: {str(file)[:60]!r}; a path inside the book is `document`"
        )
        return values
    for name, of_file in (("book", book), ("document", document)):
        if values.get(name) not in (None, of_file):
            problems.append(f"{where}: file {file!r} and {name} {str(values[name])[:60]!r} contradict each other")
    return values | {"book": book, "document": document}


QuestionKey = tuple[str, str, str, str]
"""Set, split, id and text of a question: with another text it is another question, even with the same id."""

GENERATED = "generated"
"""Tag of generated questions, which never share a headline number with those of people."""

MAX_QUERY_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the places of its answer. Key: id, unique in its set."""

    id: str
    query: str
    book: str | None = None
    kind: str = "question"
    gold: tuple[Anchor, ...] = ()
    """All required places, or groups of alternatives; empty if the library has no answer."""
    answer: str | None = None
    tags: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    """The values that identify the row, by name: class, level, armour class."""

    @property
    def generated(self) -> bool:
        """Whether the question was generated."""
        return GENERATED in self.tags


def load_questions(path: Path) -> tuple[Question, ...]:
    """Read a file of questions in the order of the file.

    Raises:
        FileNotFoundError: no such file.
        QuestionsError: the file is not usable; lists every problem with file, line (entry of an array) and value.
    """
    problems: list[str] = []
    questions: list[Question] = []
    first_place: dict[str, str] = {}
    n_entries = 0
    for location, entry in _entries(path, problems):
        n_entries += 1
        question = _question(entry, location, problems)
        if question is not None and question.id in first_place:
            problems.append(f"{location}: id {question.id!r} is already used at {first_place[question.id]}")
        elif question is not None:
            first_place[question.id] = location
            questions.append(question)
    if not n_entries and len(problems) > 1:
        raise QuestionsError(
            f"{path} holds no JSON; write one JSON object a line (.jsonl), or an array of them (.json):", problems[:1]
        )
    if problems:
        raise QuestionsError(f"{path} cannot be used; fix or remove these entries:", problems)
    if not questions:
        raise QuestionsError(f"{path} holds no question; write one JSON object a line")
    return tuple(questions)


def write_questions(path: Path, questions: Sequence[Question]) -> None:
    """Write questions in the format of `load_questions`; the same questions give the same bytes.

    The format depends on the name: `.jsonl`, `.jsonl.gz`, or `.json` (one array). The file is replaced atomically.
    """
    lines = [json.dumps(_as_json(question), ensure_ascii=False) for question in questions]
    if path.name.endswith(".json"):
        text = "[\n" + ",\n".join(lines) + "\n]\n"
    else:
        text = "".join(line + "\n" for line in lines)
    content = text.encode("utf-8")
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # a time stamp would make two equal files differ
    write_atomically(path, content)


def _entries(path: Path, problems: list[str]) -> Iterator[tuple[str, object]]:
    """Yield every JSON value of the file with its place; parse errors are added to `problems`."""
    raw = path.read_bytes()
    try:
        text = unpacked(raw, path)
    except ValueError as error:
        raise QuestionsError(f"{path} cannot be read as UTF-8 text ({error}); save it as UTF-8") from error
    if path.name.endswith(".json"):
        yield from _array_entries(path, text, problems)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"{path}:{number}", json.loads(line)
            except json.JSONDecodeError as error:
                problems.append(f"{path}:{number}: not JSON ({error.msg}, column {error.colno}): {line[:60]!r}")


def _array_entries(path: Path, text: str, problems: list[str]) -> Iterator[tuple[str, object]]:
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        problems.append(f"{path}:{error.lineno}: not JSON ({error.msg}, column {error.colno})")
        return
    if not isinstance(entries, list):
        problems.append(f"{path}:1: not an array of questions: {text[:60]!r}")
        return
    for number, entry in enumerate(entries, start=1):
        yield f"{path}, entry {number}", entry


@cache
def _adapter() -> TypeAdapter[Question]:
    return TypeAdapter(Question)


def _question(entry: object, location: str, problems: list[str]) -> Question | None:
    """Return the question of one JSON value, or None after adding its errors to `problems`."""
    if not isinstance(entry, dict):
        problems.append(f"{location}: not an object: {str(entry)[:60]!r}")
        return None
    known = {field.name for field in fields(Question)}
    entries = gold_entries(entry.get("gold", []), entry.get("book"))
    own_problems = [f"{location}: no field is called {name!r}" for name in sorted(set(entry) - known)]
    own_problems += [f"{location}: {problem}" for problem in entries.problems]
    if "gold" not in entry:
        own_problems.append(f"{location}: gold: missing; write [] if the library holds no answer")
    try:
        question = _adapter().validate_python({**entry, "gold": entries.values})
    except ValidationError as error:
        for detail in error.errors():
            where = _where(detail["loc"], entries.places)
            own_problems.append(f"{location}: {where}: {detail['msg'].lower()}: {str(detail['input'])[:60]!r}")
        problems.extend(own_problems)
        return None
    if not question.id.strip():
        own_problems.append(f"{location}: id: empty: {question.id!r}")
    if not question.query.strip() or len(question.query) > MAX_QUERY_CHARACTERS:
        length = len(question.query)
        own_problems.append(
            f"{location}: query: {length} characters, not 1 to {MAX_QUERY_CHARACTERS}: {question.query[:60]!r}"
        )
    for where, anchor in zip(entries.places, question.gold, strict=True):
        if not (anchor.snippet or anchor.row_key or anchor.heading_path or anchor.document):
            own_problems.append(f"{location}: {where}: names no snippet, row key, heading path or document: {anchor}")
    problems.extend(own_problems)
    return None if own_problems else question


def _where(path: Sequence[int | str], places: Sequence[str]) -> str:
    """Return the path of a validation error in the file, in which groups are not flattened."""
    if len(path) > 1 and path[0] == "gold" and isinstance(path[1], int):
        return ".".join([places[path[1]], *map(str, path[2:])])
    return ".".join(map(str, path))


def _as_json(question: Question) -> dict[str, Any]:
    """Return the question with its anchors as JSON values, without empty fields."""
    entry: dict[str, Any] = {"id": question.id, "query": question.query}
    for name in ("book", "kind", "answer", "tags", "keys"):
        value = getattr(question, name)
        if value:
            entry[name] = list(value) if isinstance(value, tuple) else value
    gold: list[dict[str, Any]] = []
    groups: dict[int, list[dict[str, Any]]] = {}
    for anchor in question.gold:
        if anchor.group is None:
            gold.append(_anchor_json(anchor))
            continue
        if anchor.group not in groups:
            groups[anchor.group] = []
            gold.append({"any_of": groups[anchor.group]})
        groups[anchor.group].append(_anchor_json(anchor))
    return entry | {"gold": gold}


def _anchor_json(anchor: Anchor) -> dict[str, Any]:
    values = {field.name: getattr(anchor, field.name) for field in fields(anchor) if field.name != "group"}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value}


EXAMPLE = "example"
"""Tag of questions that their author wants to be shown as examples."""
MAX_EXAMPLES = 3


def examples(questions: Sequence[Question]) -> tuple[str, ...]:
    """Return at most three questions that the library answers, of different kinds if possible.

    Those tagged `example` come first, then those of people, then generated ones; each in the order given.
    """
    answered = [question for question in questions if question.gold]
    ranked = sorted(answered, key=lambda question: (EXAMPLE not in question.tags, question.generated))
    first_of_kind = {question.kind: question for question in reversed(ranked)}
    chosen = sorted(ranked, key=lambda question: first_of_kind[question.kind] is not question)
    return tuple(dict.fromkeys(question.query for question in chosen))[:MAX_EXAMPLES]
