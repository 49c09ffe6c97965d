import json
from pathlib import Path

from retrieval.artifacts.artifacts import EnrichedChunk, GraphEdge
from retrieval.artifacts.documents import record_of
from retrieval.handoff.legacy_files import _document_id, _file_name, write_legacy_files
from retrieval.handoff.projection import Choice, Projection


def read(path: Path) -> dict[str, list[dict[str, object]]]:
    return json.loads(path.read_text("utf-8"))


def test_every_document_has_its_files_and_the_merged_ones_have_them_all(projection: Projection, tmp_path: Path) -> None:
    files = write_legacy_files(projection, tmp_path, Choice())
    (folder,) = {path.parent for path in files}
    assert folder.relative_to(tmp_path).parts[:4] == ("lantern-and-blade-1", "lantern-and-blade", "outputs", "runs")
    assert folder.parent.name.endswith(f"Z-{projection.run_id}")
    book = projection.book(projection.books[0])
    chunks = sorted(book.chunks, key=lambda chunk: chunk.chunk_id)
    documents = sorted({chunk.document.removesuffix(".md") for chunk in chunks})
    names = [f"{name}.{kind}.json" for name in (*documents, "merged") for kind in ("enriched", "graph")]
    assert [path.name for path in files] == names
    merged = read(folder / "merged.enriched.json")["chunks"]
    assert [record_of(each, EnrichedChunk, "") for each in merged] == chunks
    edges = [record_of(each, GraphEdge, "") for each in read(folder / "merged.graph.json")["edges"]]
    assert edges == sorted(book.edges, key=lambda edge: (edge.source_id, edge.target_id, edge.relation))


def test_the_files_of_the_documents_add_up_to_the_merged_ones(projection: Projection, tmp_path: Path) -> None:
    files = write_legacy_files(projection, tmp_path, Choice())
    for kind, key in (("enriched", "chunks"), ("graph", "edges"), ("graph", "nodes")):
        *parts, merged = (read(path)[key] for path in files if path.name.endswith(f".{kind}.json"))
        found = [json.dumps(each, sort_keys=True) for part in parts for each in part]
        assert set(found) == {json.dumps(each, sort_keys=True) for each in merged}
        assert key == "nodes" or len(found) == len(merged)


def test_the_ends_of_every_edge_within_the_book_are_nodes_of_the_same_file(
    projection: Projection, tmp_path: Path
) -> None:
    for path in write_legacy_files(projection, tmp_path, Choice()):
        if path.name.endswith(".graph.json"):
            graph = read(path)
            nodes = {node["node_id"] for node in graph["nodes"]}
            assert {edge[end] for edge in graph["edges"] for end in ("source_id", "target_id")} <= nodes


def test_the_same_snapshot_gives_the_same_bytes(projection: Projection, tmp_path: Path) -> None:
    one, other = (write_legacy_files(projection, tmp_path / name, Choice()) for name in ("one", "other"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_a_name_that_is_no_file_name_becomes_one_of_its_own() -> None:
    assert _document_id("part/01.md") != _document_id("part_01.md") == "part_01"
    assert _document_id("merged.md") == "merged.md"
    for strange in ("../up", "..", "a/b", "", "a b", "a\x00b"):
        assert "/" not in _file_name(strange)
        assert _file_name(strange).strip(".")
        assert _file_name(strange) != strange
