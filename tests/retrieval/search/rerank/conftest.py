import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.rerank import rerank
from retrieval.search.rerank.features import NAMES
from retrieval.search.rerank.trees import LEAF, Node, Trees
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk
from tests.chunks import indexed
from tests.retrieval.search.conftest import CHUNK, ToyEmbedder

TAVERN = [
    "inn",
    "ale",
    "song",
    "bard",
    "cook",
    "fire",
    "wall",
    "door",
    "cellar",
    "barrel",
    "guest",
    "cloak",
    "lamp",
    "cup",
]


def row(table: str, heading: tuple[str, ...], columns: tuple[str, ...], *cells: str, key: int = 0) -> Chunk:
    output = " | ".join(f"{column} {cell}" for column, cell in zip(columns, cells, strict=True))
    return replace(
        CHUNK,
        id=f"{table}-{cells[key]}",
        search_text=f"{' > '.join(heading)} | {output}",
        heading_path=heading,
        columns=columns,
        cells=cells,
        row_key=cells[key],
        table_id=table,
    )


def saves(subject: str) -> Iterator[Chunk]:
    """Rows that only a question about their subject may have."""
    for levels, poison in (("1-3", "14"), ("4-6", "12"), ("7-9", "10"), ("10+", "8")):
        given = row(
            f"{subject}-saves",
            ("Rules", f"Saving throws of {subject}s"),
            ("Level", "Poison", "Breath weapon"),
            levels,
            poison,
            str(int(poison) + 3),
        )
        yield replace(given, query_must=f'{{"contain_one_of": [["{subject}"]]}}')


def gear(item: str, weight: str, price: str) -> Chunk:
    given = row("gear", ("Equipment", "Gear"), ("Item", "Weight", "Price"), item, weight, price)
    return replace(given, book="gear")


def make_shelf() -> tuple[Chunk, ...]:
    rows = [*saves("fighter"), *saves("cleric"), *saves("thief")]
    rows += [gear("long sword", "4 lb", "15 gp"), gear("sword of the long night", "5 lb", "900 gp")]
    rows += [gear("hemp rope", "10 lb", "1 gp"), gear("silk rope", "5 lb", "10 gp"), gear("iron mace", "8 lb", "5 gp")]
    sizes = ("Equipment", "Hull sizes")
    rows += [row("hulls", sizes, ("Size", "Cargo"), *cells) for cells in (("K", "30 tons"), ("11 (B)", "90 tons"))]
    rows += [row("hulls", sizes, ("Size", "Cargo"), "M", "60 tons")]
    motor = ("Motors", "L54-35-S400-R")
    rows += [
        row("motors", motor, ("Item", "Value"), "Output", "35 W"),
        row("motors", motor, ("Item", "Value"), "Speed", "29 rpm"),
    ]
    for table in ("3", "5"):
        omens = [row(f"omens-{table}", ("Omens",), ("Throw", "Omen"), throw, f"bird {throw}") for throw in ("3", "5")]
        rows += [replace(omen, caption=f"Omen Table {table}") for omen in omens]
    prose = [
        replace(
            CHUNK,
            id=f"prose-{number:03}",
            kind="prose",
            search_text=" ".join(random.Random(number).choices(TAVERN, k=20)),
            heading_path=("Taverns", f"House {number}"),
        )
        for number in range(220)
    ]
    beside = "A fighter makes his saving throw against poison by level."
    prose += [
        replace(
            CHUNK, id="prose-x", kind="prose", search_text=beside, heading_path=("Rules", "Saving throws of fighters")
        )
    ]
    worn = "Who wears nothing has an armor class of 10."
    prose += [replace(CHUNK, id="prose-y", kind="prose", search_text=worn, heading_path=("Rules", "Armor"))]
    return (*rows, *prose)


def random_trees(names: tuple[str, ...], seed: int, count: int = 40, depth: int = 3) -> Trees:
    """Full trees that ask any features at any thresholds; inner nodes have the mean of their children."""
    rng = random.Random(seed)
    nodes: list[Node] = []

    def add(left_depth: int) -> int:
        if not left_depth:
            nodes.append(Node(LEAF, 0.0, 0, 0, rng.uniform(-1, 1)))
        else:
            left, right = add(left_depth - 1), add(left_depth - 1)
            mean = (nodes[left][-1] + nodes[right][-1]) / 2
            nodes.append(Node(rng.randrange(len(names)), rng.choice([0.0, 0.1, 0.3, 0.5]), left, right, mean))
        return len(nodes) - 1

    roots = [add(depth) for _ in range(count)]
    return Trees.of_nodes(names, roots, nodes)


@pytest.fixture(scope="session")
def shelf() -> tuple[Chunk, ...]:
    return make_shelf()


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory, shelf: tuple[Chunk, ...]) -> Iterator[Snapshot]:
    with indexed(tmp_path_factory.mktemp("shelf"), shelf, ToyEmbedder()) as retriever:
        yield retriever.snapshot


@pytest.fixture(scope="session")
def retriever(snapshot: Snapshot) -> Retriever:
    return Retriever(snapshot, ToyEmbedder())


@pytest.fixture
def trees(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Trees]:
    """Trees of their own in place of those that ship."""
    result = random_trees(NAMES, seed=7)
    (tmp_path / "shipped.json").write_text(result.written)
    monkeypatch.setattr(rerank, "TREES_FILE", tmp_path / "shipped.json")
    rerank.trees_of.cache_clear()
    yield result
    rerank.trees_of.cache_clear()
