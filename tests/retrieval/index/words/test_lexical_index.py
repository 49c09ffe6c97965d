import gzip
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from evals.questions.questions import load_questions
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.files.arrays import RaggedArray
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.words.lexical_index import (
    LexicalIndex,
    Selection,
    WordIndex,
    lexical_fingerprint,
)
from retrieval.index.words.value_index import ValueIndex
from retrieval.language.terms import Tokenization, question_tokenizer, tokenizer, tokens
from retrieval.language.vocabulary import Vocabulary
from tests.retrieval.index.words.test_value_index import CHUNKS, NAMES
from tools.corpora.sets import read_benchmark

WORD = st.sampled_from(["ac", "cleric", "6", "7", "level", "hit", "roll", "armor", "the", "-2"])
TEXT = st.lists(WORD, max_size=12).map(" ".join)


@given(st.lists(TEXT, min_size=1, max_size=30).filter(any), TEXT)
def test_scores_are_okapi_bm25s(texts: list[str], query: str) -> None:
    reference = BM25Okapi([text.split() for text in texts])
    index = LexicalIndex.build(texts, tokenize=str.split)
    assert index.scores(query) == pytest.approx(reference.get_scores(query.split()), abs=1e-9)


def test_a_term_of_most_documents_has_okapis_floor_and_a_repeated_token_counts_twice() -> None:
    texts = ["the ac of it", "the level", "the level of the cleric", "nothing else here"]
    reference = BM25Okapi([text.split() for text in texts])
    index = LexicalIndex.build(texts, tokenize=str.split)
    once, twice = index.scores("the"), index.scores("the the")
    assert once[0] > 0
    assert twice == pytest.approx(2 * once)
    assert once == pytest.approx(reference.get_scores(["the"]), abs=1e-9)


def test_a_saved_index_scores_as_before_and_is_mapped(tmp_path: Path) -> None:
    index = LexicalIndex.build(["armor class 6", "", "armour été 衣"])
    save_arrays(tmp_path, index)
    loaded = LexicalIndex.load(tmp_path)
    for query in ("armor 6", "été", "衣", "unknown", ""):
        assert np.array_equal(loaded.scores(query), index.scores(query))
    assert isinstance(loaded.weights.base, np.memmap)
    assert (loaded.n_terms, loaded.n_postings, loaded.n_documents) == (5, 5, 3)


@pytest.mark.parametrize("texts", [[], ["", " "]])
def test_texts_without_tokens_score_zero(texts: list[str], tmp_path: Path) -> None:
    save_arrays(tmp_path, LexicalIndex.build(texts))
    assert np.array_equal(LexicalIndex.load(tmp_path).scores("armor"), np.zeros(len(texts)))


def test_two_cuts_that_differ_in_one_word_of_the_vocabulary_or_in_stems_have_two_fingerprints() -> None:
    texts, before = ["the scarab of the sun"], Vocabulary.default()
    after = before.merge(Vocabulary(aliases={"scarab": "beetle"}))
    cuts = [tokenizer(before), tokenizer(after), tokenizer(before, Tokenization(stem=False))]
    cuts += [tokenizer(before, Tokenization(stop=False)), str.split]
    fingerprints = [LexicalIndex.build(texts, cut).fingerprint for cut in cuts]
    assert len(set(fingerprints)) == len(cuts)
    assert fingerprints == [lexical_fingerprint(texts, cut) for cut in cuts]


def test_equal_vocabularies_have_one_fingerprint() -> None:
    texts, read = ["the scarab of the sun"], Vocabulary.from_json(Vocabulary.default().to_json())
    assert lexical_fingerprint(texts, tokenizer(read)) == lexical_fingerprint(texts, tokenizer(Vocabulary.default()))
    assert LexicalIndex.build(texts).fingerprint == lexical_fingerprint(texts, tokenizer(read))


