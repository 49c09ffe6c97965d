import pytest

from retrieval.index.words.word_model import WORDS, telling


@pytest.mark.parametrize(("idle", "said"), [("just", "price"), ("somehow", "speed"), ("someone", "hotel")])
def test_a_word_of_any_text_tells_less_than_one_that_sets_texts_apart(idle: str, said: str) -> None:
    assert 0 <= telling(idle) < telling(said) <= 1


def test_a_word_of_several_tokens_tells_what_they_tell_together() -> None:
    assert WORDS.count_tokens("hovercraft") > 1
    assert telling("hovercraft") == 1.0
    assert WORDS.length_of("hovercraft") > max(WORDS.length_of("hover"), WORDS.length_of("craft"))


def test_no_word_tells_nothing() -> None:
    assert WORDS.length_of("") == telling("") == 0.0
