import pytest

from retrieval.language.english import word_list, word_set, word_sets


def test_a_list_has_its_words_in_order_and_a_set_the_same() -> None:
    assert word_list("tens")[:3] == ("twenty", "thirty", "forty")
    assert word_set("tens") == set(word_list("tens"))


def test_a_group_has_its_lists_by_name() -> None:
    assert "heavy" in word_sets("measured")["kilogram"]


@pytest.mark.parametrize("name", ["measured", "nothing"])
def test_what_is_no_list_is_an_error(name: str) -> None:
    with pytest.raises(KeyError):
        word_list(name)


def test_a_list_is_no_group() -> None:
    with pytest.raises(KeyError):
        word_sets("tens")
