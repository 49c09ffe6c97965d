import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.sentence_model import Card, SentenceEmbedder, card_of

LIBRARY = """
import numpy as np

class SentenceTransformer:
    def __init__(self, name, *, local_files_only, trust_remote_code):
        assert local_files_only
        if name == "absent":
            raise OSError("no such model in the cache")
        self.dimensions = {"BAAI/bge-m3": 1024, "BAAI/bge-base-en-v1.5": 12}.get(name, 768)

    def encode(self, texts, *, batch_size, convert_to_numpy, show_progress_bar):
        matrix = np.zeros((len(texts), self.dimensions))
        for place, text in enumerate(texts):
            matrix[place, len(text) % self.dimensions] = 3.0 * bool(text)
        return matrix
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library of the same name and shape, whose vectors say how long the text was that it was given."""
    (tmp_path / "sentence_transformers.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    yield
    sys.modules.pop("sentence_transformers", None)


@pytest.mark.usefixtures("library")
def test_questions_and_texts_get_the_prefixes_that_the_model_was_trained_with() -> None:
    for version in ("v1.5", "v2-moe"):
        nomic = SentenceEmbedder(f"nomic-ai/nomic-embed-text-{version}", {"QUERYMUST_TRUST_MODEL_CODE": "1"})
        assert nomic.embed_query("AC 6").argmax() == len("search_query: AC 6")
        assert nomic.embed(["AC 6", "x"]).argmax(axis=1).tolist() == [len("search_document: AC 6"), 18]
    bge = load_embedder("st:BAAI/bge-m3")
    assert bge.embed_query("AC 6").argmax() == 4


@pytest.mark.usefixtures("library")
def test_vectors_have_length_one_and_an_empty_text_is_no_exception() -> None:
    model = SentenceEmbedder("some/model", {})
    assert model.identity.name == "st:some/model"
    assert model.identity.dimensions == 768
    assert np.linalg.norm(model.embed(["", "a", "bc"]), axis=1).tolist() == [1, 1, 1]
    assert model.embed([]).shape == (0, 768)


@pytest.mark.usefixtures("library")
def test_a_wrong_dimension_is_refused_with_what_to_do() -> None:
    with pytest.raises(EmbedderMismatchError, match=r"\(1, 12\), not \(1, 768\); fetch the model again"):
        SentenceEmbedder("BAAI/bge-base-en-v1.5").embed(["AC 6"])


@pytest.mark.usefixtures("library")
def test_a_model_that_is_not_here_says_how_to_fetch_it() -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"fetch it once with .*M\('absent'\)"):
        SentenceEmbedder("absent").embed(["AC 6"])


@pytest.mark.usefixtures("library")
def test_a_models_own_code_is_not_run_without_leave() -> None:
    with pytest.raises(EmbedderUnavailableError, match="QUERYMUST_TRUST_MODEL_CODE=1"):
        SentenceEmbedder("nomic-ai/nomic-embed-text-v1.5", {}).embed(["AC 6"])


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is not None, reason="the library is installed")
def test_without_the_library_it_says_what_to_install() -> None:
    with pytest.raises(EmbedderUnavailableError, match="pip install 'sentence-transformers>=5'"):
        load_embedder("st:BAAI/bge-m3").embed(["AC 6"])


@pytest.mark.parametrize("name", ["BAAI/bge-m3", "nomic-ai/nomic-embed-text-v1.5"])
def test_a_real_model_finds_the_near_text(name: str) -> None:
    pytest.importorskip("sentence_transformers", reason="needs the extra [st], which brings torch")
    try:
        model = SentenceEmbedder(name, {"QUERYMUST_TRUST_MODEL_CODE": "1"})
        near, far = model.embed(["A dragon breathes fire.", "The price of rope."]) @ model.embed_query("fiery dragons")
    except EmbedderUnavailableError as error:
        pytest.skip(str(error))
    assert near > far


@pytest.mark.parametrize(
    "name",
    [
        "nomic-ai/nomic-embed-text-v2-moe",
        "nomic-embed-text:latest",
        "/models/nomic-embed-text-v1.5/",
        "Nomic-Embed-Text",
    ],
)
def test_a_model_is_known_by_all_its_names(name: str) -> None:
    card = card_of(name)
    assert (card.query, card.text, card.dimensions) == ("search_query: ", "search_document: ", 768)


def test_the_longest_beginning_of_a_name_decides_what_stands_before_its_texts() -> None:
    assert card_of("intfloat/multilingual-e5-large").text == "passage: "
    assert card_of("intfloat/multilingual-e5-large-instruct").text == ""
    assert card_of("some/model") == Card()
    assert card_of("e5-base-v2").version("5.1") == "5.1+passage:"
    assert card_of("bge-m3").version("5.1") == "5.1"
