import pytest

from retrieval.contract_settings import ChunkingSettings, EmbeddingSettings
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.token_counts import cuts_for, token_counter
from retrieval.ingest.prose.cuts import USUAL, Cuts
from retrieval.ingest.token_estimates import most_tokens
from retrieval.settings import Settings

WORDLLAMA, OPENAI = load_embedder("wordllama"), load_embedder("openai")


@pytest.mark.parametrize("embedder", [WORDLLAMA, OPENAI])
def test_a_home_that_says_nothing_is_cut_as_it_always_was(embedder) -> None:
    assert cuts_for(Settings(), embedder) == USUAL


def test_levels_alone_bring_no_tokenizer() -> None:
    chunking = ChunkingSettings(split_only_when_needed=False, header_level=2, fallback_header_level=4)
    expected = Cuts(header_level=2, fallback_header_level=4, split_only_when_needed=False)
    assert cuts_for(Settings(chunking=chunking), WORDLLAMA) == expected


def test_a_size_is_in_tokens_of_the_embedder() -> None:
    found = cuts_for(Settings(chunking=ChunkingSettings(max_chunk_tokens=500)), WORDLLAMA)
    assert (found.working_tokens, found.cap, found.limit) == (500, 8192, 500)
    text = "A member within one inch of a barricade is in cover behind it."
    assert found.count(text) == token_counter(WORDLLAMA)(text) < most_tokens(text)
    assert found.glue >= 1


def test_what_the_model_can_read_is_the_cap_of_all() -> None:
    settings = Settings(chunking=ChunkingSettings(max_chunk_tokens=500), embedding=EmbeddingSettings(max_tokens=256))
    found = cuts_for(settings, WORDLLAMA)
    assert (found.cap, found.limit) == (256, 256)


def test_a_tokenizer_that_is_elsewhere_is_taken_for_the_worst() -> None:
    assert token_counter(OPENAI) is most_tokens
    assert cuts_for(Settings(chunking=ChunkingSettings(max_chunk_tokens=8192)), OPENAI).count is most_tokens
