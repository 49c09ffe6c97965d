"""Every artifact store, empty: a file, MongoDB's stand-in in memory, and a real server where one is named."""

from __future__ import annotations

import os
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from retrieval.artifacts.artifacts import (
    BookArtifacts,
    BookKey,
    ChunkEmbedding,
    EmbeddingMetadata,
    EnrichedChunk,
    GraphEdge,
    GraphNode,
    StoredTraversalConfig,
    TraversalIndexEntry,
    TraversalPolicy,
)
from retrieval.artifacts.mongo_store import URI, MongoStore
from retrieval.artifacts.sqlite_store import ARTIFACTS_FILE, SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retrieval.artifacts.store import ArtifactStore

RULES = BookKey("starfinder", "core")
OTHER = BookKey("starfinder", "gm")
TIME = datetime(2026, 11, 23, 8, 30, tzinfo=UTC)
LATER = datetime(2026, 11, 24, 8, 30, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "mongomock", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ArtifactStore]:
    if request.param == "sqlite":
        artifact_store: ArtifactStore = SqliteStore(tmp_path / ARTIFACTS_FILE, create=True)
    elif request.param == "mongomock":
        import mongomock

        artifact_store = MongoStore(mongomock.MongoClient(tz_aware=True)["querymust"])
    else:
        artifact_store = on_a_server()
    yield artifact_store
    if request.param == "server":
        artifact_store._database.client.drop_database(artifact_store._database.name)
    artifact_store.close()


def on_a_server() -> MongoStore:
    """A store in a database of its own."""
    if not os.environ.get(URI):
        pytest.skip(f"no MongoDB server; name one with {URI}")
    from pymongo import MongoClient

    return MongoStore(MongoClient(os.environ[URI], tz_aware=True)[f"querymust_test_{uuid.uuid4().hex}"])


def chunk(name: str, key: BookKey = RULES, run: str = "run1", **fields: object) -> EnrichedChunk:
    made = EnrichedChunk(
        name,
        *key,
        run_id=run,
        text=f"text of {name} – 1½ ″",
        page=None,
        content_kind="rule",
        tags=("combat", "magic"),
        traits=(),
        section_path=("Combat", "Été"),
        is_rule_bearing=True,
        created_at=TIME,
        document="01.md",
        title=name,
        query_must='{"contain": "ac 6"}',
    )
    return replace(made, **fields)


def embedding(name, key=RULES, run="run1", model="toy", text="h"):
    return ChunkEmbedding(name, *key, run, model, (0.5, -0.25, 0.10000000149011612), EmbeddingMetadata(text, TIME))


def artifacts(*names, key=RULES, run="run1", model="toy", text="h"):
    """A book of these chunks, each next to the one before, below one section."""
    about = (*key, run, TIME)
    section = f"section:{key.book_id}"
    nodes = [GraphNode(name, "chunk", name, *about) for name in names]
    edges = [GraphEdge(section, name, "contains", *about, {"position": at}) for at, name in enumerate(names)]
    edges += [GraphEdge(one, other, "next", *about) for one, other in pairwise(names)]
    return BookArtifacts(
        TraversalIndexEntry(*key, run, len(names), len(names) + 1, len(edges), model, "1", 3, TIME),
        [chunk(name, key, run) for name in names],
        [embedding(name, key, run, model, text) for name in names],
        sorted([*nodes, GraphNode(section, "section", key.book_id, *about)], key=lambda node: node.node_id),
        sorted(edges, key=lambda edge: (edge.source_id, edge.target_id, edge.relation)),
    )


def config(version: str = "v1", time: datetime = TIME, **fields: object) -> StoredTraversalConfig:
    made = StoredTraversalConfig(
        "starfinder",
        version,
        ("Prone",),
        ("Fireball",),
        (),
        ("Net",),
        ("Escape",),
        ("player",),
        ("game master",),
        {"effect": (r"what happens", r"\bwhat does\b"), "where": ("where",)},
        {"effect": TraversalPolicy(("describes", "see"), 2, 50), "where": TraversalPolicy(("contains",), 1, 5)},
        time,
        time,
    )
    return replace(made, **fields)
