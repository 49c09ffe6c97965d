import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.index.words.selection import Selection
from retrieval.index.words.tokenizer import tokens
from retrieval.index.words.value_index import ValueIndex
from retrieval.ragged import RaggedArray
from tests.retrieval.index.words.test_value_index import CHUNKS, NAMES

WORDS = st.lists(st.sampled_from(["ac", "6", "orc", "level", "45", "3-0", "heavy"]), max_size=6)
SIZE = 300


def chosen(size):
    return st.sets(st.integers(0, size - 1)).map(sorted)


@given(chosen(SIZE), st.lists(st.integers(0, SIZE - 1), max_size=12))
def test_it_meets_what_is_selected_and_nothing_else(selected, documents):
    selection = Selection.of([np.asarray(selected, dtype=np.int64)], SIZE)

    which, places = selection.meet(np.asarray(documents, dtype=np.int64))

    assert selection.positions.tolist() == selected
    assert which.tolist() == [at for at, each in enumerate(documents) if each in selected]
    assert selection.positions[places].tolist() == [each for each in documents if each in selected]


def test_a_short_list_and_a_long_one_meet_it_alike():
    selection = Selection.of([np.arange(0, SIZE, 2)], SIZE)
    short, long = np.asarray([7, 8]), np.arange(SIZE)

    assert [each.tolist() for each in selection.meet(short)] == [[1], [4]]
    assert selection.meet(long)[0].tolist() == selection.positions.tolist()


def test_lists_of_two_indexes_are_not_taken_for_one_another():
    selection = Selection.of([np.asarray([1, 2])], SIZE)
    one, other = RaggedArray.build([[1]], np.int32), RaggedArray.build([[2, 3]], np.int32)

    for _ in range(2):
        assert selection.meet_list(one, 0)[1].tolist() == [0]
        assert selection.meet_list(other, 0)[1].tolist() == [1]


@given(st.lists(WORDS.map(" ".join), min_size=1, max_size=8), WORDS, st.data())
def test_scores_of_some_documents_are_those_that_they_have_among_all(texts, asked, data):
    index, weights = LexicalIndex.build(texts), {word: 0.1 * (at + 1) for at, word in enumerate(dict.fromkeys(asked))}
    some = Selection.of([np.asarray(data.draw(chosen(len(texts))), dtype=np.int64)], len(texts))

    assert index.scores(" ".join(asked), some).tolist() == index.scores(" ".join(asked))[some.positions].tolist()
    covered = index.words.covered(weights.items())
    assert index.words.covered(weights.items(), some).tolist() == covered[some.positions].tolist()


@given(WORDS, chosen(len(CHUNKS)))
def test_quotes_of_some_chunks_are_those_that_they_have_among_all(words, selected):
    index, weights = ValueIndex.build(CHUNKS, NAMES, tokens), {word: 0.1 * (at + 1) for at, word in enumerate(words)}
    some = Selection.of([np.asarray(selected, dtype=np.int64)], len(CHUNKS))

    whole, found = index.quotes(words, weights), index.quotes(words, weights, some)

    inside = np.isin(whole.positions, some.positions)
    assert found.positions.tolist() == whole.positions[inside].tolist()
    for name in ("name", "cell", "figure"):
        assert getattr(found, name).tolist() == getattr(whole, name)[inside].tolist()
