import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from tools.corpora.indexes import embedder_without
from tools.fit.logit import FittingError
from tools.fit.queries import (
    MiniLmEncoder,
    QueriesReport,
    QueryExample,
    QuerySettings,
    QueryTrainer,
    Training,
    VectorHits,
    fit_queries,
    save_adapter,
    tokens_of,
)

jax = pytest.importorskip("jax", reason="JAX is in the extra `fit`")

MINILM = MiniLmEmbedder({}, query_adapter=None)
QUESTIONS = ["how long may a lorry be?", "AC of plate mail", "what if the charger is cold and wet, for an hour?"]
TEXTS = ["Plate mail has an armor class of 3.", "A lorry is at most 12 metres long.", "A charger dries within an hour."]


@pytest.fixture(scope="module")
def encoder() -> MiniLmEncoder:
    return MiniLmEncoder(MINILM.weights, first_layer=5)


def random_adapter(encoder: MiniLmEncoder) -> dict[str, np.ndarray]:
    draws = np.random.default_rng(0)
    fresh = encoder.fresh_adapter(rank=2, seed=0)
    return {name: (0.05 * draws.standard_normal(values.shape)).astype(np.float32) for name, values in fresh.items()}


def test_without_an_adapter_vectors_are_those_of_the_published_model(encoder: MiniLmEncoder) -> None:
    tokens, mask = tokens_of(QUESTIONS, MINILM.tokenizer)

    vectors = encoder.embedded(encoder.states(tokens, mask), mask, encoder.fresh_adapter(rank=2, seed=0))

    assert vectors == pytest.approx(MINILM.embed(QUESTIONS), abs=2e-3)  # states are kept in half precision


def test_a_saved_adapter_gives_the_vectors_that_training_saw(encoder: MiniLmEncoder, tmp_path: Path) -> None:
    tokens, mask = tokens_of(QUESTIONS, MINILM.tokenizer)
    adapter = random_adapter(encoder)
    save_adapter(adapter, tmp_path / "adapter.safetensors")
    embedder = MiniLmEmbedder({}, query_adapter=tmp_path / "adapter.safetensors")

    vectors = encoder.embedded(encoder.states(tokens, mask), mask, adapter)

    stored = np.stack([embedder.embed_query(question) for question in QUESTIONS])
    assert stored == pytest.approx(vectors, abs=5e-3)
    assert np.abs(stored - MINILM.embed(QUESTIONS)).max() > 0.01
    assert np.array_equal(embedder.embed(TEXTS), MINILM.embed(TEXTS))


def test_training_brings_questions_to_the_chunks_that_answer_them() -> None:
    examples = tuple(
        QueryExample("book", question, "rule", np.asarray([gold]))
        for question, gold in zip(QUESTIONS, (0, 1, 0), strict=True)  # wrong ones, which nothing but training can find
    )
    training = Training(examples, {"book": MINILM.embed(TEXTS)})
    settings = QuerySettings(first_layer=5, rank=4, epochs=60, rate=5e-3, drift=0.0)
    trainer = QueryTrainer(training, MINILM.weights, MINILM.tokenizer, settings)
    books = frozenset({"book"})

    adapter = trainer.adapter(books)

    assert [rank for _, rank in trainer.ranks(books, {})] != [1, 1, 1]
    assert [rank for _, rank in trainer.ranks(books, adapter)] == [1, 1, 1]
    again = trainer.adapter(books)
    assert all(np.array_equal(adapter[name], again[name]) for name in adapter)
    with pytest.raises(FittingError, match="nothing can be learned"):
        trainer.adapter(frozenset({"another"}))


def test_every_book_is_scored_and_later_asked_by_an_adapter_that_did_not_learn_from_it(small_sets, tmp_path):
    embedder, data = MiniLmEmbedder({}), tmp_path / "data"
    shutil.copytree(small_sets / "armoury", data / "armoury")
    shutil.copytree(data / "armoury" / "arms", data / "armoury" / "knives")
    questions = (data / "armoury" / "arms.open.jsonl").read_text("utf-8").replace("arms", "knives")
    (data / "armoury" / "knives.open.jsonl").write_text(questions.replace("what is the price of a", "cost:"), "utf-8")

    report = fit_queries(tmp_path, data, "open", embedder)

    assert [(row.kind, row.n) for row in report.hits] == [("matrix-lookup", 10)]
    arms, knives = (embedder_without(tmp_path, book, embedder) for book in ("arms", "knives"))
    assert not np.array_equal(arms.embed_query(QUESTIONS[0]), knives.embed_query(QUESTIONS[0]))
    assert embedder_without(tmp_path, "another", embedder) is embedder


def test_the_sample_is_not_learned_from_and_one_book_cannot_be_held_out(small_sets: Path, tmp_path: Path) -> None:
    with pytest.raises(FittingError, match="questions to two books or more"):
        fit_queries(tmp_path, small_sets, "open", MiniLmEmbedder({}))


def test_another_embedder_has_no_adapter(small_sets: Path, tmp_path: Path) -> None:
    from retrieval.index.embedding.embedders import load_embedder

    with pytest.raises(FittingError, match="the embedder is wordllama"):
        fit_queries(tmp_path, small_sets, "open", load_embedder("wordllama"))


def test_the_page_shows_what_was_held_out() -> None:
    report = QueriesReport({}, (VectorHits("rule", 4, (0.25, 0.5, 1.0), (0.5, 0.75, 1.0)),))

    assert "| rule | 4 | 0.250 / 0.500 / 1.000 | 0.500 / 0.750 / 1.000 |" in report.page()
    assert report.to_json()["hits"][0]["n"] == 4


def test_no_stream_of_a_process_is_closed_when_logging_is_configured_after_optax_was_loaded() -> None:
    code = (
        "import io, logging.config, sys; began_with, sys.stderr = sys.stderr, io.StringIO(); captured = sys.stderr; "
        "from tools.fit.minilm import optax_library; optax_library(); "
        "sys.stderr = began_with; logging.config.dictConfig({'version': 1}); print(captured.closed, sys.stderr.closed)"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.split() == ["False", "False"]
