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

from evals.benchmarks.sets import read_benchmark
from evals.questions.questions import load_questions
from retrieval.errors import IndexCorruptError
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.words.lexical_index import LexicalIndex, lexical_fingerprint
from retrieval.index.words.tokenizer import Tokenization, question_tokenizer, tokenizer
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

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
    index.save(tmp_path)
    loaded = LexicalIndex.load(tmp_path)
    for query in ("armor 6", "été", "衣", "unknown", ""):
        assert np.array_equal(loaded.scores(query), index.scores(query))
    assert isinstance(loaded.weights.base, np.memmap)
    assert (loaded.n_terms, loaded.n_postings, loaded.n_documents) == (5, 5, 3)


@pytest.mark.parametrize("texts", [[], ["", " "]])
def test_texts_without_tokens_score_zero(texts: list[str], tmp_path: Path) -> None:
    LexicalIndex.build(texts).save(tmp_path)
    assert np.array_equal(LexicalIndex.load(tmp_path).scores("armor"), np.zeros(len(texts)))


def test_a_missing_or_foreign_file_is_a_corrupt_index(tmp_path: Path) -> None:
    LexicalIndex.build(["armor"]).save(tmp_path)
    (tmp_path / "weights.npy").write_bytes(b"not an array")
    with pytest.raises(IndexCorruptError, match=r"weights\.npy"):
        LexicalIndex.load(tmp_path)
    (tmp_path / "weights.npy").unlink()
    with pytest.raises(IndexCorruptError, match="build the index again"):
        LexicalIndex.load(tmp_path)


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
        assert np.abs(index.scores(question) - reference.get_scores(ask(question))).max() < 1e-9


def test_scores_are_okapi_bm25s_on_the_sample(sample: Home) -> None:
    snapshot = open_snapshot(sample.root)
    questions = [question.query for path in sample.settings.questions for question in load_questions(path)]
    assert len(questions) > 10
    agrees_with_okapi([chunk.search_text for chunk in snapshot.chunks], questions)


@pytest.mark.data
@pytest.mark.skipif("QUERYMUST_DATA" not in os.environ, reason="QUERYMUST_DATA names no folder")
def test_scores_are_okapi_bm25s_on_scifact() -> None:
    folder = Path(os.environ["QUERYMUST_DATA"]) / "passages"
    (corpus,) = (each for each in read_benchmark("passages", folder, "open") if each.name == "scifact")
    with gzip.open(folder / "scifact.open.jsonl.gz", "rt") as file:
        questions = [json.loads(line)["query"] for line in file]
    agrees_with_okapi([chunk.search_text for chunk in corpus.chunks(Vocabulary.default())[::3]], questions[:100])
