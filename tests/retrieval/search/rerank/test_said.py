from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ragged import RaggedArray
from retrieval.search.rerank.asked import Asked
from retrieval.search.rerank.said import SLOTS, STRETCH, look

RARITY = np.asarray([1.0, 2.0, 3.0, 4.0, 5.0])


def asks(*words):
    """Distinct words asked one after the other, each as rare as `RARITY` says."""
    order = sorted(words)
    place = {word: number for number, word in enumerate(order)}
    pairs = np.zeros((len(words), len(words)))
    for first, second in pairwise(words):
        pairs[place[first], place[second]] = min(RARITY[first], RARITY[second])
    return Asked(np.asarray(order, dtype=np.int64), RARITY[order], pairs, (), frozenset())


def fields(*texts, asked, cells=None):
    slot = None if cells is None else np.asarray([cell for each in cells for cell in each], dtype=np.int16)
    return look(RaggedArray.build(texts, np.int32), np.arange(len(texts)), asked, RARITY, slot)


def test_what_is_said_is_marked_word_by_word():
    field = fields([3, 0], [], [-1, 1], asked=asks(0, 1))

    assert field.said(2).tolist() == [[True, False], [False, False], [False, True]]
    assert field.size.tolist() == [2, 0, 2]


def test_the_share_of_a_field_is_by_weight_and_an_unknown_word_is_as_rare_as_any():
    field = fields([0, 2], [], [2, -1], asked=asks(2))

    assert field.share().tolist() == [3 / 4, 0.0, 3 / 8]


def test_candidates_are_looked_up_by_their_keys():
    words = RaggedArray.build([[0], [1], [2, 3]], np.int32)
    field = look(words, np.asarray([2, 0, 2]), asks(3), RARITY)

    assert field.said(1).tolist() == [[True], [False], [True]]


def test_pairs_stand_in_the_order_of_the_question_and_within_one_field():
    asked = asks(0, 1)
    field = fields([0, 1], [1, 0], [0], [1], [0, 4, 1], asked=asked)

    assert (field.pairs(asked) @ asked.pairs.ravel()).tolist() == [1.0, 0, 0, 0, 0]


def test_a_cell_is_said_whole_if_every_word_of_it_is():
    field = fields([0, 1, 2], [0, 1], asked=asks(0, 1), cells=[[0, 0, 1], [0, 1]])
    slots = field.slots()

    assert np.flatnonzero(slots.whole).tolist() == [0, SLOTS, SLOTS + 1]
    assert slots.best(np.where(slots.whole, slots.weight, 0.0)).tolist() == [3.0, 2.0]


def test_the_share_of_a_cell_is_what_is_said_of_it_times_its_weight():
    slots = fields([0, 1, -1, 3], asked=asks(0, 1), cells=[[0, 0, 0, 1]]).slots()

    assert slots.best(slots.shares) == pytest.approx([3 * 2 / 3])


def test_cells_beyond_those_that_are_told_apart_count_as_the_last():
    slots = fields([0, 1], asked=asks(0), cells=[[SLOTS + 5, SLOTS - 1]]).slots()

    assert np.flatnonzero(slots.size).tolist() == [SLOTS - 1]
    assert not slots.whole.any()


def test_a_question_without_words_is_said_nowhere():
    asked = asks()
    field = fields([0, 1], [], asked=asked, cells=[[0, 1], []])

    assert field.said(0).shape == (2, 0)
    assert field.pairs(asked).shape == (2, 0)
    assert field.share().tolist() == [0, 0]


texts = st.lists(st.lists(st.integers(-1, 4), max_size=5), min_size=1, max_size=4)


@given(texts, st.permutations(range(5)), st.integers(0, 5))
def test_marks_and_pairs_are_those_of_a_plain_loop(words, order, asked_words):
    asked = asks(*order[:asked_words])
    field = fields(*words, asked=asked)
    t = len(asked.words)
    marks = [[int(word) in text for word in asked.words] for text in words]
    pairs = [
        sum(
            float(asked.pairs[i, j])
            for i in range(t)
            for j in range(t)
            if (int(asked.words[i]), int(asked.words[j])) in set(pairwise(text))
        )
        for text in words
    ]

    assert field.said(t).tolist() == marks
    assert field.pairs(asked) @ asked.pairs.ravel() == pytest.approx(pairs)


def test_words_that_stand_together_are_worth_more_than_the_same_words_far_apart():
    asked = asks(0, 1)
    far = [0, *[4] * 3 * STRETCH, 1]
    field = fields([4, 0, 4, 1], far, [], [0], asked=asked)

    assert field.densest(asked).tolist() == [3.0, 2.0, 0.0, 1.0]


@given(st.lists(st.lists(st.integers(-1, 4), max_size=5 * STRETCH), min_size=1, max_size=3))
def test_the_best_stretch_is_that_of_a_plain_loop(words):
    asked = asks(3, 1, 0)
    plain = [
        max(
            sum(RARITY[word] for word in asked.words if word in text[start : start + 2 * STRETCH])
            for start in range(0, max(len(text), 1), STRETCH)
        )
        for text in words
    ]

    assert fields(*words, asked=asked).densest(asked) == pytest.approx(plain)


def test_words_within_a_stretch_s_half_of_each_other_are_always_together():
    asked = asks(0, 1)
    for before in range(3 * STRETCH):
        text = [4] * before + [0] + [4] * (STRETCH - 1) + [1]
        assert fields(text, asked=asked).densest(asked).tolist() == [3.0]


def test_a_question_without_words_has_no_stretch():
    assert fields([0, 1], [2], asked=asks()).densest(asks()).tolist() == [0, 0]
