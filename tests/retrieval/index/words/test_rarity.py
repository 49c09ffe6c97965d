import numpy as np
import pytest

from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.index.words.rarity import rarity


def weights(texts, of):
    index = LexicalIndex.build(texts)
    found = rarity(index, np.asarray(of, dtype=np.int32))
    return {text: found[index.terms.position(index.tokenize(text)[0])] for text in ("cleric", "ogre", "seven")}, found


ROWS = ["cleric seven", "cleric eight", "cleric nine", "ogre seven", "tavern ale"]


def test_what_heads_the_rows_of_one_table_is_as_rare_as_what_one_passage_says():
    by_table, _ = weights(ROWS, [0, 0, 0, 1, 2])

    assert by_table["cleric"] == pytest.approx(by_table["ogre"])
    assert by_table["seven"] < by_table["cleric"]


def test_chunks_that_stand_alone_weigh_by_how_many_have_the_word():
    alone, _ = weights(ROWS, range(5))

    assert alone["cleric"] == pytest.approx(np.log1p((5 - 3 + 0.5) / (3 + 0.5)))
    assert alone["ogre"] == pytest.approx(np.log1p((5 - 1 + 0.5) / (1 + 0.5)))


def test_a_word_that_the_index_does_not_have_is_as_rare_as_the_rarest():
    _, found = weights(ROWS, range(5))

    assert found[-1] == found[:-1].max()


def test_an_index_without_words_has_one_weight():
    assert rarity(LexicalIndex.build([""]), np.zeros(1, dtype=np.int32)).tolist() == [0.0]
