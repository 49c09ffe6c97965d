from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retrieval.search.retriever import Retriever

if TYPE_CHECKING:
    from retrieval.home import Home


@pytest.fixture
def live(tiny_built: Home) -> Retriever:
    """The small book, indexed: a dagger, a long sword, a mace."""
    return Retriever.open(tiny_built.root)
