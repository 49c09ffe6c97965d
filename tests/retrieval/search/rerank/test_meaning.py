"""Similarity of questions to cells, headings and columns."""

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.candidates import Candidates
from retrieval.search.query import Query
from retrieval.search.rerank.meaning import STRETCH, meaning, read_with_prose, semantic_similarity
from retrieval.search.rerank.query_terms import ask
from retrieval.search.rerank.term_matches import match_terms
from tests.chunks import indexed
from tests.retrieval.search.conftest import CHUNK, ToyEmbedder


@pytest.fixture
def mean(snapshot):
    """Features of a row of gear, one of hulls and a passage, if no field says any word but those of `said`."""
    ids = ("gear-hemp rope", "hulls-K", "prose-001")
    numbers = snapshot.chunk_tables.of[snapshot.chunks.positions(list(ids))].astype(np.int64)
    tables, table_of = np.unique(numbers, return_inverse=True)

    def of(question, said=()):
        query = ask(snapshot, Query.ask(question, snapshot.vocabulary))
        words = [snapshot.lexical.terms.text_of(int(word)) for word in query.words]
        marks = np.tile(np.asarray([word in said for word in words], dtype=bool), (3, 1))
        return meaning(snapshot, question, query, tables, table_of, marks, marks)

    return of


def test_the_table_that_has_a_column_of_that_meaning_is_near(mean):
    result = mean("how heavy is it")["meaning"]

    assert result[0] > 0.2
    assert result[0] > result[1]
    assert result[2] == 0


def test_a_word_that_the_row_has_needs_no_column(mean):
    assert mean("weight")["meaning"][0] == pytest.approx(1.0)
    assert mean("weight", said=("weight",))["meaning"][0] == 0


def test_what_a_column_means_is_covered_though_no_field_says_it(mean):
    covered = mean("poison weight")["meaning_covered"]

    assert covered[0] > covered[1]
    assert covered[0] > covered[2] == 0
    assert covered[0] > mean("poison weight", said=("weight",))["meaning_covered"][0]


IDS = ("gear-hemp rope", "hulls-K", "prose-001")


def likeness(snapshot, question, ids, unsaid=False):
    """Features of these chunks; `unsaid` forgets which words they say as they are."""
    query = ask(snapshot, Query.ask(question, snapshot.vocabulary))
    positions = snapshot.chunks.positions(list(ids))
    candidates = Candidates.of(snapshot, Query.ask(question, snapshot.vocabulary), snapshot.vectors[0], positions)
    index = snapshot.fields
    rows = match_terms([index.key, index.cell, index.passage], candidates.positions, query, snapshot.rarity)
    heads = match_terms([index.caption, index.heading, index.column], candidates.tables, query, snapshot.rarity)
    row, head = rows.has_term().any(axis=0), heads.has_term().any(axis=0)[candidates.table_of]
    if unsaid:
        row, head = np.zeros_like(row), np.zeros_like(head)
    return semantic_similarity(snapshot, question, query, (rows, heads), 2, (0, 1, 2), (row, head), candidates)


@pytest.fixture
def like(snapshot):
    """Features of a row of gear, one of hulls and a passage."""
    return lambda question, ids=IDS, unsaid=False: likeness(snapshot, question, ids, unsaid)


def test_a_word_that_is_said_counts_whole(like):
    assert like("hemp rope")["alike_row"].tolist()[0] == pytest.approx(1.0)
    assert like("weight")["alike_head"].tolist()[0] == pytest.approx(1.0)
    assert like("weight")["alike_row"][0] < 1.0


def test_a_word_that_is_meant_counts_in_part_even_if_no_index_has_it(like, snapshot):
    (term,) = snapshot.lexical.tokenize("expensive")
    assert snapshot.lexical.terms.position(term) is None

    result = like("expensive")["alike"]

    assert 0 < result[0] < 1
    assert result[0] > result[1]


def test_the_row_and_its_headings_share_what_the_question_says(like):
    result = like("price of a hemp rope")

    assert result["alike"][0] > max(result["alike_row"][0], result["alike_head"][0])
    assert result["alike"][0] == result["alike"].max()


def test_numbers_are_like_themselves_alone(like):
    assert like("31 tons", unsaid=True)["alike_row"][1] == pytest.approx(like("30 tons", unsaid=True)["alike_row"][1])


