"""One fault in every function that reads a book, in turn: the part that it reads is lost, and nothing else."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType

import pytest

import retrieval.ingest
from retrieval.errors import LibraryError
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.guard_report import table_guards
from retrieval.ingest.losses import Loss, attempt, recorded_losses
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import check_fidelity, transform_tables
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk, Document, Row

BEGUN = 8
"""Offset in the bytecode of a generator up to which it has done nothing."""
INGEST = str(Path(str(retrieval.ingest.__file__)).parent)
VOCABULARY = Vocabulary.default()

TEXTS = {
    "havens.md": """\
# Havens

A haven keeps a ship[^1]. See Table 2. The rates of the pilots are below.

**Table 2: Pilot rates**

| Class (C) | Rate | Note[^1] |
|:---|---:|---|
| A1 | 10-12 | see "Night rates" |
| B2 | " | <!-- page 3 --> |
| Coasters ||
| C3 | 7½ | * |

\\* at night

[^1]: a note

<!-- page 4 -->

## Night rates

| | Level 1 | Level 2 | Level 3 |
|---|---|---|---|
| 1 | 10 | 11 | 12 |
| 2 | 11 | 12 | 13 |
| 3 | 12 | 13 | 14 |
| 4 | 13 | 14 | 15 |
| 5 | 14 | 15 | 16 |
| 6 | 15 | 16 | 17 |
| 7 | 16 | 17 | 18 |
| 8 | 17 | 18 | 19 |

### Stores

| Keeper: | Ann |
|---|---|
| Opens: | dawn |
| Closes: | dusk |

<table><caption>Moorings</caption><tr><th>Berth</th><th>Depth</th></tr><tr><td>North</td><td>9 m</td></tr></table>

- **Ropes.** A rope holds.
- `code`

**Buoys**

