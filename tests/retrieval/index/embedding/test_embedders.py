import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import wordllama

from retrieval.errors import BudgetExceededError, EmbedderMismatchError, EmbedderUnavailableError, UnknownNameError
from retrieval.index.embedding import wordllama_model
from retrieval.index.embedding.embedders import EMBEDDERS, Cost, cuts_for, load_embedder, price_of, token_counter
from retrieval.index.embedding.openai_model import OpenAiEmbedder
from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.ingest.prose_chunking import USUAL, Cuts, most_tokens
from retrieval.language.canonical import literal
from retrieval.models.access import Access
from retrieval.models.chat import Usage
from retrieval.models.openai_client import OpenAiClient
from retrieval.settings import ChunkingSettings, EmbeddingSettings, Settings
from retrieval.types import EmbedderIdentity
from tests.openai_server.faults import InTurn
from tests.openai_server.server import FakeOpenAi

TEXTS = ["attack matrix for clerics, armor class 6", "a long tale of the sea " * 50, "x", "AC 6"]


@pytest.fixture(scope="module")
def offline() -> WordllamaEmbedder:
    return WordllamaEmbedder()


def test_wordllama_gives_the_librarys_own_vectors(offline: WordllamaEmbedder) -> None:
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    read = [literal(text) for text in TEXTS]
    assert offline.embed(TEXTS) == pytest.approx(model.embed(read, norm=True), abs=1e-6)
    assert offline.identity.dimensions == 256


def test_one_thing_said_in_two_ways_has_one_vector(offline: WordllamaEmbedder) -> None:
    assert np.array_equal(*offline.embed(["Armour Class: wolves", "ac wolf"]))
    assert np.array_equal(offline.embed_query("a 7th level cleric"), offline.embed_query("a level seven cleric"))


def test_a_vector_does_not_depend_on_its_neighbours(offline: WordllamaEmbedder) -> None:
    together = offline.embed(TEXTS)
    for position, text in enumerate(TEXTS):
        assert np.array_equal(offline.embed([text])[0], together[position])


def test_every_vector_is_finite_and_of_length_one(offline: WordllamaEmbedder) -> None:
    matrix = offline.embed(["", "   ", "\n", "\x00", "🜁", "a" * 50_000, *TEXTS])
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert offline.embed([]).shape == (0, 256)


def test_wordllama_loads_without_a_network_or_a_home_and_leaves_logging_alone(tmp_path: Path) -> None:
    code = """
import socket, logging
def refuse(*args, **kwargs): raise AssertionError("asked the network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from retrieval.index.embedding.embedders import load_embedder
assert load_embedder("wordllama").embed(["AC 6"]).shape == (1, 256)
assert not logging.getLogger().handlers and logging.getLogger().level == logging.WARNING
"""
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())


def test_the_words_of_wordllama_are_in_order_and_written_small(offline: WordllamaEmbedder) -> None:
    assert {"price", "weight", "far"} <= set(offline.words)
    assert list(offline.words) == sorted(set(offline.words))
    assert all(word.isalpha() and word.islower() and word.isascii() for word in offline.words)


def test_every_embedder_says_who_it_is_without_weights_or_a_key_and_an_unknown_one_names_them() -> None:
    with pytest.raises(UnknownNameError, match="'bert'; available: minilm, openai, openai:MODEL, st:MODEL, wordllama"):
        load_embedder("bert")
    names = {load_embedder(name).identity.name for name in EMBEDDERS}
    assert names == set(EMBEDDERS)


def test_weights_of_another_width_are_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow, model = WordllamaEmbedder(), wordllama_model._model()
    monkeypatch.setattr(model, "embedding", model.embedding[:, :128])
    for ask in (lambda: narrow.embed(["AC 6"]), lambda: narrow.embed_query("AC 6"), lambda: narrow.embed_one("AC 6")):
        with pytest.raises(EmbedderMismatchError, match="install it again"):
            ask()


def test_the_weights_are_read_once_by_a_process_and_no_embedder_changes_them() -> None:
    before = wordllama_model._model().embedding.copy()
    first, second = WordllamaEmbedder(), WordllamaEmbedder()
    assert np.array_equal(first.embed(["AC 6", ""]), second.embed(["AC 6", ""]))
    assert first._table is second._table
    assert np.array_equal(first._table, before)


