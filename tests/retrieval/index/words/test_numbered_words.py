import pytest

from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.index.words.numbered_words import numbered_question, numbered_text

TEXTS = ["armor class six", "armor of a dragon", "six ships"]


@pytest.fixture
def index() -> LexicalIndex:
    return LexicalIndex.build(TEXTS, str.split)


def test_a_text_is_its_words_by_their_numbers(index: LexicalIndex) -> None:
    numbers = {index.terms.text_of(number): f"t{number}" for number in range(len(index.terms))}
    for text in TEXTS:
        assert numbered_text(index, text, 1000).split() == [numbers[word] for word in text.split()]
    assert len(set(numbers.values())) == len(numbers)


def test_what_no_chunk_has_is_not_asked(index: LexicalIndex) -> None:
    assert numbered_question(index, "zyzzyva six zyzzyva") == numbered_text(index, "six", 10)
    assert numbered_question(index, "zyzzyva") == ""


def test_a_long_text_ends_with_a_whole_word(index: LexicalIndex) -> None:
    whole = numbered_text(index, "six " * 100, 10_000)
    cut = numbered_text(index, "six " * 100, 50)
    assert len(cut) <= 50
    assert whole.startswith(f"{cut} ")
    assert set(cut.split()) == set(whole.split())
