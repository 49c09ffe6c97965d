"""A synthetic library for benchmarks: tables of near-twin rows, a fifth of them strict, the rest keyed by a number."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any
from uuid import UUID

from retrieval.query_must.conditional import always_asks
from retrieval.search.metadata_filter.filter import Eq, Filter, In
from retrieval.types import Chunk

ROWS = 20
"""Rows of each table."""
TABLES_TOGETHER = 5
"""One of them strict."""

BOOKS, SHELVES = 10, 100
"""Five tables, one of them strict, are together in one book and on one shelf."""


def synthetic_library(chunks: int, seed: int) -> tuple[Chunk, ...]:
    """Tables of 20 rows; every fifth is strict, and four strict tables share a subject; all others are keyed."""
    rng = random.Random(seed)
    subjects = _words(rng)
    subject = ""
    library: list[Chunk] = []
    for table in range(chunks // ROWS):
        strict = table % TABLES_TOGETHER == 0
        if not strict or table % 20 == 0:
            name = next(subjects)
            subject = name if strict else subject
        library.extend(_strict_table(table, subject, rng) if strict else _keyed_table(table, name, rng))
    return tuple(library)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question, and for one in ten a filter on metadata."""

    text: str
    where: Filter | None = None
    chroma_where: Mapping[str, Any] | None = None
    """The same filter in Chroma's words."""


def synthetic_questions(library: Sequence[Chunk], count: int, seed: int) -> tuple[AskedQuestion, ...]:
    """Half name one strict row, a quarter two to four, a quarter none; every tenth has a filter.

    Half of the filters pass a shelf, one chunk in a hundred in a large library; half of them five of the ten books.
    """
    books = tuple(f"book-{number}" for number in range(0, BOOKS, 2))
    shelves = sorted({int(str(chunk.metadata["shelf"])) for chunk in library})
    asked = []
    for number, text in enumerate(_texts(library, count, seed)):
        if number % 20 == 9:
            shelf = shelves[number % len(shelves)]
            asked.append(AskedQuestion(text, Eq("shelf", shelf), {"shelf": shelf}))
        elif number % 20 == 18:
            asked.append(AskedQuestion(text, In("book", books), {"book": {"$in": list(books)}}))
        else:
            asked.append(AskedQuestion(text))
    return tuple(asked)


def _texts(library: Sequence[Chunk], count: int, seed: int) -> Iterator[str]:
    rng = random.Random(seed + 1)
    strict = sorted({chunk.heading_path[0] for chunk in library if always_asks(chunk.query_must)})
    keyed = sorted({chunk.heading_path[0] for chunk in library if not always_asks(chunk.query_must)})
    for number in range(count):
        values = [rng.randint(-9, 10) for _ in range((1, 1, rng.randint(2, 4), 0)[number % 4])]
        if values:
            named = " and ".join(f"AC {value}" for value in values)
            yield f"What does a {rng.choice(strict)} of level {rng.randint(1, 12)} need to hit {named}?"
        else:
            yield f"What is the price of {rng.choice(keyed)} number {rng.randint(1, 20)}?"


def _words(rng: random.Random) -> Iterator[str]:
    """Invented words, endless, no two the same: a library of this size has thousands of subjects."""
    first = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
    words = [a + b + c for a, b, c in product(first, first, "nrlk")]
    rng.shuffle(words)
    for lap in product(["", *first], repeat=1):
        yield from (lap[0] + word for word in words)


def _strict_table(table: int, subject: str, rng: random.Random) -> Iterator[Chunk]:
    columns = ("opponent armor class", *(f"level {level}" for level in (1, 4, 7, 10)))
    for row in range(ROWS):
        value = 10 - row
        groups = [[subject, subject + "s"], [f"armor class {value}", f"ac {value}", f"a.c. {value}"]]
        cells = (str(value), *(str(rng.randint(1, 25)) for _ in columns[1:]))
        must = json.dumps({"contain_one_of": groups})
        yield _chunk(table, row, subject, "attack matrix", columns, cells, must)


def _keyed_table(table: int, subject: str, rng: random.Random) -> Iterator[Chunk]:
    columns = ("number", "price", "weight", "stock")
    for row in range(ROWS):
        cells = (str(row + 1), *(str(rng.randint(1, 900)) for _ in columns[1:]))
        must = json.dumps({"contain_no_rival": {"table": f"{table:06}", "row": row}})
        yield _chunk(table, row, subject, "price list", columns, cells, must, (f"number {row + 1}",))


def _chunk(
    table: int,
    row: int,
    subject: str,
    caption: str,
    columns: tuple[str, ...],
    cells: tuple[str, ...],
    query_must: str,
    names: tuple[str, ...] = (),
) -> Chunk:
    group = table // TABLES_TOGETHER
    pairs = " | ".join(f"{column} {cell}" for column, cell in zip(columns, cells, strict=True))
    text = f"{subject} {caption} {table} > {pairs}"
    return Chunk(
        id=str(UUID(int=table * ROWS + row)),
        book=f"book-{group % BOOKS}",
        document=f"book-{group % BOOKS}.md",
        kind="row",
        text=text,
        search_text=text,
        source=text,
        lines=(row, row),
        heading_path=(subject,),
        caption=caption,
        row_key=cells[0],
        columns=columns,
        cells=cells,
        table_id=f"{table:06}",
        signature=caption,
        query_must=query_must,
        names=names,
        metadata={"shelf": group % SHELVES, "tags": ("core",) if group % 2 else ("extra",)},
    )
