import pytest

from retrieval.language.english import word_list, word_set, word_sets


@pytest.mark.parametrize("name", ["measured", "nothing"])
def test_what_is_no_list_is_an_error(name: str) -> None:
    with pytest.raises(KeyError):
        word_list(name)


def test_a_list_has_its_words_in_order_and_a_group_has_its_lists_by_name() -> None:
    assert word_list("tens")[:3] == ("twenty", "thirty", "forty")
    assert word_set("tens") == set(word_list("tens"))
    assert "heavy" in word_sets("measured")["kilogram"]
    with pytest.raises(KeyError):
        word_sets("tens")
