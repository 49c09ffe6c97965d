import pytest

from retrieval.index.embedding.model_cards import Card, card_of


@pytest.mark.parametrize(
    "name",
    [
        "nomic-ai/nomic-embed-text-v2-moe",
        "nomic-embed-text:latest",
        "/models/nomic-embed-text-v1.5/",
        "Nomic-Embed-Text",
    ],
)
def test_a_model_is_known_by_all_its_names(name: str) -> None:
    card = card_of(name)
    assert (card.query, card.text, card.dimensions) == ("search_query: ", "search_document: ", 768)


def test_the_longest_beginning_decides() -> None:
    assert card_of("intfloat/multilingual-e5-large").text == "passage: "
    assert card_of("intfloat/multilingual-e5-large-instruct").text == ""


def test_an_unknown_model_gets_nothing_and_says_no_dimensions() -> None:
    assert card_of("some/model") == Card()


def test_texts_with_something_before_them_are_of_another_version() -> None:
    assert card_of("e5-base-v2").version("5.1") == "5.1+passage:"
    assert card_of("bge-m3").version("5.1") == "5.1"
