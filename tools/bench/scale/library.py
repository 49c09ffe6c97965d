"""A synthetic library for benchmarks: tables of near-twin rows, a fifth of them strict, the rest keyed by a number."""

import json
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any
from uuid import UUID

from retrieval.clock import Clock
from retrieval.files.atomic_files import write_atomically
from retrieval.index.chroma import embedded, fill
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.snapshot.snapshot import build_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.operators import always_asks
from retrieval.search.metadata_filter import Eq, Filter, In
from retrieval.types import Chunk, Embedder, Vector
from tools.bench.resource_use import peak_megabytes
from tools.corpora.indexes import Tell, code_digest

ROWS = 20
"""Rows of each table."""
TABLES_TOGETHER = 5
"""One of them strict."""

BOOKS, SHELVES = 10, 100
"""Five tables, one of them strict, are together in one book and on one shelf."""


def synthetic_library(chunks: int, seed: int) -> tuple[Chunk, ...]:
    """Tables of 20 rows; every fifth is strict, and four strict tables share a subject; all others are keyed."""
    rng = random.Random(seed)
    subjects = invented_words(rng)
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
    query = []
    for number, text in enumerate(_texts(library, count, seed)):
        if number % 20 == 9:
            shelf = shelves[number % len(shelves)]
            query.append(AskedQuestion(text, Eq("shelf", shelf), {"shelf": shelf}))
        elif number % 20 == 18:
            query.append(AskedQuestion(text, In("book", books), {"book": {"$in": list(books)}}))
        else:
            query.append(AskedQuestion(text))
    return tuple(query)


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


def invented_words(rng: random.Random) -> Iterator[str]:
    """Hundreds of thousands, no two the same: a large library has thousands of subjects."""
    first = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
    words = [a + b + c for a, b, c in product(first, first, "nrlk")]
    rng.shuffle(words)
    for lap in ("", *first):
        yield from (lap + word for word in words)


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


@dataclass(frozen=True, slots=True)
class ScaleIndex:
    """What was built. Key: key."""

    key: str
    """Hash of the library, the code that decides what an index is, and the embedder."""
    snapshot: str
    seconds: Mapping[str, float]
    """By stage."""
    cpu_seconds: Mapping[str, float]
    """Of the processor, of all threads."""
    peak_megabytes: float
    """The most that the process held until the snapshot was built, the library and its vectors among it."""


def scale_index(
    folder: Path, library: Sequence[Chunk], seed: int, embedder: Embedder, tell: Tell, *, single: bool = True
) -> ScaleIndex:
    """The index of a synthetic library: what the folder has, if it was made of the same things; built otherwise.

    Args:
        folder: where it is kept.
        library: the chunks.
        seed: what the library was drawn from.
        embedder: makes the vectors.
        tell: called as the work goes on.
        single: whether the one collection is made too.
    """
    key = _key(len(library), seed, embedder, single)
    known = folder / "scale.json"
    if known.is_file() and (scale_index := ScaleIndex(**json.loads(known.read_text("utf-8")))).key == key:
        return scale_index
    known.unlink(missing_ok=True)
    for left in (folder / "snapshots", folder / "single"):
        if left.is_dir():
            shutil.rmtree(left)
    built = _build(folder, library, embedder, key, tell, single)
    write_atomically(known, json.dumps(asdict(built)))
    return built


def _build(
    folder: Path, library: Sequence[Chunk], embedder: Embedder, key: str, tell: Tell, single: bool
) -> ScaleIndex:
    embedder.embed_query("loads the weights")
    texts = [embedding_text(chunk) for chunk in library]
    stages = _Stages("embed", tell)
    vectors = embedder.embed(texts)
    stages.tell("files", 0, len(library))
    manifest = build_snapshot(folder, library, vectors, embedder.identity, Vocabulary.default(), progress=stages.tell)
    stages.end()
    peak = round(peak_megabytes(), 1)
    if single:
        stages.tell("collections", 0, len(library))
        write_single(folder / "single", library, vectors)
        stages.end()
    return ScaleIndex(key, manifest.id, _rounded(stages.seconds), _rounded(stages.cpu_seconds), peak)


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in seconds.items()}


class _Stages:
    """Adds up seconds by the stage that a build last reported."""

    def __init__(self, first: str, tell: Tell) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu_seconds: dict[str, float] = {}
        self._tell, self._stage, self._since, self._cpu = tell, first, Clock(), process_time()

    def tell(self, stage: str, done: int, total: int) -> None:
        """What the build does now; what passed since the last time was the last stage's."""
        self.end()
        self._stage = stage
        self._tell(stage, done, total)

    def end(self) -> None:
        """Count up to now."""
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + self._since.seconds
        self.cpu_seconds[self._stage] = self.cpu_seconds.get(self._stage, 0.0) + process_time() - self._cpu
        self._since, self._cpu = Clock(), process_time()


_SINGLE = "single"


def write_single(folder: Path, library: Sequence[Chunk], vectors: Vector) -> None:
    """Everything in one collection with `query_must` in the metadata, as the published plan has it."""
    fill(folder, _SINGLE, library, vectors, truncate=True)


class SingleCollection:
    """What `write_single` wrote, asked plainly.

    Args:
        folder: of Chroma's files.
    """

    def __init__(self, folder: Path) -> None:
        self._client = embedded(str(folder))
        self.collection = self._client.get_collection(_SINGLE, embedding_function=None)

    def nearest(self, vector: Vector, k: int) -> list[str]:
        """Ids of the k nearest, nearest first."""
        answer = self.collection.query(query_embeddings=vector[None, :], n_results=k, include=["distances"])
        return answer["ids"][0]

    def close(self) -> None:
        """Let go of the files."""
        self._client.close()


def _key(chunks: int, seed: int, embedder: Embedder, single: bool) -> str:
    drawn = sha256(Path(__file__).read_bytes()).hexdigest()
    return sha256(json.dumps([chunks, seed, drawn, code_digest(), str(embedder.identity), single]).encode()).hexdigest()
