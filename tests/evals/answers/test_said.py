import pytest

from evals.answers.said import cells_that_say, says, wanted_words


def test_what_stands_in_brackets_is_not_wanted() -> None:
    assert wanted_words("10 (from the table), 5,000 gp [p. 7]") == ["10", "5000", "gp"]


def test_texts_say_an_answer_whose_every_word_they_have() -> None:
    assert says(["1,200 gp", "heavy"], "1200 GP")
    assert says(["12", "Cr100,000"], "12, Cr100,000")
    assert not says(["12"], "12 kg")
    assert says([], "(nothing)")


def test_the_cells_that_say_an_answer_share_it() -> None:
    assert cells_that_say("3", ["x", "3", "4"]).tolist() == [0, 1, 0]
    assert cells_that_say("3", ["3", "3", "4"]).tolist() == [0.5, 0.5, 0]
    assert cells_that_say("12 kg, 5 gp", ["12 kg", "gold", "5 gp"]).tolist() == [0.5, 0, 0.5]
    assert cells_that_say("red", ["a red and a blue one", "red"]).tolist() == [0, 1]
    assert not cells_that_say("nine", ["ten", ""]).any()


def test_shares_sum_to_one() -> None:
    assert cells_that_say("a b c", ["a b", "b c", "c"]).sum() == pytest.approx(1.0)
