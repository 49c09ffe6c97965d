from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.files.arrays import RaggedArray
from retrieval.search.rerank.query_terms import QueryTerms
from retrieval.search.rerank.term_matches import SLOTS, match_terms

RARITY = np.asarray([1.0, 2.0, 3.0, 4.0, 5.0, 5.0])
"""The last is of a word that the index does not have."""


def asks(*words):
    """Distinct words asked one after the other, each as rare as `RARITY` says."""
    order = sorted(words)
    key = {word: number for number, word in enumerate(order)}
    worth = np.zeros((len(words), len(words)))
    for first, second in pairwise(words):
        worth[key[first], key[second]] = min(RARITY[first], RARITY[second])
    pairs = np.full(worth.shape, -1)
    pairs[worth > 0] = np.arange(np.count_nonzero(worth))
    known = {str(word): number for word, number in key.items()}
    order = np.asarray(order, dtype=np.int64)
    return QueryTerms(
        known=known,
        words=order,
        weights=RARITY[order],
        strangers={},
        pairs=pairs,
        worth=worth[worth > 0],
        worth_of_all=worth.sum() or 1.0,
        behind=np.full(len(order), -1),
        figures=(),
    )


def fields(*texts, asked):
    """Two fields of the same candidates: one that is empty, and these texts."""
    empty = RaggedArray.build([[] for _ in texts], np.int32)
    return match_terms([empty, RaggedArray.build(texts, np.int32)], np.arange(len(texts)), asked, RARITY)


def cells(*texts, asked, of):
    """What is said of the cells of these texts; `of` says in which cell each word is."""
    return fields(*texts, asked=asked).cells(1, np.asarray([cell for each in of for cell in each], dtype=np.int16))


def test_a_part_of_a_longer_name_is_said_only_behind_the_part_before_it():
    query = replace(asks(0, 1), behind=np.asarray([-1, 0]))
    field = fields([0, 1], [1], [0, 3, 1], [0, 3, 3, 1], [2, 1, 0], asked=query)

    assert field.has_term()[1].tolist() == [[True, True], [False, False], [True, True], [True, False], [True, False]]


def test_the_part_before_it_stands_in_the_same_field():
    query = replace(asks(0, 1), behind=np.asarray([-1, 0]))
    words = [RaggedArray.build(texts, np.int32) for texts in ([[0], [3]], [[1], [0, 1]])]

    assert match_terms(words, np.arange(2), query, RARITY).has_term()[1].tolist() == [[False, False], [True, True]]


def test_the_share_of_a_field_is_by_weight_and_an_unknown_word_is_as_rare_as_any():
    field = fields([0, 2], [], [2, -1], asked=asks(2))

    assert field.shares(2).tolist() == [[0, 0, 0], [3 / 4, 0.0, 3 / 8]]


def test_only_the_first_fields_are_shared_where_no_more_are_wanted():
    words = [RaggedArray.build(texts, np.int32) for texts in ([[0, 2]], [[2]])]
    field = match_terms(words, np.asarray([0]), asks(2), RARITY)

    assert field.shares(1).tolist() == [[3 / 4]]
    assert field.shares(2).tolist() == [[3 / 4], [1.0]]


def test_a_pair_does_not_stand_across_two_fields():
    words = [RaggedArray.build(texts, np.int32) for texts in ([[0]], [[1]])]

    assert not match_terms(words, np.asarray([0]), asks(0, 1), RARITY).pairs().any()


def test_a_cell_is_said_whole_if_every_word_of_it_is():
    result = cells([0, 1, 2], [0, 1], [4], asked=asks(0, 1), of=[[0, 0, 1], [0, 1], [0]])

    assert result.whole.tolist() == [True, True, True]
    assert result.best(np.where(result.whole, result.weight, 0.0)).tolist() == [3.0, 2.0, 0.0]
    assert result.in_whole(2).tolist() == [[True, True], [True, True], [False, False]]


def test_the_share_of_a_cell_is_what_is_said_of_it_times_its_weight():
    result = cells([0, 1, -1, 3], asked=asks(0, 1), of=[[0, 0, 0, 1]])

    assert result.best(result.shares) == pytest.approx([3 * 2 / 3])
    assert not result.in_whole(2).any()


def test_cells_beyond_those_that_are_told_apart_count_as_the_last():
    result = cells([0, 1], asked=asks(0), of=[[SLOTS - 1, SLOTS + 5]])

    assert result.size.tolist() == [2]
    assert not result.whole.any()


def test_a_question_without_words_is_said_nowhere():
    field = fields([0, 1], [], asked=asks())

    assert field.has_term().shape == (2, 2, 0)
    assert field.pairs().shape == (2, 2, 0)
    assert field.shares(2).tolist() == [[0, 0], [0, 0]]
    assert cells([0, 1], [], asked=asks(), of=[[0, 1], []]).in_whole(0).shape == (2, 0)


texts = st.lists(st.lists(st.integers(-1, 4), max_size=5), min_size=1, max_size=4)


@given(texts, st.permutations(range(5)), st.integers(0, 5))
def test_marks_and_pairs_are_those_of_a_plain_loop(words, order, asked_words):
    query = asks(*order[:asked_words])
    field = fields(*words, asked=query)
    t = len(query.words)
    marks = [[int(word) in text for word in query.words] for text in words]
    pairs = [
        sum(
            float(query.worth[query.pairs[i, j]])
            for i in range(t)
            for j in range(t)
            if query.pairs[i, j] >= 0 and (int(query.words[i]), int(query.words[j])) in set(pairwise(text))
        )
        for text in words
    ]

    assert field.has_term()[1].tolist() == marks
    assert field.pairs()[1] @ query.worth == pytest.approx(pairs)
