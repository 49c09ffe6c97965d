import pytest

from evals.generation.asking import _ASKED_AS, asked_as


@pytest.mark.parametrize("column", ["Weight", "**Weight (lbs)**", "Total weight:"])
def test_a_column_is_asked_for_by_what_it_measures(column):
    assert "how heavy is {key}" in asked_as(column)


def test_the_last_word_counts_that_is_asked_for_so():
    assert asked_as("Range Cost") == asked_as("Cost")
    assert asked_as("Base Cost Category") == asked_as("Cost")


def test_other_columns_are_asked_for_by_name_alone():
    assert asked_as("Psionic Talent") == ()


def test_every_question_names_the_row_and_not_the_column():
    for word, questions in _ASKED_AS.items():
        for question in questions:
            assert question.count("{key}") == 1
            assert word not in question.replace("{key}", "").split()
