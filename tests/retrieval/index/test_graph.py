from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError, LibraryError
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.index.graph import RELATIONS, Graph
from retrieval.index.graph_building import DESCRIBED_BY, build_graph
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.terms import tokens
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk, EmbedderIdentity, Vector
from tests.chunks import EMPTY
from tests.graphs import Edge, edges_of

BASE = replace(EMPTY, heading_path=("Spells",))


def chunk(name: str, position: int, **fields) -> Chunk:
    return replace(BASE, id=name, position=position, **fields)


def row(name: str, position: int, key: str) -> Chunk:
    return chunk(name, position, kind="row", table_id="t", row_key=key, heading_path=("Weapons",))


LIBRARY = (
    chunk("a", 0, text="Burns, see Ice Storm.", heading_path=("Spells", "Fireball"), metadata={"traits": ("fire",)}),
    chunk("b", 1, heading_path=("Spells", "Ice Storm")),
    row("c", 2, "Club"),
    row("d", 3, "Mace"),
    chunk("e", 4, heading_path=("Weapons", "Torch"), names=("Torch",), metadata={"traits": ("fire",)}),
    chunk("f", 0, document="other", names=("Fireballs",), heading_path=("Notes",)),
)


def apart(count: int) -> Vector:
    return np.eye(count, 8, dtype=np.float32)


GRAPH = build_graph(LIBRARY, apart(6), Vocabulary.default())
IDS = [each.id for each in LIBRARY]
EDGES = set(edges_of(GRAPH, IDS))


def neighbours(name: str, *relations) -> list[str]:
    neighbour = GRAPH.neighbours(np.asarray(["abcdef".index(name)]), relations or RELATIONS)[1]
    return ["abcdef"[node] for node in neighbour.tolist() if node < len(LIBRARY)]


def test_a_section_contains_its_sections_and_chunks() -> None:
    spells, fireball = "section:b\x1fd\x1fSpells", "section:b\x1fd\x1fSpells\x1fFireball"
    assert {Edge(spells, fireball, "contains"), Edge(fireball, "a", "contains")} <= EDGES


def test_a_name_that_many_bear_names_nothing() -> None:
    crowd = [chunk(f"{n:02}", n, names=("Benefit",), heading_path=()) for n in range(DESCRIBED_BY + 1)]
    graph = build_graph(crowd, apart(len(crowd)), Vocabulary.default())
    assert "entity:benefit" not in {edge.target_id for edge in edges_of(graph, [each.id for each in crowd])}


def test_traits_and_names_connect_chunks_across_sections() -> None:
    assert {edge.source_id for edge in EDGES if edge.target_id == f"entity:{tokens('Fireball')[0]}"} == {"a", "f"}
    assert Edge("c", "entity:club", "describes") in EDGES
    assert {edge.source_id for edge in EDGES if edge.target_id == "trait:fire"} == {"a", "e"}


def test_neighbours_are_those_of_both_directions() -> None:
    assert neighbours("a", "next") == ["b"]
    assert neighbours("b", "next") == ["a", "c"]
    assert neighbours("b", "see") == ["a"]


def test_next_is_reading_order_within_the_document_and_no_row_is_its_tables_neighbour() -> None:
    assert {(edge.source_id, edge.target_id) for edge in EDGES if edge.relation == "next"} == {
        ("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"),
    }  # fmt: skip
    assert neighbours("c", "next") == ["b"]
    assert Edge("c", "d", "next") in EDGES


def test_see_leads_to_the_chunk_under_that_heading_and_each_edge_is_written_once() -> None:
    assert {edge for edge in EDGES if edge.relation == "see"} == {Edge("a", "b", "see")}
    assert len(EDGES) == GRAPH.n_edges


def test_arrays_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    save_arrays(tmp_path, GRAPH)
    np.save(tmp_path / "targets.npy", GRAPH.targets.items[:-1])
    with pytest.raises(IndexCorruptError, match="do not fit"):
        load_arrays(tmp_path, Graph)


def test_the_same_chunks_give_the_same_graph() -> None:
    again = build_graph(LIBRARY, apart(6), Vocabulary.default())
    assert np.array_equal(again.targets.items, GRAPH.targets.items)
    assert np.array_equal(again.relations, GRAPH.relations)


def test_a_snapshot_holds_its_graph_and_refuses_another(tmp_path: Path) -> None:
    model = EmbedderIdentity("toy", "1", 8)
    made = build_snapshot(tmp_path, LIBRARY, apart(6), model, Vocabulary.default())
    assert (made.n_nodes, made.n_edges) == (GRAPH.n_nodes, GRAPH.n_edges)
    with open_snapshot(tmp_path, made.id) as snapshot:
        assert np.array_equal(snapshot.graph.targets.items, GRAPH.targets.items)
    with pytest.raises(LibraryError, match="graph was built from other chunks"):
        build_snapshot(tmp_path, LIBRARY[:3], apart(3), model, Vocabulary.default(), graph=GRAPH)
