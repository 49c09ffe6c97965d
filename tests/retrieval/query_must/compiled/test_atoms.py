from hypothesis import given
from hypothesis import strategies as st

from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.query_must.compiled.atoms import IntervalIndex, PhraseTable

ENDS = st.integers(-5, 5).map(float) | st.sampled_from([float("-inf"), float("inf"), 0.5])
ENTRIES = st.lists(st.tuples(st.sampled_from(["", "ac", "level"]), ENDS, ENDS), max_size=12).map(
    lambda rows: [(label, min(ends), max(ends), n) for n, (label, *ends) in enumerate(rows)]
)


@given(ENTRIES, st.sampled_from(["", "ac", "level", "hp"]), ENDS, ENDS)
def test_it_finds_what_asking_each_interval_finds(entries, label, one, other):
    low, high = min(one, other), max(one, other)
    overlapping = IntervalIndex.build(entries).overlapping(label, low, high)
    assert sorted(overlapping.tolist()) == [n for name, a, b, n in entries if name == label and a <= high and low <= b]


def test_it_survives_the_disk(tmp_path):
    index = IntervalIndex.build([("ac", 1.0, 3.0, 7), ("ac", 2.0, float("inf"), 8), ("", 0.0, 0.0, 9)])
    save_arrays(tmp_path, index)
    again = load_arrays(tmp_path, IntervalIndex)
    assert sorted(again.overlapping("ac", 3.0, 3.0).tolist()) == [7, 8]
    assert again.overlapping("", 0.0, 0.0).tolist() == [9]


WORDS = st.sampled_from(["a", "b", "ab", "é", "日本", "-2"])


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), unique=True, max_size=10),
    st.lists(WORDS, max_size=12),
)
def test_it_finds_each_term_that_stands_on_word_boundaries(terms, tokens):
    result = {terms[n] for n in PhraseTable.of(terms).find(tokens)}
    padded = f" {' '.join(tokens)} "
    assert result == {term for term in terms if f" {term} " in padded}


def test_a_term_that_stands_twice_comes_twice():
    assert list(PhraseTable.of(("a", "b a")).find(["a", "b", "a"])) == [0, 1, 0]


def test_it_survives_the_disk_phrases(tmp_path):
    save_arrays(tmp_path, PhraseTable.of(("ac 6", "日本")))
    assert list(load_arrays(tmp_path, PhraseTable).find(["日本", "ac", "6"])) == [1, 0]
