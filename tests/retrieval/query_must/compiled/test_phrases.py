from hypothesis import given
from hypothesis import strategies as st

from retrieval.query_must.compiled.phrases import PhraseTable

WORDS = st.sampled_from(["a", "b", "ab", "é", "日本", "-2"])


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), unique=True, max_size=10),
    st.lists(WORDS, max_size=12),
)
def test_it_finds_each_term_that_stands_on_word_boundaries(terms, tokens):
    found = {terms[n] for n in PhraseTable(terms).find(tokens)}
    padded = f" {' '.join(tokens)} "
    assert found == {term for term in terms if f" {term} " in padded}


def test_a_term_that_stands_twice_comes_twice():
    assert list(PhraseTable(["a", "b a"]).find(["a", "b", "a"])) == [0, 1, 0]


def test_it_survives_the_disk(tmp_path):
    PhraseTable(["ac 6", "日本"]).save(tmp_path / "terms.json")
    assert list(PhraseTable.load(tmp_path / "terms.json").find(["日本", "ac", "6"])) == [1, 0]