def test_openai_sends_batches_and_keeps_the_order(chat_server: FakeOpenAi) -> None:
    matrix = OpenAiEmbedder(chat_server.environment).embed(["x" * (1 + number % 1000) for number in range(600)])
    assert [len(body["input"]) for body in chat_server.asked] == [256, 256, 88]
    assert matrix.argmax(axis=1).tolist() == [1 + number % 1000 for number in range(600)]
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(1.0)


def test_openai_tries_again_after_a_passing_failure(chat_server: FakeOpenAi) -> None:
    chat_server.plan = InTurn(["busy", "broken"])
    assert OpenAiEmbedder(chat_server.environment).embed(["ab"])[0].argmax() == 2
    assert len(chat_server.asked) == 3


def test_a_model_of_another_server_gets_what_its_makers_put_before_questions_and_texts(chat_server, monkeypatch):
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    chat_server.dimensions = 768
    nomic = load_embedder("openai:nomic-embed-text-v2-moe:latest")
    assert nomic.identity.name == "openai:nomic-embed-text-v2-moe:latest"
    assert nomic.identity.version == "nomic-embed-text-v2-moe:latest+search_document:"
    nomic.embed(["AC 6"])
    nomic.embed_query("AC 6")
    assert [body["input"] for body in chat_server.asked] == [["search_document: AC 6"], ["search_query: AC 6"]]


def test_a_model_that_nobody_knows_is_asked_for_its_dimensions_once(chat_server, monkeypatch):
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    chat_server.dimensions = 12
    own = load_embedder("openai:my-model")
    assert (own.identity.version, own.identity.dimensions) == ("my-model", 12)
    assert own.embed(["abc"]).shape == (1, 12)
    assert len(chat_server.asked) == 2


def test_openai_gives_up_with_a_sentence(chat_server: FakeOpenAi) -> None:
    chat_server.plan = InTurn(["broken"] * 9)
    with pytest.raises(EmbedderUnavailableError, match=r"could not embed 1 texts.*not now.*check the key") as broken:
        OpenAiEmbedder(client=OpenAiClient(Access.of_environment(chat_server.environment), retries=1)).embed(["ab"])
    assert (broken.value.passing, broken.value.general) == (True, True)
    assert chat_server.counts.requests["/v1/embeddings"] == 2


@pytest.mark.parametrize(
    ("status", "said", "general"),
    [
        (401, "the key in OPENAI_API_KEY was rejected .* or use --embedder wordllama", True),
        (403, "the key in OPENAI_API_KEY was rejected", True),
        (404, "could not embed 1 texts .*404", True),
        (400, "could not embed 1 texts .*400", False),
    ],
)
def test_openai_is_not_asked_again_where_that_cannot_help(chat_server, status, said, general):
    chat_server.status = status
    with pytest.raises(EmbedderUnavailableError, match=said) as refused:
        OpenAiEmbedder(chat_server.environment).embed(["ab"])
    assert (refused.value.passing, refused.value.general) == (False, general)
    assert chat_server.counts.requests["/v1/embeddings"] == 1


def test_openai_without_a_server_or_a_key_says_so(chat_server: FakeOpenAi) -> None:
    with pytest.raises(EmbedderUnavailableError, match="OPENAI_API_KEY"):
        OpenAiEmbedder({}).embed(["ab"])
    closed = OpenAiClient(Access("local", "http://127.0.0.1:9/v1"), retries=0)
    with pytest.raises(EmbedderUnavailableError, match="network"):
        OpenAiEmbedder(client=closed).embed(["ab"])


def test_openai_refuses_another_models_vectors(chat_server: FakeOpenAi) -> None:
    chat_server.dimensions = 8
    with pytest.raises(EmbedderMismatchError, match="8 dimensions, not 1536"):
        OpenAiEmbedder(chat_server.environment).embed(["ab"])
    chat_server.dimensions, chat_server.zero = 1536, True
    with pytest.raises(EmbedderMismatchError, match="zero"):
        OpenAiEmbedder(chat_server.environment).embed(["ab"])


