import numpy as np
import pytest

from retrieval.search.evidence import Cosines, gather
from retrieval.search.query import Query
from retrieval.search.rerank.candidates import candidates
from retrieval.search.rerank.features import NAMES, matrix, measure


@pytest.fixture(scope="module")
def measured(snapshot, retriever):
    """Every feature of every chunk for a question, and where each chunk is."""

    def of(text, ids=None):
        question = Query.ask(text, snapshot.vocabulary)
        dense = Cosines(snapshot.vectors, retriever.embedder.embed_query(text))
        evidence = gather(snapshot, question, snapshot.lexical.scores(text), dense)
        positions = np.arange(len(snapshot)) if ids is None else np.sort(snapshot.chunks.positions(ids))
        return measure(snapshot, question, candidates(snapshot, evidence, positions))

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
    for_relevance = ("told", "told_words", "untold", "untold_number")
    assert sorted(measured("rope")) == sorted((*NAMES, *for_relevance))


def test_the_matrix_has_the_features_in_the_order_of_their_names(measured):
    result = measured("how heavy is the long sword")
    values = matrix(result, ("length", "is_row"))

    assert values.dtype == np.float32
    assert values[:, 1].tolist() == result["is_row"].tolist()


def test_a_single_candidate_is_measured(measured):
    assert all(len(values) == 1 for values in measured("hemp rope", ["gear-hemp rope"]).values())


def test_the_row_whose_key_holds_the_number_is_told_from_its_neighbours(of):
    question = "what does a level 5 fighter need against poison"
    rows = ("fighter-saves-1-3", "fighter-saves-4-6", "fighter-saves-7-9", "fighter-saves-10+")

    assert of(question, "number_key", *rows) == [0, 1, 0, 0]
    assert of(question, "number_key_labelled", *rows) == [0, 1, 0, 0]
    assert of(question, "number_other_key", *rows) == [1, 0, 1, 1]
    behind = of(question, "behind_number_key", *rows)
    assert behind[1] == 0
    assert min(behind[0], behind[2], behind[3]) > 0


def test_a_key_that_is_open_upwards_holds_every_higher_number(of):
    assert of("a fighter of level 300", "number_key", "fighter-saves-10+", "fighter-saves-7-9") == [1, 0]


def test_the_number_of_a_table_is_no_key(of):
    rows = ("omens-3-3", "omens-3-5", "omens-5-3", "omens-5-5")

    assert of("omen table 3, throw 5", "number_key", *rows) == [0, 1, 0, 1]
    assert of("omen throw 3, table 5", "number_key", *rows) == [1, 0, 1, 0]
    assert of("omen tables: throw 3", "number_key", *rows) == [1, 0, 1, 0]


def test_a_table_number_that_no_table_has_may_be_a_key(of):
    assert of("omen table 12", "number_key", "fighter-saves-10+", "omens-3-3") == [1, 0]


def test_a_number_that_no_candidate_has_is_unexplained(of):
    assert of("a mace of 77 lb", "number_unexplained", "gear-iron mace") == [1]
    assert of("a mace of 8 lb", "number_unexplained", "gear-iron mace", "gear-silk rope") == [0, 1]


def test_a_number_inside_the_range_of_a_key_is_explained_like_a_word_that_is_said(of):
    rows = ("fighter-saves-4-6", "fighter-saves-7-9")

    inside, outside = of("level 5 fighter: poison", "covered", *rows)
    assert (inside, outside < 1) == (1, True)
    assert of("level 5 fighter: poison", "missing_words", *rows) == [0, 1]


def test_words_in_the_order_of_the_question_count_more(of):
    question = "what is a long sword"
    ordered = of(question, "order_key", "gear-long sword", "gear-sword of the long night", "gear-silk rope")

    assert ordered == [1, 0, 0]


def test_a_cell_that_is_said_whole_is_told_from_one_of_which_a_part_is_said(of):
    whole = of("price of a long sword", "whole_cells", "gear-long sword", "gear-sword of the long night")

    assert whole[0] > 0 == whole[1]
    assert of("price of a long sword", "whole_key", "gear-long sword", "gear-silk rope")[1] == 0