Buoys are red.
""",
    "lights.md": "# Lights\n\nA light shines.\n\n| Light | Reach |\n|---|---|\n| Red | 4 |\n| Green | 5 |\n",
}

SKELETON = {
    "parse_book", "ParsedBook.tables", "read_table", "transform_tables", "_plain_rows", "plain_reading",
    "extract_predicates", "table_guards", "chunk_book", "_chunk_document", "_identified", "content_id", "_row_metadata",
    "_prose_chunk", "_row_chunk", "_searched_as", "_words", "to_text",
}  # fmt: skip
"""What calls the rules, and what stands in for one that failed. A fault here is our own, and stops the book."""


COARSE = {
    "the document": {"blocks", "boxes", "html_tables", "spans", "parser", "parsed_book"},
    "every table of the document": {"source_tables", "parsed_book"},
    "the division of the document into sections": {"prose_chunking", "captions", "parser"},
    "the proper form of a table's rows": {*("rows", "row_object", "column_names", "row_predicates", "table", "cells")},
}
"""The modules of which a fault may cost so much; one of any other module costs less."""


@dataclass(frozen=True, slots=True)
class Read:
    """What became of the two documents."""

    tables: tuple[Table, ...]
    rows: tuple[Row, ...]
    chunks: tuple[Chunk, ...]
    losses: tuple[Loss, ...]


def read() -> Read:
    documents = tuple(Document("port", path, text, {"title": path}) for path, text in TEXTS.items())
    with recorded_losses() as losses:
        parsed = parse_book(Book("port", "Port", documents))
        rows = extract_predicates(transform_tables(parsed.tables, VOCABULARY, TEXTS.values()))
        table_guards(parsed.tables, rows, VOCABULARY)
        chunks = chunk_book(parsed, rows)
    return Read(parsed.tables, rows, chunks, tuple(losses))


def words_found(chunks: tuple[Chunk, ...], document: str) -> set[str]:
    """The words of a document that its chunks have."""
    texts = (f"{chunk.text} {chunk.search_text} {chunk.heading_path}" for chunk in chunks if chunk.document == document)
    return set(re.findall(r"\w+", " ".join(texts))) & set(re.findall(r"\w+", TEXTS[document]))


def texts(chunks: tuple[Chunk, ...], document: str) -> list[str]:
    return [chunk.text for chunk in chunks if chunk.document == document]


@contextmanager
def counted(calls: Counter[CodeType]) -> Iterator[None]:
    """Count the calls of each function of the package that reads."""

    def trace(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(INGEST):
            calls[frame.f_code] += not is_resumed(frame)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def is_resumed(frame: FrameType) -> bool:
    """Whether a generator goes on or is closed: what is raised then may reach nobody."""
    return bool(frame.f_code.co_flags & CO_GENERATOR) and frame.f_lasti > BEGUN


@contextmanager
def fault_in(code: CodeType, call: int) -> Iterator[None]:
    """Let one call of a function raise; after that nothing is traced any more."""
    calls = 0

    def trace(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        if event == "call" and frame.f_code is code and not is_resumed(frame):
            calls += 1
            if calls == call:
                raise ZeroDivisionError("a fault")

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def functions() -> dict[CodeType, int]:
    """The named functions that read, each with the call in the middle of all that it gets."""
    calls: Counter[CodeType] = Counter()
    with counted(calls):
        read()
    named = [code for code in calls if "<" not in code.co_name and not code.co_filename.endswith("losses.py")]
    return {
        code: (calls[code] + 1) // 2 for code in sorted(named, key=lambda code: (code.co_filename, code.co_qualname))
    }


def test_the_book_has_most_of_what_is_read() -> None:
    sound = read()
    assert not sound.losses
    assert len(functions()) > 250
    assert {chunk.kind for chunk in sound.chunks} == {"prose", "row", "record"}


def test_a_fault_in_any_function_costs_its_own_part() -> None:
    sound = read()
    unguarded, silent, coarse, lossy = set[str](), set[str](), set[str](), dict[str, str]()
    for code, call in functions().items():
        if code.co_qualname in SKELETON:
            continue
        stem = Path(code.co_filename).stem
        name = f"{stem}.{code.co_qualname}"
        try:
            with fault_in(code, call):
                faulty = read()
        except ZeroDivisionError:
            unguarded.add(name)
            continue
        if not faulty.losses and faulty.chunks != sound.chunks:
            silent.add(name)
        if check_fidelity(faulty.tables, faulty.rows):
            lossy[name] = "a cell is in no row"
        coarse |= {f"{name}: {loss}" for loss in faulty.losses if stem not in COARSE.get(loss.part, {stem})}
        if {loss.document for loss in faulty.losses} == {"havens.md"}:
            assert texts(faulty.chunks, "lights.md") == texts(sound.chunks, "lights.md"), name
        left_out = {loss.document for loss in faulty.losses if loss.part == "the document"}
        for document in TEXTS.keys() - left_out:
            if missing := words_found(sound.chunks, document) - words_found(faulty.chunks, document):
                lossy[name] = f"{missing}: {'; '.join(map(str, faulty.losses))}"
    assert not unguarded
    assert not silent
    assert not coarse, "\n".join(sorted(coarse))
    assert not lossy, "\n".join(f"{k}: {v}" for k, v in lossy.items())


def test_a_loss_names_the_place_the_part_and_the_line_of_code() -> None:
    def rule() -> str:
        raise IndexError("tuple index out of range")

    with recorded_losses() as losses:
        assert attempt(rule, lambda: "plain", "the caption of a table", "a/b.md", 7) == "plain"
        assert attempt(rule, lambda: "plain", "the caption of a table", "a/b.md", 7) == "plain"
    (loss,) = losses
    assert re.fullmatch(
        r"a/b\.md:7: the caption of a table is missing, because the rule that reads it failed "
        r"\(IndexError: tuple index out of range, test_losses\.py:\d+\)",
        str(loss),
    )


@pytest.mark.parametrize("error", [OSError("no room"), LibraryError("two entries"), MemoryError(), KeyboardInterrupt()])
def test_what_a_coarser_reading_cannot_help_stops_the_reading(error: BaseException) -> None:
    def rule() -> str:
        raise error

    with pytest.raises(type(error)):
        attempt(rule, lambda: "plain", "a table")


def test_losses_that_nobody_records_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert attempt(lambda: 1 // 0, lambda: 0, "a table", "a.md", 3) == 0
    assert "a.md:3: a table is missing" in caplog.text
