from random import Random

from evals.generation.phrasing import Phrasing
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


def said(method, *arguments, ordinal_columns=(), **named):
    return {
        getattr(Phrasing(Random(seed), Vocabulary.default(), frozenset(ordinal_columns)), method)(*arguments, **named)
        for seed in range(300)
    }


def test_numbers_are_said_with_their_column():
    assert said("number", 7, "Level") >= {"level 7", "a level of 7", "level seven"}
    assert said("number", 7, "Level", ordinal_columns=["level"]) >= {"level 7", "7th level"}
    assert said("number", 43, "d%") == {"a roll of 43", "43 rolled on d%"}


def test_numbers_are_words_for_columns_that_no_vocabulary_knows_too():
    assert said("number", 19, "Param (Label)") == {
        "param 19",
        "param nineteen",
        "a param of 19",
        "param (label) 19",
        "param (label) nineteen",
    }


def test_a_dice_columns_number_is_a_roll():
    assert said("number", 3, "1d6") == {"a roll of 3", "3 rolled on 1d6"}


def test_an_abbreviation_is_no_article_of_a_number():
    assert not any(text.startswith("a lvl") for text in said("number", 21, "Level"))


def test_names_may_be_turned_round():
    assert said("name", "Dragon, Blue:") == {"Dragon, Blue", "dragon, blue", "Blue Dragon"}
    assert said("name", "Fog Cloud") == {"Fog Cloud", "fog cloud"}


def test_identifiers_may_be_said_as_words_and_without_the_marks_of_a_footnote():
    assert said("name", "`h_acc` ++") == {"h_acc", "h acc"}


def test_a_shorter_form_that_is_given_is_said_too():
    assert said("name", "1 (Actuator ID)", ["Actuator ID"]) >= {"1 (Actuator ID)", "Actuator ID"}


def test_columns_keep_short_capitals_unless_all_is_shouted():
    assert said("column", "XP Value") == {"XP value", "xp"}
    assert said("column", "TYPE OF SAVE") == {"type of save"}
    assert "hit dice" in said("column", "Hit Dice:")


def test_columns_are_said_without_their_units_with_short_words_and_seldom_by_initials():
    assert said("column", "Maximum Range (ft.)") == {"maximum range", "max range", "maximum range (ft.)", "MR"}


def test_another_cell_is_said_with_its_column():
    assert said("with_cell", "Cost", "`20,000`") == {"cost 20,000", "20,000 cost", "a cost of 20,000"}


def test_the_article_of_a_column_fits():
    assert "an armor class of 7" in said("number", 7, "Armor Class")
    assert "hit points of 7" in said("number", 7, "Hit Points")
    assert "notes of closed" in said("with_cell", "Notes", "closed.")


def test_a_question_is_written_with_care_or_without():
    words = {"column": "AC", "key": "Fog Cloud", "subject": "Spells"}
    asked = said("template", ["{ask} {column} of {key} in {subject}?"], **words)
    assert asked == {
        "What is the AC of Fog Cloud in Spells?",
        "What's the AC of Fog Cloud in Spells?",
        "what is the AC of fog cloud in spells",
        "what's the AC of fog cloud in spells",
    }


def test_what_is_asked_for_in_the_plural_is_no_singular():
    asked = said("template", ["{ask} {column}"], column="hit points")
    assert asked == {
        "What are the hit points",
        "what are the hit points",
        "Tell me the hit points",
        "tell me the hit points",
    }
    assert "What is the class" in said("template", ["{ask} {column}"], column="class")
    assert "What is the radius" in said("template", ["{ask} {column}"], column="radius")
