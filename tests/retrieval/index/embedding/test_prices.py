from datetime import date

import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.prices import price_of
from retrieval.types import EmbedderIdentity


def test_what_runs_here_costs_nothing_and_what_is_sent_has_a_dated_price() -> None:
    assert price_of(load_embedder("wordllama").identity) is price_of(load_embedder("minilm").identity) is None
    small = price_of(load_embedder("openai").identity)
    assert small is not None
    assert (small.model, small.as_of > date(2026, 1, 1)) == ("text-embedding-3-small", True)
    assert small.of(1_000_000) == pytest.approx(0.02)
    large = price_of(EmbedderIdentity("other", "text-embedding-3-large", 3072))
    assert large is not None
    assert large.of(500_000) == pytest.approx(0.065)