def test_openai_gives_no_vectors_for_no_texts_and_asks_nobody() -> None:
    nothing = OpenAiEmbedder({}).embed([])
    assert (nothing.shape, nothing.dtype) == ((0, 1536), np.float32)


def test_openai_sends_an_empty_text_as_a_space_and_cuts_an_endless_one(chat_server: FakeOpenAi) -> None:
    OpenAiEmbedder(chat_server.environment).embed(["", "x" * 100_000])
    assert chat_server.asked[0]["input"][0] == " "
    assert len(chat_server.asked[0]["input"][1]) < 40_000


WORDLLAMA, OPENAI = load_embedder("wordllama"), load_embedder("openai")


@pytest.mark.parametrize("embedder", [WORDLLAMA, OPENAI])
def test_a_home_that_says_nothing_is_cut_as_it_always_was(embedder) -> None:
    assert cuts_for(Settings(), embedder) == USUAL


def test_levels_alone_bring_no_tokenizer() -> None:
    chunking = ChunkingSettings(split_only_when_needed=False, header_level=2, fallback_header_level=4)
    expected = Cuts(header_level=2, fallback_header_level=4, split_only_when_needed=False)
    assert cuts_for(Settings(chunking=chunking), WORDLLAMA) == expected


def test_a_size_is_in_tokens_of_the_embedder() -> None:
    cuts = cuts_for(Settings(chunking=ChunkingSettings(max_chunk_tokens=500)), WORDLLAMA)
    assert (cuts.working_tokens, cuts.cap, cuts.limit) == (500, 8192, 500)
    text = "A member within one inch of a barricade is in cover behind it."
    assert cuts.count(text) == token_counter(WORDLLAMA)(text) < most_tokens(text)
    assert cuts.glue >= 1


def test_what_the_model_can_read_is_the_cap_of_all() -> None:
    settings = Settings(chunking=ChunkingSettings(max_chunk_tokens=500), embedding=EmbeddingSettings(max_tokens=256))
    cuts = cuts_for(settings, WORDLLAMA)
    assert (cuts.cap, cuts.limit) == (256, 256)


def test_a_tokenizer_that_is_elsewhere_is_taken_for_the_worst() -> None:
    assert token_counter(OPENAI) is most_tokens
    assert cuts_for(Settings(chunking=ChunkingSettings(max_chunk_tokens=8192)), OPENAI).count is most_tokens


def test_what_runs_here_costs_nothing_and_what_is_sent_has_a_dated_price() -> None:
    assert price_of(load_embedder("wordllama").identity) is price_of(load_embedder("minilm").identity) is None
    small = price_of(load_embedder("openai").identity)
    assert (small.model, small.as_of > date(2026, 1, 1)) == ("text-embedding-3-small", True)
    assert small.of(Usage(1_000_000)) == pytest.approx(0.02)
    large = price_of(EmbedderIdentity("other", "text-embedding-3-large", 3072))
    assert large.of(Usage(500_000)) == pytest.approx(0.065)


def test_a_price_and_a_budget() -> None:
    paid = Cost.of(["x" * 2_000_000], price_of(load_embedder("openai").identity))
    assert (paid.n_texts, paid.tokens, paid.usd) == (1, 1_000_000, pytest.approx(0.02))
    for budget in (None, 0.02, 1.0):
        paid.require_within(budget)
    with pytest.raises(
        BudgetExceededError, match=r"1 chunks .* up to \$0\.0200 .* budget_usd is 0\.01; .*nothing was sent"
    ):
        paid.require_within(0.01)
    replace(paid, price=None).require_within(0.0)


@pytest.mark.parametrize(("texts", "tokens"), [([], 0), (["", "abc", "abcd"], 0 + 2 + 2), (["語" * 10], 15)])
def test_tokens_are_the_most_that_there_can_be_in_any_script(texts: list[str], tokens: int) -> None:
    assert Cost.of(texts, None).tokens == tokens


def test_less_than_a_hundredth_of_a_cent_is_not_told_apart() -> None:
    price = price_of(load_embedder("openai").identity)
    assert "less than $0.0001" in str(Cost.of(["a word"], price))
    assert "up to $0.0000" in str(Cost.of([], price))
    assert str(Cost.of(["abcd"], None)) == "up to 2 tokens, which cost nothing"
