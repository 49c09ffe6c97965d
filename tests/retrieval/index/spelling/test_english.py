import pytest

from retrieval.index.spelling.english import is_english


@pytest.mark.parametrize("word", ["cleric", "clerics", "goblet", "rolling", "unarmed"])
def test_an_english_word_is_one_in_every_form(word: str) -> None:
    assert is_english(word)


@pytest.mark.parametrize("word", ["clerc", "gobiln", "mercs", "dmg"])
def test_a_slip_and_a_short_form_are_none(word: str) -> None:
    assert not is_english(word)