def agrees_with_okapi(texts: list[str], questions: list[str]) -> None:
    vocabulary = Vocabulary.default()
    cut, ask = tokenizer(vocabulary), question_tokenizer(vocabulary)
    index = replace(LexicalIndex.build(texts, cut), ask=ask)
    reference = BM25Okapi([cut(text) for text in texts])
    for question in questions:
        assert np.abs(index.scores(question) - reference.get_scores(index.looked_for(question))).max() < 1e-9


def test_scores_are_okapi_bm25s_on_the_sample(sample: Home) -> None:
    snapshot = open_snapshot(sample.root)
    questions = [question.query for path in sample.settings.questions for question in load_questions(path)]
    assert len(questions) > 10
    agrees_with_okapi([chunk.search_text for chunk in snapshot.chunks], questions)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif("QUERYMUST_DATA" not in os.environ, reason="QUERYMUST_DATA names no folder")
def test_scores_are_okapi_bm25s_on_scifact() -> None:
    folder = Path(os.environ["QUERYMUST_DATA"]) / "passages"
    (corpus,) = (each for each in read_benchmark("passages", folder, "open") if each.name == "scifact")
    with gzip.open(folder / "scifact.open.jsonl.gz", "rt") as file:
        questions = [json.loads(line)["query"] for line in file]
    agrees_with_okapi([chunk.search_text for chunk in corpus.chunks(Vocabulary.default())[::3]], questions[:100])


WORDS = st.lists(st.sampled_from(["ac", "6", "orc", "level", "45", "3-0", "heavy"]), max_size=6)
SIZE = 300


def chosen(size):
    return st.sets(st.integers(0, size - 1)).map(sorted)


@given(chosen(SIZE), st.lists(st.integers(0, SIZE - 1), max_size=12))
def test_it_meets_what_is_selected_and_nothing_else(selected, documents):
    selection = Selection.of([np.asarray(selected, dtype=np.int64)], SIZE)

    which, places = selection.meet(np.asarray(documents, dtype=np.int64))

    assert selection.positions.tolist() == selected
    assert which.tolist() == [at for at, document in enumerate(documents) if document in selected]
    assert selection.positions[places].tolist() == [document for document in documents if document in selected]


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


@given(st.lists(WORDS, min_size=1, max_size=12), st.floats(0.1, 2.0))
def test_quotes_that_are_remembered_are_those_of_a_fresh_index(questions, scale):
    index = ValueIndex.build(CHUNKS, NAMES, tokens)
    for words in (*questions, *questions):
        weights = {word: scale * (at + 1) for at, word in enumerate(words)}
        fresh = ValueIndex.build(CHUNKS, NAMES, tokens).quotes(words, weights)

        for result in (index.quotes(words, weights), index.quotes(words, weights)):
            for name in ("positions", "name", "cell"):
                assert getattr(result, name).tolist() == getattr(fresh, name).tolist()


words = st.lists(st.sampled_from(["ac", "6", "é", "orc", "\ud800"]), max_size=6)


def test_a_word_is_found_in_the_documents_that_hold_it():
    index = WordIndex.build([["ac", "6", "ac"], [], ["orc", "6"]])

    assert [documents.tolist() for documents in index.postings(["6", "nothing", "ac"])] == [[0, 2], [], [0]]
    assert index.covered([("ac", 2.0), ("6", 0.5)]).tolist() == [2.5, 0.0, 0.5]


@given(st.lists(words, max_size=8), words)
def test_what_is_covered_is_what_a_plain_loop_counts(documents, asked):
    weights = {word: 1.0 + position for position, word in enumerate(dict.fromkeys(asked))}
    plain = [sum(weight for word, weight in weights.items() if word in document) for document in documents]

    assert WordIndex.build(documents).covered(weights.items()).tolist() == plain


def test_a_saved_index_reads_back(tmp_path):
    index = WordIndex.build([["ac", "6"], ["é"]])
    save_arrays(tmp_path, index)
    loaded = load_arrays(tmp_path, WordIndex)

    assert loaded.n_documents == 2
    assert np.array_equal(loaded.documents.items, index.documents.items)
    assert loaded.postings(["é"])[0].tolist() == [1]
