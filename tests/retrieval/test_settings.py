import re
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import EmbedderMismatchError, UnknownNameError, UnreadableSettingsError
from retrieval.settings import (
    REMEMBERED,
    REMEMBERED_COPY,
    SETTINGS_FILE,
    ChunkingSettings,
    EmbeddingSettings,
    PassagesSettings,
    RetrievalSettings,
    Settings,
)
from retrieval.types import EmbedderIdentity


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    settings = Settings(Path("/books"), (Path("/a.jsonl"), Path("/b.jsonl")), "minilm")
    settings.write(tmp_path)
    assert Settings.read(tmp_path, {}) == settings


def test_a_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    assert Settings.read(tmp_path, {}) == Settings()


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    Settings(Path("/books"), (Path("/a.jsonl"),)).write(tmp_path)
    environment = {
        "QUERYMUST_LIBRARY": "/other",
        "QUERYMUST_QUESTIONS": "/x.jsonl:/y.jsonl",
        "QUERYMUST_EMBEDDER": "openai",
    }
    expected = Settings(Path("/other"), (Path("/x.jsonl"), Path("/y.jsonl")), "openai")
    assert Settings.read(tmp_path, environment) == expected


@pytest.mark.parametrize("text", ["library: [unclosed", "- a list\n", "questions: one.jsonl\n"])
def test_a_file_that_holds_no_settings_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / SETTINGS_FILE).write_text(text)
    with pytest.raises(UnreadableSettingsError, match=SETTINGS_FILE):
        Settings.read(tmp_path, {})


@pytest.mark.parametrize("text", ["", "\n", "# strategy: hybrid\n", "---\n"])
def test_an_empty_file_is_all_defaults(tmp_path: Path, text: str) -> None:
    (tmp_path / SETTINGS_FILE).write_text(text)
    assert Settings.read(tmp_path, {}) == Settings()