@pytest.mark.parametrize("question", ["rope weight", "how heavy is the lantern of the zzyzx", "30 tons of ale"])
def test_what_a_candidate_says_does_not_depend_on_the_others(like, question):
    together = like(question)
    for position, each in enumerate(IDS):
        alone = like(question, ids=(each,))
        for name, values in together.items():
            assert alone[name][0] == pytest.approx(values[position], abs=1e-3), name


def test_a_word_that_says_little_in_any_text_is_no_loss(like):
    idle, telling = like("hemp rope anyway"), like("hemp rope hovercraft")

    assert idle["alike"][0] == pytest.approx(telling["alike"][0], abs=0.05)
    assert idle["told"][0] > 0.95 > telling["told"][0]
    assert idle["untold"][0] < 0.1 < telling["untold"][0]


def test_what_is_told_counts_words_whatever_their_share(like):
    assert like("hemp rope hovercraft submarine")["told_words"][0] > like("rope hovercraft")["told_words"][0]


def test_a_number_is_told_where_it_is_written(like):
    assert like("hulls of 30 tons")["untold_number"].tolist()[1] == 0.0
    assert like("hulls of 31 tons")["untold_number"].tolist()[1] == 1.0
    assert like("hemp rope")["untold_number"].tolist() == [0.0, 0.0, 0.0]


NUMBERS = ("17", "23", "41")
"""No number is like another, so that what a stretch says is what it writes."""


def random_passage(seed: int) -> list[str]:
    rng = random.Random(seed)
    return [rng.choice(("ale", "55", *NUMBERS) if rng.random() < 0.2 else ("ale",)) for _ in range(5 * STRETCH)]


PASSAGES = {f"random-{seed:02}": random_passage(seed) for seed in range(30)} | {
    f"beside-{before:02}": [*["ale"] * before, "17", *["ale"] * (STRETCH - 1), "23"] for before in range(3 * STRETCH)
}
PASSAGES |= {"far": ["17", *["ale"] * 3 * STRETCH, "23"], "one": ["17"], "none": ["ale"]}


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    chunks = [
        replace(CHUNK, id=name, kind="prose", search_text=" ".join(words), heading_path=("Taverns", name))
        for name, words in PASSAGES.items()
    ]
    with indexed(tmp_path_factory.mktemp("passages"), chunks, ToyEmbedder()) as retriever:
        yield retriever.snapshot


def together_in(snapshot: Snapshot, question: str, ids: list[str]) -> dict[str, float]:
    """How much of a question each passage says in one stretch."""
    positions = np.sort(snapshot.chunks.positions(ids))
    values = likeness(snapshot, question, ids=[snapshot.chunks[int(position)].id for position in positions])
    return {
        snapshot.chunks[int(position)].id: float(value)
        for position, value in zip(positions, values["alike_together"], strict=True)
    }


def test_the_best_stretch_is_that_of_a_plain_loop(passages: Snapshot) -> None:
    query = ask(passages, Query.ask(" ".join(NUMBERS), passages.vocabulary))
    weight = {word: float(query.weights[place]) / query.whole for word, place in query.known.items()}
    plain = {
        name: max(
            sum(weight[word] for word in NUMBERS if word in words[start : start + 2 * STRETCH])
            for start in range(0, len(words), STRETCH)
        )
        for name, words in PASSAGES.items()
    }

    assert set(weight) == set(NUMBERS)
    assert len({round(value, 6) for value in plain.values()}) > 4
    assert together_in(passages, " ".join(NUMBERS), list(PASSAGES)) == pytest.approx(plain, abs=1e-6)


def test_words_within_a_stretch_s_half_of_each_other_are_always_together(passages: Snapshot) -> None:
    ids = [name for name in PASSAGES if name.startswith("beside")]

    assert len(ids) == 3 * STRETCH
    assert together_in(passages, "17 23", ids) == pytest.approx(dict.fromkeys(ids, 1.0))


def test_words_that_stand_together_are_worth_more_than_the_same_words_far_apart(passages: Snapshot) -> None:
    together = together_in(passages, "17 23", ["beside-00", "far", "one", "none"])

    assert together["beside-00"] == pytest.approx(1.0)
    assert 1.0 > together["far"] >= together["one"] > together["none"] == 0


def test_a_question_without_words_has_no_stretch(passages: Snapshot) -> None:
    assert together_in(passages, "?!", ["far", "none"]) == {"far": 0, "none": 0}


def test_a_row_is_read_with_the_prose_of_its_section_and_prose_by_itself():
    output = np.asarray([[1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    read = read_with_prose(output, np.asarray([0, 0, 0, 1]), np.asarray([True, False, False, True]))

    assert read.tolist() == [[1.0, 0.5, 1.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
