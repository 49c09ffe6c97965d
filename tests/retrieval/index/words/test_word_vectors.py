import numpy as np
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.index.term_table import TermTable
from retrieval.index.words.tokenizer import tokens
from retrieval.index.words.word_model import WORDS
from retrieval.index.words.word_vectors import WordVectors

TEXTS = ["Vehicles and a vehicle: 12 tons.", "The vehicle's ship, a vessel", "vehicles, vehicles!"]
TERMS = TermTable.build(sorted({word.encode() for text in TEXTS for word in tokens(text)}))


@pytest.fixture
def index():
    return WordVectors.build(TEXTS, TERMS, tokens)


def test_a_term_has_the_vector_of_the_word_that_is_written_most(index):
    (stem,) = set(tokens("vehicles"))

    assert stem not in {"vehicle", "vehicles"}
    found = index.of(np.asarray([TERMS.position(stem)]))[0]
    assert found == pytest.approx(WORDS.embed_one("vehicles"), abs=1e-3)
    assert found != pytest.approx(WORDS.embed_one(stem), abs=1e-2)


def test_words_of_one_meaning_are_near_and_numbers_are_like_nothing(index):
    ship, vessel, tons, number = index.of(
        np.asarray([TERMS.position(*tokens(word)) for word in ("ship", "vessel", "tons", "12")])
    )

    assert ship @ vessel > ship @ tons
    assert not number.any()


def test_a_library_without_words_has_no_vectors(tmp_path):
    WordVectors.build([], TermTable.build([]), tokens).save(tmp_path)

    assert WordVectors.load(tmp_path).vectors.shape == (0, WORDS.identity.dimensions)


def test_a_saved_index_reads_back(index, tmp_path):
    index.save(tmp_path)

    assert np.array_equal(WordVectors.load(tmp_path).vectors, index.vectors)


@pytest.mark.parametrize("shape", [(3,), (3, 7)])
def test_vectors_of_another_model_are_refused(tmp_path, shape):
    np.save(tmp_path / "vectors.npy", np.zeros(shape, dtype=np.float16))

    with pytest.raises(IndexCorruptError, match="build the index again"):
        WordVectors.load(tmp_path)


def test_vectors_come_back_as_the_same_singles():
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = np.resize(every[np.isfinite(every)], (-(-len(every) // 256), 256))
    found = WordVectors(halves).of(np.arange(len(halves)))

    assert found.dtype == np.float32
    assert np.array_equal(found.view(np.uint32), halves.astype(np.float32).view(np.uint32))