def test_a_misspelled_setting_is_named_with_those_that_exist(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("libary: /books\n")
    with pytest.raises(UnknownNameError, match=r"libary.*library"):
        Settings.read(tmp_path, {})


def test_the_night_is_a_time_and_a_zone(tmp_path: Path) -> None:
    assert (Settings().nightly, Settings().timezone) == ("03:00", "UTC")
    (tmp_path / SETTINGS_FILE).write_text("nightly: 13:30\ntimezone: Europe/Berlin\n")
    settings = Settings.read(tmp_path, {})
    assert (settings.nightly, settings.timezone) == ("13:30", "Europe/Berlin")
    settings.write(tmp_path)
    assert Settings.read(tmp_path, {}) == settings
    assert Settings.read(tmp_path, {"QUERYMUST_NIGHTLY": "4:05", "QUERYMUST_TIMEZONE": "UTC"}).nightly == "04:05"


def test_a_budget_is_a_number_of_dollars_and_none_is_no_limit(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("budget_usd: 0\n")
    assert (Settings().budget_usd, Settings.read(tmp_path, {}).budget_usd) == (None, 0.0)
    settings = Settings.read(tmp_path, {"QUERYMUST_BUDGET_USD": "2.50"})
    assert settings.budget_usd == 2.5
    settings.write(tmp_path)
    assert Settings.read(tmp_path, {}) == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [("NIGHTLY", "25:00"), ("NIGHTLY", "soon"), ("TIMEZONE", "Mars"), ("BUDGET_USD", "-1"), ("BUDGET_USD", "much")],
)
def test_what_is_no_time_zone_or_budget_is_refused(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(UnreadableSettingsError, match=value):
        Settings.read(tmp_path, {f"QUERYMUST_{name}": value})


THE_SEED = """
embedding:
  model: "text-embedding-3-small"
  dimensions: 1536
  max_tokens: 8192
chunking:
  split_only_when_needed: true
  max_chunk_tokens: 8192
  header_level: 2
  fallback_header_level: 3
  overlap_tokens: 0
retrieval:
  max_chunks: 5
  min_relevance: 0.6
  cache_ttl_seconds: 300
"""


def rag_yaml(home: Path, text: str) -> Path:
    (home / SETTINGS_FILE).write_text(text)
    return home


def test_the_contract_s_own_file_is_read_key_by_key(tmp_path: Path) -> None:
    settings = Settings.read(rag_yaml(tmp_path, THE_SEED), {})
    assert settings.embedder == "openai"
    assert settings.embedding == EmbeddingSettings(1536, 8192)
    assert settings.chunking == ChunkingSettings(True, 8192, 2, 3, 0)
    assert settings.retrieval == RetrievalSettings(5, 0.6, 300)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("chunking: {max_tokens: 5}", r"chunking\.max_tokens.*chunking\.max_chunk_tokens"),
        ("embedding: {modell: x}", r"embedding\.modell.*embedding\.model"),
        ("retrieval: {k: 5}", r"retrieval\.k.*retrieval\.max_chunks"),
    ],
)
def test_a_misspelled_nested_key_is_named_with_those_that_exist(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(UnknownNameError, match=named):
        Settings.read(rag_yaml(tmp_path, text), {})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("chunking: 5", "chunking"),
        ("chunking: {overlap_tokens: 20}", "overlap_tokens is 20"),
        ("chunking: {split_only_when_needed: 1}", "split_only_when_needed is 1"),
        ("chunking: {max_chunk_tokens: 9000}", "max_chunk_tokens is 9000"),
        ("chunking: {header_level: 3, fallback_header_level: 2}", "fallback_header_level is 2"),
        ("embedding: {max_tokens: 0}", "max_tokens is 0"),
        ("embedding: {dimensions: many}", "dimensions is 'many'"),
        ("retrieval: {min_relevance: 60}", "min_relevance is 60"),
        ("retrieval: {max_chunks: true}", "max_chunks is True"),
        ("retrieval: {cache_ttl_seconds: -1}", "cache_ttl_seconds is -1"),
        ("embedder: minilm\nembedding: {model: wordllama}", "minilm.*wordllama"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_its_file(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(UnreadableSettingsError, match=rf"{SETTINGS_FILE}.*{named}"):
        Settings.read(rag_yaml(tmp_path, text), {})


@pytest.mark.parametrize("text", ["embedder: minilm", "embedding: {model: minilm}"])
def test_the_embedder_and_the_model_are_one_thing(tmp_path: Path, text: str) -> None:
    assert Settings.read(rag_yaml(tmp_path, text), {}).embedder == "minilm"
    assert Settings.read(tmp_path, {"QUERYMUST_EMBEDDER": "openai"}).embedder == "openai"
    named = Settings.read(tmp_path, {"QUERYMUST_EMBEDDER": "nomic-embed-text-v2"}).embedder
    assert named == "st:nomic-ai/nomic-embed-text-v2-moe"


def test_a_build_leaves_a_person_s_settings_alone_and_the_last_word_counts(tmp_path: Path) -> None:
    text = "library: /mine  # my books\nchunking: {max_chunk_tokens: 500}\n"
    rag_yaml(tmp_path, text)
    replace(Settings.read(tmp_path, {}), library=Path("/other")).write(tmp_path)
    assert (tmp_path / SETTINGS_FILE).read_text() == text
    settings = Settings.read(tmp_path, {})
    assert (settings.library, settings.chunking.max_chunk_tokens) == (Path("/other"), 500)
    rag_yaml(tmp_path, text.replace("500", "600"))
    assert Settings.read(tmp_path, {}).library == Path("/other")
    rag_yaml(tmp_path, "library: /third")
    assert Settings.read(tmp_path, {}).library == Path("/third")


@pytest.mark.parametrize("lost", [REMEMBERED, REMEMBERED_COPY])
@pytest.mark.parametrize("damage", [b"used: 5\n", b"\xa5\x00used", b"", None])
def test_what_a_build_used_survives_the_loss_of_one_of_its_files(
    lost: str, damage: bytes | None, tmp_path: Path
) -> None:
    written = replace(Settings(), library=Path("/books"), nightly="04:30")
    written.write(tmp_path)
    (tmp_path / lost).unlink()
    if damage is not None:
        (tmp_path / lost).write_bytes(damage)
    assert Settings.read(tmp_path, {}) == written
    Settings.read(tmp_path, {}).write(tmp_path)
    assert (tmp_path / REMEMBERED).read_bytes() == (tmp_path / REMEMBERED_COPY).read_bytes()


def test_files_of_a_build_that_are_all_damaged_are_named(tmp_path: Path) -> None:
    (tmp_path / REMEMBERED).write_text("used: 5\n")
    with pytest.raises(UnreadableSettingsError, match=REMEMBERED):
        Settings.read(tmp_path, {})


def test_books_are_indexed_in_this_process_unless_an_executor_is_named(tmp_path: Path) -> None:
    assert Settings.read(tmp_path, {"QUERYMUST_PROCESSES": "4"}).lanes == 1
    (tmp_path / SETTINGS_FILE).write_text("executor: dask\nprocesses: 3\n")
    assert Settings.read(tmp_path, {}).lanes == 3
    elsewhere = Settings.read(tmp_path, {"QUERYMUST_EXECUTOR": "dask+tcp://cluster:8786"})
    assert elsewhere.executor == "dask+tcp://cluster:8786"
    assert Settings(executor="multiprocess").lanes >= 1


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("QUERYMUST_EXECUTOR", "threads"),
        ("QUERYMUST_EXECUTOR", "dask+http://cluster:8786"),
        ("QUERYMUST_EXECUTOR", "dask+tcp://cluster"),
        ("QUERYMUST_PROCESSES", "0"),
        ("QUERYMUST_PROCESSES", "two"),
    ],
)
def test_an_executor_that_nobody_knows_is_named(tmp_path: Path, variable: str, said: str) -> None:
    with pytest.raises(UnreadableSettingsError, match=re.escape(repr(said))):
        Settings.read(tmp_path, {variable: said})


def test_other_dimensions_than_the_model_s_are_refused() -> None:
    EmbeddingSettings(256).check(EmbedderIdentity("wordllama", "1", 256))
    with pytest.raises(EmbedderMismatchError, match=r"1536.*wordllama.*256"):
        EmbeddingSettings(1536).check(EmbedderIdentity("wordllama", "1", 256))


def test_passages_are_described_by_the_rules_or_by_a_model() -> None:
    assert PassagesSettings().enrichment == "rules"
    with pytest.raises(UnreadableSettingsError, match=r"passages\.enrichment is 'names'; write rules or model"):
        PassagesSettings("names")


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://host", "http://", "http://h:port"])
def test_an_address_of_chroma_that_is_none_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(UnreadableSettingsError, match="not an address"):
        Settings.read(tmp_path, {"QUERYMUST_CHROMA": address})


def test_no_address_of_chroma_is_no_server(tmp_path: Path) -> None:
    assert Settings.read(tmp_path, {}).chroma is None
    assert Settings.read(tmp_path, {"QUERYMUST_CHROMA": ""}).chroma is None
