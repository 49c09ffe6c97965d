import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.index.chroma.soundness import NAMES, NeighbourSearch
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk, EmbedderIdentity, Vector

MODEL = EmbedderIdentity("toy", "1", 16)
MUST = '{"contain": "ac 6"}'


def chunk(number: int) -> Chunk:
    table = None if number % 3 else f"table-{number // 9}"
    return Chunk(
        id=f"id-{number * 7919 % 10007:05}",
        book="book",
        document="one.md",
        kind="row" if table else "prose",
        text=f"text {number}",
        search_text=f"armor class {number} dragon",
        source="|",
        lines=(number, number),
        heading_path=("Combat", "Été"),
        columns=("armor class",) if table else (),
        cells=(str(number),) if table else (),
        table_id=table,
        query_must=MUST if number % 9 == 0 else None,
        names=(f"armor class {number}",) if table else (),
        metadata={"tags": ("a", "b"), "priority": 3, "draft": False},
    )


def row(
    key: str,
    *,
    note: str = "-",
    heading: str = "Arms",
    caption: str = "",
    columns: tuple[str, str] = ("Item", "Note"),
    names: tuple[str, ...] = (),
) -> Chunk:
    """A row of one of the tables of a book, one table under each heading."""
    said = (heading, caption, f"{columns[0]}: {key}; {columns[1]}: {note}", *names)
    return Chunk(
        id=f"{heading}-{key}",
        book="book",
        document="one.md",
        kind="row",
        text="",
        search_text="\n".join(said),
        source="",
        lines=(1, 1),
        heading_path=("Book", heading),
        caption=caption or None,
        columns=columns,
        cells=(key, note),
        row_key=key,
        table_id=f"table {heading}",
        names=names,
    )


def vectors_of(count: int) -> Vector:
    matrix = np.random.default_rng(5).normal(size=(count, 16)).astype(np.float32)
    normalised: Vector = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return normalised


def build(home: Path, count: int = 60) -> Manifest:
    chunks = [chunk(number) for number in range(count)]
    return build_snapshot(home, chunks, vectors_of(count), MODEL, Vocabulary.default())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("built")
    build(home)
    return home


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "home")
    return tmp_path / "home"


def ask_graphs(home: Path) -> None:
    """Let searches ask Chroma's graphs, as they do in a large library."""
    for folder in (home / "snapshots").iterdir():
        search = NeighbourSearch.read(folder)
        assert search is not None
        replace(search, exact=False).write(folder)


def only_id(home: Path) -> str:
    (folder,) = (home / "snapshots").iterdir()
    return folder.name


def held(snapshot: Snapshot) -> list[tuple[str, dict[str, tuple[object, ...]]]]:
    """What a foreign reader finds in each collection."""
    found = []
    for name in NAMES:
        got = snapshot.collections.collection(name).get(include=["embeddings", "metadatas", "documents"])
        records = zip(got["ids"], got["embeddings"], got["metadatas"], got["documents"], strict=True)
        found.append((name, {one: (vector.tolist(), metadata, text) for one, vector, metadata, text in records}))
    return found


def begun_from_another(home: Path, name: str) -> bool:
    """Whether the collections of a snapshot began as a copy of another's."""
    search = NeighbourSearch.read(home / "snapshots" / name)
    return search is not None and search.changed > 0
