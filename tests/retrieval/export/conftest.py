"""Projections, and stores to write them to."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from retrieval.artifacts.sqlite_store import ARTIFACTS_FILE, SqliteStore
from retrieval.export.projection import Projection
from retrieval.index.snapshot.snapshot import open_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retrieval.home import Home


@pytest.fixture
def projection(sample: Home) -> Iterator[Projection]:
    with open_snapshot(sample.root) as snapshot:
        yield Projection(snapshot)


@pytest.fixture
def small(tiny_built: Home) -> Iterator[Projection]:
    """Of a library of four chunks: MongoDB's stand-in compares every record with every other."""
    with open_snapshot(tiny_built.root) as snapshot:
        yield Projection(snapshot)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / ARTIFACTS_FILE, create=True)) as store:
        yield store
