import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.words.heading_index import HeadingIndex

HEADINGS = [
    [["wall", "of", "fire"], ["spells"]],
    [["fire"]],
    [["wall", "of", "ice"], []],
    [],
]
words = st.lists(st.sampled_from("abcd"), max_size=3)


@pytest.fixture
def index():
    return HeadingIndex.build(HEADINGS)


def said(index, question):
    positions, weights = index.said(dict.fromkeys(question.split(), 1.0))
    return dict(zip(positions.tolist(), weights.tolist(), strict=True))


def test_a_heading_is_said_in_any_order_of_its_words(index):
    assert said(index, "a fire that stands like a wall of stone") == {0: 3.0, 1: 1.0}


def test_a_heading_of_which_a_word_is_missing_is_not_said(index):
    assert said(index, "a wall of stone") == {}


def test_nothing_is_said_where_there_are_no_headings():
    assert said(HeadingIndex.build([[], []]), "a wall") == {}


@given(st.lists(st.lists(words, max_size=3), max_size=6), st.sets(st.sampled_from("abcd")))
def test_a_word_counts_once_a_chunk_as_in_a_plain_loop(headings, question):
    weights = {word: float(1 + ord(word)) for word in sorted(question)}
    plain = {}
    for chunk, cut in enumerate(headings):
        counted = {word for heading in cut if heading and question >= set(heading) for word in heading}
        if counted:
            plain[chunk] = sum(weights[word] for word in counted)
    positions, found = HeadingIndex.build(headings).said(weights)

    assert dict(zip(positions.tolist(), found.tolist(), strict=True)) == plain


def test_a_saved_index_reads_back(index, tmp_path):
    index.save(tmp_path)

    assert said(HeadingIndex.load(tmp_path), "wall of ice") == said(index, "wall of ice") == {2: 3.0}
