from dataclasses import replace

import numpy as np
import pytest

from evals.noise import (
    AnswerSimilarity,
    Relatives,
    Surroundings,
    cross_book_contamination,
    excluded_gold,
    guarded_noise,
    lost_gold,
    no_answer_accuracy,
    noise,
    refused_gold,
    useful,
    wrong_row,
)
from retrieval.index.graph_building import build_graph
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import EmbedderIdentity
from tests.chunks import EMPTY


@pytest.fixture
def relatives(make_chunk):
    """Two tables with one signature (a, b), one without twins (c), prose, and a record."""
    chunks = [make_chunk(f"a{n}", table_id="a", signature="level ac", query_must='["ac"]') for n in range(3)]
    chunks += [make_chunk(f"b{n}", table_id="b", signature="level ac", book="other") for n in range(3)]
    chunks += [make_chunk(f"c{n}", table_id="c") for n in range(3)]
    chunks += [
        make_chunk("prose", kind="prose", signature="level ac", table_id="a"),
        make_chunk("record", kind="record"),
    ]
    return Relatives.of(chunks)


def test_noise_is_rows_of_the_golds_table_and_its_twins_that_are_not_gold(relatives):
    assert noise(["a0", "a1", "b0", "c0", "prose", "record", "b1"], ["a0"], relatives) == len(["a1", "b0", "b1"])
    assert noise(["a0", "a1", "b0"], ["a0", "b0"], relatives) == len(["a1"])
    assert noise(["a0", "c0", "c1"], ["c2"], relatives) == len(["c0", "c1"])


def test_noise_is_guarded_chunks_among_the_first_k_and_prose_gold_has_none(relatives):
    assert noise(["a1", "c0", "b0"], ["a0"], relatives, cutoff=2) == 1
    assert noise(["a0", "a1", "b0"], ["prose"], relatives) == 0
    assert wrong_row(["a0"], ["prose"], relatives) is None
    assert noise(["a0", "b0", "a1", "c0", "prose"], [], relatives) == len(["a0", "a1"])
    assert guarded_noise(["a0", "a1", "a2", "b0"], ["a0"], relatives) == len(["a1", "a2"])


def test_the_wrong_row_is_a_sibling_in_the_first_place(relatives):
    assert wrong_row(["b0", "a0"], ["a0"], relatives) == 1
    assert wrong_row(["a0", "b0"], ["a0"], relatives) == 0
    assert wrong_row(["c0", "b0"], ["a0"], relatives) == 0
    assert wrong_row([], ["a0"], relatives) == 0


def test_excluded_gold_is_what_the_receipt_says(relatives, make_retrieval):
    retrieval = make_retrieval("a0", relatives.chunks, excluded="a2 a1")
    assert excluded_gold(["a1", "a2", "a0", "b0"], retrieval) == ("a1", "a2")


def test_lost_gold_is_seen_from_the_rankings_alone():
    assert lost_gold(["g", "h"], ["x", "g", "h"], ["x", "h"]) == ("g",)
    deep = [f"x{n}" for n in range(15)]
    assert lost_gold(["g"], [*deep[:14], "g"], []) == ("g",)
    assert lost_gold(["g"], [*deep, "g"], []) == (), "below the first 15 a shift of scores may be the reason"


def test_refused_gold_is_gold_whose_own_predicate_the_question_fails(relatives):
    query = []

    def admits(question, query_must):
        query.append((question, query_must))
        return False

    assert refused_gold("what?", ["a1", "a0", "b0", "unknown"], relatives, admits) == ("a0", "a1")
    assert query == [("what?", '["ac"]')] * 2


def test_contamination_is_the_share_of_hits_from_other_books(relatives):
    assert cross_book_contamination(["a0", "b0", "b1"], "b", relatives) == 2 / 3
    assert cross_book_contamination([], "b", relatives) == 0


def test_no_answer_is_right_if_nothing_is_returned():
    assert no_answer_accuracy([]) == 1
    assert no_answer_accuracy(["a0"]) == 0


class WordEmbedder:
    """One dimension a word of `words`; counts the texts it embedded."""

    identity = EmbedderIdentity("words", "1", 3)

    def __init__(self, words):
        self.words, self.embedded = words.split(), []

    def embed_query(self, query):
        return self.embed([query])[0]

    def embed(self, texts):
        self.embedded += texts
        counts = np.array([[text.split().count(word) for word in self.words] for text in texts], dtype=np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def test_answer_similarity_is_the_best_cosine_among_the_first_k(make_chunk):
    chunks = [make_chunk("x", text="roll six"), make_chunk("y", text="roll"), make_chunk("z", text="ogre")]
    embedder = WordEmbedder("roll six ogre")
    similarity = AnswerSimilarity(embedder, Relatives.of(chunks))
    assert similarity("roll", ["z", "x"]) == pytest.approx(1 / 2**0.5)
    assert similarity("roll", ["z", "y", "x"]) == pytest.approx(1)
    assert similarity("roll", []) is None
    assert embedder.embedded == ["roll", "ogre", "roll six", "roll", "roll"], "chunks are embedded once"


LIBRARY = {
    "title": replace(EMPTY, heading_path=("Book",)),
    "combat": replace(EMPTY, heading_path=("Book", "Combat"), position=1),
    "lead": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=2, source="add strength"),
    "ac 5": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=3, kind="row", table_id="attacks"),
    "ac 6": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=4, kind="row", table_id="attacks"),
    "legend": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=5, text="See Turning."),
    "turning": replace(EMPTY, heading_path=("Book", "Turning"), position=6),
    "str 3": replace(EMPTY, heading_path=("Book", "Strength"), position=7, kind="row", table_id="s", row_key="Might"),
    "might": replace(EMPTY, heading_path=("Book", "Might"), position=8),
    "other": replace(EMPTY, heading_path=("Book", "Other"), position=9),
}
CHUNKS = [replace(LIBRARY[name], id=name) for name in sorted(LIBRARY)]
SURROUNDINGS = Surroundings.of(CHUNKS, build_graph(CHUNKS, np.eye(10, 16, dtype="f4"), Vocabulary.default()))


def test_what_stands_beside_a_row_and_nothing_beside_prose() -> None:
    assert SURROUNDINGS.beside(["ac 6"]) == {"lead", "legend", "combat", "turning", "str 3"}
    assert SURROUNDINGS.beside(["str 3"]) == {"might", "title"}
    assert SURROUNDINGS.beside(["turning"]) is None
    assert useful(["turning"], ["turning"], SURROUNDINGS) is None


@pytest.mark.parametrize(
    ("ranking", "n"),
    [(["ac 6", "ac 5", "lead", "other"], 2), (["ac 5", "other", "might"], 0), (["other"] * 15 + ["ac 6"], 0)],
)
def test_the_share_is_of_the_places_shown_and_rows_of_the_same_table_do_not_count(ranking, n):
    assert useful(ranking, ["ac 6"], SURROUNDINGS) == n / 15
