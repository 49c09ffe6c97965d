"""A snapshot's artifacts as files, in the folders where ingestions left them before there was a store.

::

    <folder>/<ruleset>/<book>/outputs/runs/<time>-<run>/enriched/<document>.enriched.json   chunks of one document
                                                                 <document>.graph.json      nodes and edges of one
                                                                 merged.enriched.json       chunks of the book
                                                                 merged.graph.json          its graph
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from retrieval.artifacts.artifacts import BookArtifacts, BookKey, EnrichedChunk, GraphEdge, GraphNode
from retrieval.artifacts.documents import document_of
from retrieval.atomic_files import write_atomically
from retrieval.handoff.projection import Choice, Projection

_MERGED = "merged"
_STRANGE = re.compile(r"[^\w.-]+")


def write_legacy_files(projection: Projection, folder: Path, choice: Choice) -> tuple[Path, ...]:
    """Write the files of the chosen books; returns them, those of a book in the order of their documents.

    Raises:
        UnknownNameError: there is no such book or ruleset; nothing was written.
    """
    run = f"{projection.created_at:%Y%m%dT%H%M%SZ}-{projection.run_id}"
    written: list[Path] = []
    for key in choice.of(projection.books):
        place = folder / _file_name(key.ruleset_id) / _file_name(key.book_id) / "outputs" / "runs" / run / "enriched"
        written += _write_book(projection.book(key), key, place)
    return tuple(written)


def _write_book(book: BookArtifacts, key: BookKey, place: Path) -> list[Path]:
    chunks = sorted(book.chunks, key=lambda chunk: chunk.chunk_id)
    nodes = sorted(book.nodes, key=lambda node: node.node_id)
    edges = sorted(book.edges, key=lambda edge: (edge.source_id, edge.target_id, edge.relation))
    by_document: Mapping[str, list[EnrichedChunk]] = defaultdict(list)
    for chunk in chunks:
        by_document[chunk.document].append(chunk)
    head = {"ruleset_id": key.ruleset_id, "book_id": key.book_id, "run_id": book.entry.run_id}
    written = []
    for document in sorted(by_document):
        own = by_document[document]
        inside = _nodes_of(own, edges)
        leading = [edge for edge in edges if edge.source_id in inside]
        reached = {edge.target_id for edge in leading} | inside
        name = _document_id(document)
        about = {**head, "document": document}
        written += _write_pair(place, name, about, own, [node for node in nodes if node.node_id in reached], leading)
    return [*written, *_write_pair(place, _MERGED, head, chunks, nodes, edges)]


def _nodes_of(chunks: Iterable[EnrichedChunk], edges: Iterable[GraphEdge]) -> frozenset[str]:
    """A document's chunks and the sections that they stand in."""
    above: Mapping[str, list[str]] = defaultdict(list)
    for edge in edges:
        if edge.relation == "contains":
            above[edge.target_id].append(edge.source_id)
    found: set[str] = set()
    waiting = [chunk.chunk_id for chunk in chunks]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += above[node]
    return frozenset(found)


def _write_pair(
    place: Path,
    name: str,
    about: Mapping[str, str],
    chunks: Sequence[EnrichedChunk],
    nodes: Sequence[GraphNode],
    edges: Sequence[GraphEdge],
) -> list[Path]:
    files = {
        place / f"{name}.enriched.json": {**about, "chunks": [document_of(each, "json") for each in chunks]},
        place / f"{name}.graph.json": {
            **about,
            "nodes": [document_of(each, "json") for each in nodes],
            "edges": [document_of(each, "json") for each in edges],
        },
    }
    for path, content in files.items():
        write_atomically(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return list(files)


def _document_id(path: str) -> str:
    """A document's path as the name of a file, without its ending."""
    found = path.removesuffix(".md")
    return _file_name(path if found == _MERGED else found)


def _file_name(name: str) -> str:
    """The name, or where a file cannot be called so, one that no other name has."""
    plain = _STRANGE.sub("_", name).strip(".") or "_"
    return plain if plain == name else f"{plain[:80]}-{sha256(name.encode()).hexdigest()[:8]}"
