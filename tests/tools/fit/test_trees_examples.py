import json
from dataclasses import replace

import numpy as np
import pytest

from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Anchor, Question
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from tools.fit.trees import MOST_CANDIDATES, Example, examples_of

EMBEDDER = load_embedder("wordllama")
NAMES = ("less_covered", "is_row", "number_key")


def wide(n, gold=(), seed=0):
    values = np.random.default_rng(seed).random((n, 2)).astype(np.float32)
    marks = np.zeros(n, dtype=np.bool_)
    marks[list(gold)] = True
    # The first look falls, so the last candidates are its worst.
    return Example(
        "q", "lookup", values, marks, np.linspace(1, 0, n), np.arange(n), np.ones(n, dtype=np.bool_), np.zeros(n)
    )


@pytest.fixture(scope="module")
def chunks(make_chunk):
    def save(subject, level):
        must = json.dumps({"contain_one_of": [[subject]]})
        return make_chunk(
            f"{subject} level {level} poison {20 - level}",
            table_id=subject,
            row_key=str(level),
            columns=("level", "poison"),
            cells=(str(level), str(20 - level)),
            query_must=must,
        )

    rows = [save(subject, level) for subject in ("fighter", "cleric") for level in range(1, 6)]
    return (*rows, *(make_chunk(f"ale and song {number}", kind="prose") for number in range(4)))


@pytest.fixture(scope="module")
def retriever(tmp_path_factory, chunks):
    home = tmp_path_factory.mktemp("examples")
    vectors = EMBEDDER.embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(home, chunks, vectors, EMBEDDER.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        yield Retriever(snapshot, EMBEDDER)


@pytest.fixture(scope="module")
def question_set(chunks):
    def question(name, query, snippet=None, **given):
        gold = () if snippet is None else (Anchor("b", snippet=snippet),)
        return Question(name, query, book="b", kind="lookup", gold=gold, **given)

    questions = [
        question("q1", "fighter of level 3 against poison", "fighter level 3 poison 17"),
        question("q2", "level 3 against poison", "cleric level 3 poison 17"),
        question("q5", "poison at level 3", "fighter level 3 poison 17", tags=("generated",)),
        question("q3", "the price of a whip"),
        question("q4", "ale and song", "gone"),
    ]
    return QuestionSet.of("tiny", "open", questions, chunks)


def test_only_questions_of_people_with_gold_in_the_index_are_examples(retriever, question_set):
    assert [example.question_id for example in examples_of(retriever, question_set, NAMES)] == ["q1", "q2"]


def test_an_example_has_the_candidates_of_a_search_with_the_asked_features(retriever, question_set):
    result, _ = examples_of(retriever, question_set, NAMES)

    assert result.values.shape == (9, 3)  # five rows of the fighter, four passages
    assert result.values.dtype == np.float32
    assert result.values[:, 1].sum() == 5
    assert result.gold.sum() == 1
    assert result.values[result.gold, 2].tolist() == [1.0]
    assert len(result.first) == 9
    assert result.kind == "lookup"


def test_gold_that_a_predicate_excludes_is_no_candidate(retriever, question_set):
    _, excluded = examples_of(retriever, question_set, NAMES)

    assert not excluded.gold.any()
    assert excluded.rank(excluded.first) is None


def test_a_chunk_whose_judgement_nobody_can_read_is_no_candidate(retriever, question_set):
    hidden = replace(question_set, unexplained={"q1": frozenset({"ale and song 1", "fighter level 2 poison 18"})})
    result, _ = examples_of(retriever, hidden, NAMES)

    assert result.values.shape == (7, 3)


def test_a_rank_is_by_score_and_then_by_position():
    example = wide(4, gold=[2])

    assert example.rank(np.asarray([0.0, 0.0, 5.0, 0.0])) == 1
    assert example.rank(np.asarray([1.0, 1.0, 1.0, 1.0])) == 3
    assert example.rank(np.asarray([0.3, 0.0, 0.1 + 0.2, 0.0])) == 2
    assert wide(4).rank(np.zeros(4)) is None


@pytest.mark.parametrize("gold", [[0], [99], [40, 70, 99], list(range(60, 100))])
def test_gold_is_kept_however_bad_its_first_sight_was(gold):
    full = wide(100, gold)
    thin = full.thinned(seed=3)

    assert thin.gold.sum() == len(gold)
    assert len(thin.gold) == len(thin.values) == len(thin.first) <= MOST_CANDIDATES + len(gold)
    assert {tuple(row) for row in thin.values[thin.gold]} == {tuple(row) for row in full.values[full.gold]}


def test_the_best_at_first_sight_are_kept_with_some_of_the_others():
    thin = wide(100, [0]).thinned(seed=3)

    assert len(thin.first) == MOST_CANDIDATES
    assert thin.first[:28].tolist() == wide(100).first[:28].tolist()
    assert thin.first[-1] < wide(100).first[40]


def test_a_seed_gives_the_same_candidates_and_another_others():
    full = wide(100, [0])

    assert full.thinned(3).first.tolist() == full.thinned(3).first.tolist()
    assert full.thinned(3).first.tolist() != full.thinned(4).first.tolist()


def test_few_candidates_stay_all():
    few = wide(MOST_CANDIDATES, [5])

    assert few.thinned(1) is few
