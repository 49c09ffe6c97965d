import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.words.word_index import WordIndex

words = st.lists(st.sampled_from(["ac", "6", "é", "orc", "\ud800"]), max_size=6)


def test_a_word_is_found_in_the_documents_that_hold_it():
    index = WordIndex.build([["ac", "6", "ac"], [], ["orc", "6"]])

    assert [documents.tolist() for documents in index.postings(["6", "nothing", "ac"])] == [[0, 2], [], [0]]
    assert index.covered([("ac", 2.0), ("6", 0.5)]).tolist() == [2.5, 0.0, 0.5]


@given(st.lists(words, max_size=8), words)
def test_what_is_covered_is_what_a_plain_loop_counts(documents, asked):
    weights = {word: 1.0 + place for place, word in enumerate(dict.fromkeys(asked))}
    plain = [sum(weight for word, weight in weights.items() if word in document) for document in documents]

    assert WordIndex.build(documents).covered(weights.items()).tolist() == plain


def test_a_saved_index_reads_back(tmp_path):
    index = WordIndex.build([["ac", "6"], ["é"]])
    index.save(tmp_path)
    loaded = WordIndex.load(tmp_path)

    assert loaded.n_documents == 2
    assert np.array_equal(loaded.documents.items, index.documents.items)
    assert loaded.postings(["é"])[0].tolist() == [1]
