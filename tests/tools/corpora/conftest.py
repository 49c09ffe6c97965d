"""Small sets in each of the formats, written by the tests, and an index over them."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk
from tools.corpora.books import Corpus

Opened = tuple[Retriever, tuple[Chunk, ...]]


def write_lines(path: Path, records: Iterable[object]) -> None:
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def table(table_id: str, title: str, columns: list[str], rows: list[list[str]]) -> dict[str, object]:
    lines = [columns, ["---"] * len(columns), *rows]
    markdown = f"# {title}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return {"table_id": table_id, "columns": columns, "n_rows": len(rows), "markdown": markdown}


RIVERS = table("t1", "Rivers", ["river", "length", "country"], [["Elbe", "1094", "Germany"], ["Oder", "840", "Poland"]])
LAKES = table("t2", "Lakes", ["lake", "area"], [["Bled", "145"], ["Elbe", "7"], ["Como", "146"]])


def table_query(name: str, query: str, table_id: str, *gold_rows: int, **given: object) -> dict[str, object]:
    return {"id": name, "query": query, "table_id": table_id, "gold_rows": list(gold_rows), "conds": [{}], **given}


QUERIES = [
    table_query("q1", "How long is the Elbe?", "t1", 0),
    table_query(
        "q2", "Which lakes have an area of 145 and 146?", "t2", 0, 2, kind="lookup-agg", answer=["Bled", "Como"]
    ),
    table_query("q3", "Where is the Oder?", "t1", 1, all_gold_rows_named=True),
]


@pytest.fixture
def lines() -> Callable[[Path, Iterable[object]], None]:
    return write_lines


@pytest.fixture
def tables_folder(tmp_path: Path) -> Path:
    write_lines(tmp_path / "tables" / "open.tables.jsonl.gz", [RIVERS, LAKES])
    write_lines(tmp_path / "tables" / "open.queries.jsonl.gz", QUERIES)
    return tmp_path / "tables"


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[Corpus], AbstractContextManager[Opened]]:
    """An index over a corpus: the retriever, and the chunks in the order of their positions."""

    @contextmanager
    def index(corpus: Corpus) -> Iterator[Opened]:
        chunks, embedder = corpus.chunks(Vocabulary.default()), load_embedder()
        vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
        manifest = build_snapshot(tmp_path / "home", chunks, vectors, embedder.identity, Vocabulary.default())
        with open_snapshot(tmp_path / "home", manifest.id) as snapshot:
            yield Retriever(snapshot, embedder), tuple(snapshot.chunks)

    return index