def test_a_code_of_the_question_speaks_for_its_row_and_against_the_others(of):
    rows = ("hulls-K", "hulls-11 (B)", "hulls-M")

    assert of("cargo of a hull of size B", "code_key", *rows) == [0, 1, 0]
    assert of("cargo of a hull of size B", "other_code_key", *rows) == [1, 0, 1]
    assert of("cargo of a hull", "other_code_key", *rows) == [0, 0, 0]


def test_the_column_that_means_what_is_asked_speaks_for_its_table(of):
    gear, hull = of("how heavy is it", "meaning", "gear-hemp rope", "hulls-K")

    assert gear > hull
    assert of("how heavy is it", "less_meaning", "gear-hemp rope", "hulls-K") == [
        0,
        pytest.approx(hull - gear, abs=1e-5),
    ]


def test_only_the_rows_of_the_subject_have_its_words_above_them(of):
    own, other = of("saving throws of fighters", "covered_heading", "fighter-saves-1-3", "cleric-saves-1-3")

    assert own == 1.0 > other


def test_what_sets_a_row_apart_is_not_what_all_rows_of_its_table_say(of):
    silk, hemp, mace = of("silk rope", "distinct", "gear-silk rope", "gear-hemp rope", "gear-iron mace")

    assert silk > hemp > mace == 0


def test_prose_beside_the_row_that_was_asked_for_is_behind_it(of):
    question = "what does a level 5 fighter need against poison"

    assert of(question, "behind_section_number", "prose-x", "fighter-saves-4-6") == [1, 0]
    assert of(question, "is_row", "prose-x", "fighter-saves-4-6") == [0, 1]


def test_a_question_that_steps_between_rows_is_known(of):
    assert of("which item is heavier than the silk rope", "steps", "gear-silk rope") == [1]
    assert of("weight of the silk rope", "steps", "gear-silk rope") == [0]


def test_a_number_in_a_longer_name_is_no_cell(of):
    rows = ("motors-Output", "motors-Speed")

    assert of("L54-35-S400-R", "covered_cell", *rows) == [0.0, 0.0]
    assert of("L54-35-S400-R", "number_cell", *rows) == [0.0, 0.0]
    assert of("which motor has 35", "covered_cell", *rows)[0] > 0


def test_a_unit_that_is_asked_for_is_found_in_the_cells(of):
    assert of("how many watt has the L54-35-S400-R", "number_unit", "motors-Output", "motors-Speed") == [1.0, 0.0]
    assert of("motor with 35 watt", "number_unit", "motors-Output", "motors-Speed") == [0.0, 0.0]


def test_a_number_that_counts_as_the_question_does_is_told_from_a_bare_one(of):
    rows = ("motors-Output", "motors-Speed")

    assert of("a 35 watt motor", "number_cell_counted", *rows) == [1.0, 0.0]
    assert of("a motor of 35", "number_cell_counted", *rows) == [0.0, 0.0]


def test_what_stands_together_in_a_passage_counts_whole(measured, snapshot):
    passage = next(chunk for chunk in snapshot.chunks if chunk.id == "prose-000")
    words = passage.search_text.split()
    (near,) = measured(" ".join(words[:3]), [passage.id])["alike_together"]
    (far,) = measured(f"{words[0]} {words[-1]} zzyzx", [passage.id])["alike_together"]

    assert near == pytest.approx(1.0)
    assert far < 1.0


@pytest.mark.parametrize("end", ["weight", "of 4 lb", "15 gp or hemp rope"])
def test_a_compound_is_measured_as_its_two_words(measured, end):
    # Cosines and pairs of whole words are of the question as it is written.
    one, two = (measured(f"longsword {end}"), measured(f"long sword {end}"))
    written = {"part_dense", "less_part_dense"}

    assert {name for name in NAMES if not np.array_equal(one[name], two[name])} <= written
    assert one["covered_key"].any()
