"""The training of the row reader, with the real model."""

from pathlib import Path

import numpy as np
import pytest

from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.rag.row_reader import RowReader, RowTokens
from tests.tools.fit.test_cells import examples
from tools.corpora.indexes import ROW_READERS, row_reader_without
from tools.fit.cells import NAMES, read_by_strangers
from tools.fit.logit import FittingError
from tools.fit.minilm import Settings, save_adapter
from tools.fit.row_reader import ReadRow, RowReaderTrainer

pytest.importorskip("jax", reason="JAX is in the extra `fit`")

MINILM = MiniLmEmbedder({}, query_adapter=None)
SETTINGS = Settings(first_layer=5, rank=2, epochs=3, rate=1e-2)
COLUMNS = ("Ship", "Captain", "Crew")


def rows(n: int) -> list[ReadRow]:
    """Questions whose answer is always the last cell."""
    texts = [
        (f"how many sail on ship{number}", (f"ship{number}", f"Ann B{number}", str(number))) for number in range(n)
    ]
    tokens = [RowTokens.of(question, COLUMNS, cells, MINILM.tokenizer) for question, cells in texts]
    return [ReadRow(each, np.asarray([0.0, 0.0, 1.0]), 1.0) for each in tokens]


def test_a_trained_reader_that_was_saved_finds_the_cell_that_training_wanted(tmp_path: Path) -> None:
    save_adapter(RowReaderTrainer(rows(40), MINILM.weights, SETTINGS).adapter(range(40)), tmp_path / "r.safetensors")

    scores = RowReader(tmp_path / "r.safetensors").scores("how many sail on ship77", COLUMNS, ("ship77", "Ann", "7"))

    assert scores.argmax() == 2
    assert scores[:2].max() < -1.0


def test_a_second_training_is_the_same_to_the_last_bit() -> None:
    first, second = (RowReaderTrainer(rows(20), MINILM.weights, SETTINGS).adapter(range(20)) for _ in range(2))

    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_nothing_is_trained_on_nothing() -> None:
    with pytest.raises(FittingError, match="there are none"):
        RowReaderTrainer([], MINILM.weights, SETTINGS).adapter([])
    with pytest.raises(FittingError, match="2 sources or more"):
        read_by_strangers(examples("a", 3), MINILM, Path("nowhere"), 0)


def test_an_example_is_read_by_a_reader_that_was_trained_without_its_source_and_so_is_its_book(tmp_path: Path) -> None:
    known = (*examples("a", 6), *examples("b", 6, seed=1))

    _, read = read_by_strangers(known, MINILM, tmp_path / ROW_READERS, 0)

    assert [each.source for each in read] == [each.source for each in known]
    for source in "ab":
        reader = row_reader_without(tmp_path, source)
        (first, *_) = [each for each in read if each.source == source]
        scores = reader.scores(first.question, first.columns, first.cells)
        assert np.array_equal(first.features[:, NAMES.index("read")], scores)
    assert len({str(row_reader_without(tmp_path, source).__dict__["_adapter"]) for source in "ab"}) == 2
