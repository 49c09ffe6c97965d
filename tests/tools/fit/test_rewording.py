"""Questions in other words."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.words.word_vectors import word_vector
from tools.fit.rewording import SHORTEST, others, reworded


@pytest.mark.parametrize(
    ("word", "other"), [("cost", "price"), ("speed", "fast"), ("permitted", "legal"), ("weight", "heavy")]
)
def test_a_word_has_others_of_nearly_its_meaning(word: str, other: str) -> None:
    assert other in others(word)
    assert all(0.4 <= float(word_vector(word) @ word_vector(each)) <= 0.8 for each in others(word))


def test_forms_of_a_word_are_no_other_words() -> None:
    assert all(not each.startswith("tem") for each in others("temperature"))


def test_a_question_keeps_its_numbers_its_short_words_and_what_stands_around_them() -> None:
    question = "What is the AC-12 of a 7th-level ogre (p. 3)?"
    for seed in range(20):
        output = reworded(question, Random(seed))
        assert output.startswith("What is the AC-12 of a 7th-") or output.split(" is the AC-12 of a 7th-")[0].isalpha()
        assert output.endswith(" (p. 3)?")


def test_the_same_draws_give_the_same_words() -> None:
    question = "what is the maximum speed of a heavy cruiser in rough weather"

    assert reworded(question, Random(3)) == reworded(question, Random(3))
    assert len({reworded(question, Random(seed)) for seed in range(20)}) > 5


@given(st.text(max_size=60))
def test_a_text_without_long_words_stays_as_it_is(text: str) -> None:
    short = "".join(letter if not letter.isalpha() else " " for letter in text)

    assert reworded(short, Random(0)) == short
    assert SHORTEST > 1
