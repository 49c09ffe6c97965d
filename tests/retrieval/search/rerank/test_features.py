from dataclasses import replace

import numpy as np
import pytest

from retrieval.search.candidates import Candidates
from retrieval.search.query import Query
from retrieval.search.rerank.features import NAMES, behind_best, distinct_cells, matrix, measure


@pytest.fixture(scope="module")
def measured(snapshot, retriever):
    """Every feature of every chunk for a question, whose cosines another model may have moved."""

    def of(text, ids=None, moved=lambda cosines: cosines):
        question = Query.ask(text, snapshot.vocabulary)
        positions = np.arange(len(snapshot)) if ids is None else np.sort(snapshot.chunks.positions(ids))
        found = Candidates.of(snapshot, question, retriever.embedder.embed_query(text), positions)
        return measure(snapshot, question, replace(found, dense=moved(found.dense)))

    return of


@pytest.fixture(scope="module")
def of(measured, snapshot):
    """One feature of some chunks."""

    def values(question, feature, *ids):
        result = measured(question)[feature]
        return [round(float(result[position]), 6) for position in snapshot.chunks.positions(list(ids))]

    return values


QUESTIONS = [
    "what does a level 5 fighter need against poison",
    "how heavy is the long sword",
    "size K",
    "the next level after 3",
    "zzyzx",
    "12%",
    "rope " * 300,
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_named_feature_is_measured_finite_and_the_same_again(measured, snapshot, question):
    result = measured(question)

    assert set(NAMES) <= set(result)
    assert len(set(NAMES)) == len(NAMES)
    for name in NAMES:
        assert result[name].shape == (len(snapshot),), name
        assert np.isfinite(result[name]).all(), name
    assert np.array_equal(matrix(result, NAMES), matrix(measured(question), NAMES))


def test_nothing_is_measured_that_nobody_looks_at(measured):
    relative = {name.removeprefix("less_") for name in NAMES if name.startswith("less_")} - {"dense"}
    for_relevance = {"dense", "untold_number", "meaning_covered"}
    behind_number = {"number_cell_labelled", "number_wide_labelled"}

    assert set(measured("rope")) == {*NAMES, *relative, *for_relevance, *behind_number}


def test_the_matrix_has_the_features_in_the_order_of_their_names(measured):
    result = measured("how heavy is the long sword")
    values = matrix(result, ("told", "is_row"))

    assert values.dtype == np.float32
    assert values[:, 1].tolist() == result["is_row"].tolist()


def test_a_model_with_cosines_of_another_size_is_read_alike(measured):
    question = "how heavy is the long sword"
    ours, theirs = measured(question), measured(question, moved=lambda cosines: 0.4 + cosines / 3)

    assert not np.allclose(ours["dense"], theirs["dense"], atol=0.01)
    for name in NAMES:
        assert ours[name] == pytest.approx(theirs[name]), name
    assert ours["less_dense"].max() == 0 > ours["less_dense"].min()
    assert (np.argsort(ours["less_dense"]) == np.argsort(ours["dense"])).all()


def test_cosines_that_are_all_the_same_set_none_apart(measured):
    assert not measured("long sword", moved=np.zeros_like)["less_dense"].any()


def test_a_single_candidate_is_measured(measured):
    assert all(len(values) == 1 for values in measured("hemp rope", ["gear-hemp rope"]).values())


def test_the_row_whose_key_holds_the_number_is_told_from_its_neighbours(of):
    question = "what does a level 5 fighter need against poison"
    rows = ("fighter-saves-1-3", "fighter-saves-4-6", "fighter-saves-7-9", "fighter-saves-10+")

    assert of(question, "number_key", *rows) == [0, 1, 0, 0]
    assert of(question, "number_key_labelled", *rows) == [0, 1, 0, 0]
    assert of(question, "number_unexplained", *rows) == [1, 0, 1, 1]
    behind = of(question, "behind_number_labelled", *rows)
    assert behind[1] == 0
    assert min(behind[0], behind[2], behind[3]) > 0


def test_the_number_of_a_table_is_no_key(of):
    rows = ("omens-3-3", "omens-3-5", "omens-5-3", "omens-5-5")

    assert of("omen table 3, throw 5", "number_key", *rows) == [0, 1, 0, 1]
    assert of("omen throw 3, table 5", "number_key", *rows) == [1, 0, 1, 0]
    assert of("omen tables: throw 3", "number_key", *rows) == [1, 0, 1, 0]


def test_a_number_may_be_a_key_that_is_open_upwards_and_one_that_nobody_has_is_unexplained(of):
    assert of("a fighter of level 300", "number_key", "fighter-saves-10+", "fighter-saves-7-9") == [1, 0]
    assert of("omen table 12", "number_key", "fighter-saves-10+", "omens-3-3") == [1, 0]
    assert of("a mace of 77 lb", "number_unexplained", "gear-iron mace") == [1]
    assert of("a mace of 8 lb", "number_unexplained", "gear-iron mace", "gear-silk rope") == [0, 1]


def test_a_number_inside_the_range_of_a_key_is_explained_like_a_word_that_is_said(of):
    rows = ("fighter-saves-4-6", "fighter-saves-7-9")

    inside, outside = of("level 5 fighter: poison", "covered", *rows)
    assert (inside, outside < 1) == (1, True)
    assert of("level 5 fighter: poison", "less_covered", *rows) == [0, pytest.approx(outside - 1, abs=1e-5)]


def test_words_in_the_order_of_the_question_count_more(of):
    rows = ("gear-long sword", "gear-sword of the long night", "gear-silk rope")

    assert of("what is a long sword", "order", *rows) == [1, 0, 0]
    assert of("what is a long sword", "less_order", *rows) == [0, -1, -1]


def test_a_cell_that_is_said_whole_is_told_from_one_of_which_a_part_is_said(of):
    question, rows = "price of a long sword", ("gear-long sword", "gear-sword of the long night", "gear-silk rope")

    for feature in ("whole_cells", "whole_key"):
        whole, part, none = of(question, feature, *rows)
        assert whole > 0 == part == none, feature
    for feature in ("said_key", "best_cell_share"):
        whole, part, none = of(question, feature, *rows)
        assert whole > part > 0 == none, feature


def test_a_code_of_the_question_speaks_for_its_row_alone(of):
    rows = ("hulls-K", "hulls-11 (B)", "hulls-M")

    for feature in ("said_key", "covered_key", "distinct", "best_cell_share"):
        own, next_to, last = of("cargo of a hull of size K", feature, *rows)
        assert own > 0 == next_to == last, feature
        first, own, last = of("cargo of a hull of size B", feature, *rows)
        assert own > 0 == first == last, feature
    assert of("cargo of a hull", "covered_key", *rows) == [0, 0, 0]


def test_the_column_that_means_what_is_asked_speaks_for_its_table(of):
    gear, hull = of("how heavy is it", "meaning", "gear-hemp rope", "hulls-K")

    assert gear > hull


def test_only_the_rows_of_the_subject_have_its_words_above_them(of):
    question, rows = "saving throws of fighters", ("fighter-saves-1-3", "cleric-saves-1-3", "gear-silk rope")

    own, other, gear = of(question, "covered_head_row", *rows)
    assert own == 1.0 > other > gear
    own, other, gear = of(question, "said_heading", *rows)
    assert own > other > gear == 0
    assert of(question, "less_said_heading", *rows) == [
        pytest.approx(share - own, abs=1e-5) for share in (own, other, gear)
    ]


def test_a_row_is_about_what_the_headings_of_its_table_say_as_all_its_rows_are(of):
    # The tables of fighters and clerics have the same rows.
    question, rows = "saving throws of fighters", ("fighter-saves-1-3", "cleric-saves-1-3", "gear-silk rope")
    for feature in ("table_dense", "table_lexical", "less_table_dense", "less_table_covered"):
        own, other, gear = of(question, feature, *rows)
        assert own > other > gear, feature
    for feature in ("table_dense", "table_lexical", "table_covered"):
        first, last = of("saving throws of fighters", feature, "fighter-saves-1-3", "fighter-saves-10+")
        assert first == last > 0, feature
    assert of("zzyzx", "table_lexical", "gear-silk rope", "prose-x") == [0, 0]
    assert of("zzyzx", "table_covered", "gear-silk rope", "prose-x") == [0, 0]


def test_what_sets_a_row_apart_is_not_what_all_rows_of_its_table_say(of):
    silk, hemp, mace = of("silk rope", "distinct", "gear-silk rope", "gear-hemp rope", "gear-iron mace")

    assert silk > hemp > mace == 0


def test_prose_beside_the_row_that_was_asked_for_is_behind_it(of):
    question = "what does a level 5 fighter need against poison"

    prose, row = of(question, "behind_section_alike", "prose-x", "fighter-saves-4-6")
    assert prose > 0 == row
    assert of(question, "is_row", "prose-x", "fighter-saves-4-6") == [0, 1]


def test_a_number_in_a_longer_name_is_no_cell(of):
    rows = ("motors-Output", "motors-Speed")

    assert of("L54-35-S400-R", "covered_row", *rows) == [0.0, 0.0]
    assert of("L54-35-S400-R", "distinct", *rows) == [0.0, 0.0]
    assert of("which motor has 35", "covered_row", *rows)[0] > 0
    assert of("which motor has 35", "distinct", *rows)[0] > 0


def test_a_number_that_counts_as_the_question_does_is_told_from_a_bare_one(of):
    rows = ("motors-Output", "motors-Speed")

    assert of("a 35 watt motor", "behind_number_labelled", *rows) == [0.0, 1.0]
    assert of("a motor of 35", "behind_number_labelled", *rows) == [0.0, 0.0]
    assert of("a motor of 35", "number_unexplained", *rows) == [0.0, 1.0]


def test_what_stands_together_in_a_passage_counts_whole(measured, snapshot):
    passage = next(chunk for chunk in snapshot.chunks if chunk.id == "prose-000")
    words = passage.search_text.split()
    (near,) = measured(" ".join(words[:3]), [passage.id])["alike_together"]
    (far,) = measured(f"{words[0]} {words[-1]} zzyzx", [passage.id])["alike_together"]

    assert near == pytest.approx(1.0)
    assert far < 1.0


@pytest.mark.parametrize("end", ["weight", "of 4 lb", "15 gp or hemp rope"])
def test_a_compound_is_measured_as_its_two_words(measured, end):
    # Cosines of whole questions are of the question as it is written.
    one, two = (measured(f"longsword {end}"), measured(f"long sword {end}"))
    written = {"less_dense", "table_dense", "less_table_dense"}

    assert {name for name in NAMES if not np.array_equal(one[name], two[name])} <= written
    assert one["covered_key"].any()


TABLES = np.asarray([0, 0, 0, 1, 2])
IS_ROW = np.asarray([True, True, True, True, False])


def test_a_row_is_behind_the_best_of_its_own_table():
    values = np.asarray([0.2, 0.9, 0.5, 0.1, 0.0])

    assert behind_best(TABLES, values) == pytest.approx([0.7, 0.0, 0.4, 0.0, 0.0])
    assert behind_best(TABLES, -values) == pytest.approx([0.0, 0.7, 0.3, 0.0, 0.0])


def test_the_candidates_of_a_table_need_not_stand_together_and_nobody_is_behind_nobody():
    behind = behind_best(np.asarray([1, 0, 1]), np.asarray([0.0, 0.5, 1.0]))
    assert behind.tolist() == [1.0, 0.0, 0.0]
    assert behind_best(np.zeros(0, dtype=np.int64), np.zeros(0)).shape == (0,)


def test_what_every_row_of_a_table_says_sets_none_apart():
    cells = np.asarray([[1, 1], [1, 0], [1, 0], [0, 1], [0, 0]], dtype=bool)
    weights = np.asarray([0.6, 0.4])

    assert distinct_cells(cells, weights, TABLES, IS_ROW) == pytest.approx([0.4 * 2 / 3, 0, 0, 0, 0])
