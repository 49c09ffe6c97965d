from dataclasses import replace

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.files.array_folder import load_arrays
from retrieval.index.term_table import TermTable
from retrieval.index.words.word_vectors import WORD_EMBEDDER, ColumnIndex, WordVectors, telling
from retrieval.language.terms import tokens
from tests.chunks import EMPTY

TEXTS = ["Vehicles and a vehicle: 12 tons.", "The vehicle's ship, a vessel", "vehicles, vehicles!"]
TERMS = TermTable.build(sorted({word.encode() for text in TEXTS for word in tokens(text)}))


@pytest.fixture
def index():
    return WordVectors.build(TEXTS, TERMS, tokens)


def test_a_term_has_the_vector_of_the_word_that_is_written_most(index):
    (stem,) = set(tokens("vehicles"))

    assert stem not in {"vehicle", "vehicles"}
    result = index.of(np.asarray([TERMS.position(stem)]))[0]
    assert result == pytest.approx(WORD_EMBEDDER.embed_one("vehicles"), abs=1e-3)
    assert result != pytest.approx(WORD_EMBEDDER.embed_one(stem), abs=1e-2)


def test_words_of_one_meaning_are_near_and_numbers_are_like_nothing(index):
    ship, vessel, tons, number = index.of(
        np.asarray([TERMS.position(*tokens(word)) for word in ("ship", "vessel", "tons", "12")])
    )

    assert ship @ vessel > ship @ tons
    assert not number.any()


@pytest.mark.parametrize("shape", [(3,), (3, 7)])
def test_vectors_of_another_model_are_refused(tmp_path, shape):
    np.save(tmp_path / "vectors.npy", np.zeros(shape, dtype=np.float16))

    with pytest.raises(IndexCorruptError, match="build the index again"):
        load_arrays(tmp_path, WordVectors)


def test_vectors_come_back_as_the_same_singles():
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = np.resize(every[np.isfinite(every)], (-(-len(every) // 256), 256))
    result = WordVectors(halves).of(np.arange(len(halves)))

    assert result.dtype == np.float32
    assert np.array_equal(result.view(np.uint32), halves.astype(np.float32).view(np.uint32))


@pytest.mark.parametrize(("idle", "said"), [("just", "price"), ("somehow", "speed"), ("someone", "hotel")])
def test_a_word_of_any_text_tells_less_than_one_that_sets_texts_apart(idle: str, said: str) -> None:
    assert 0 <= telling(idle) < telling(said) <= 1


def test_a_word_of_several_tokens_tells_what_they_tell_together() -> None:
    assert WORD_EMBEDDER.count_tokens("hovercraft") > 1
    assert telling("hovercraft") == 1.0
    assert WORD_EMBEDDER.length_of("hovercraft") > max(
        WORD_EMBEDDER.length_of("hover"), WORD_EMBEDDER.length_of("craft")
    )


def test_no_word_tells_nothing() -> None:
    assert WORD_EMBEDDER.length_of("") == telling("") == 0.0


ROW = replace(EMPTY, kind="row", table_id="t", columns=("Weapon", "Weight"))
CHUNKS = [ROW, replace(ROW, table_id=None), ROW, replace(ROW, table_id="u", columns=("weight", " ", "Price"))]


@pytest.fixture
def columns():
    return ColumnIndex.build(CHUNKS, np.asarray([0, 1, 0, 2], dtype=np.int32))


def test_equal_names_of_different_case_are_one_and_empty_ones_none(columns):
    assert [columns.columns[table].tolist() for table in range(3)] == [[0, 1], [], [1, 2]]
    assert columns.vectors.shape == (3, WORD_EMBEDDER.identity.dimensions)


def test_a_word_is_nearest_to_the_column_that_means_it(columns):
    cosines = WORD_EMBEDDER.embed(["heavy", "cost"]) @ columns.vectors.T

    assert cosines.argmax(axis=1).tolist() == [1, 2]
