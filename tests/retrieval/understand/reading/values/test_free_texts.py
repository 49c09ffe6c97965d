import pytest

from retrieval.understand.catalog.catalog import Catalog, Described
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.values.free_texts import FreeTexts

_CALLED = ["Northern Lights", "A Boat for Two", "W", "The Long Way", *(f"Story {number}" for number in range(30))]


@pytest.fixture(scope="module")
def texts() -> FreeTexts:
    documents = [
        Described(str(number), "Book", {"headline": called, "shelf": "AB"[number % 2]})
        for number, called in enumerate(_CALLED)
    ]
    return FreeTexts(Catalog.of(documents))


@pytest.mark.parametrize(
    ("question", "value", "said"),
    [
        ("books with the headline W", "W", "headline W"),
        ("books whose headline is Northern Lights", "Northern Lights", "headline is Northern Lights"),
        ('headline: "A boat for two"', "A Boat for Two", 'headline: "A boat for two"'),
        ("the headline Story 12 and more", "Story 12", "headline Story 12"),
    ],
)
def test_a_whole_value_behind_its_fields_name_is_found(texts: FreeTexts, question: str, value: str, said: str) -> None:
    found = words(question)
    (mention,) = texts.within(found)
    assert mention.values == (value,)
    assert question[found[mention.first].start : found[mention.stop - 1].end] == said


@pytest.mark.parametrize(
    "question", ["books about northern lights", "headline of a long way", "W", "shelf A", "headline"]
)
def test_a_part_of_a_value_or_one_without_the_name_is_none(texts: FreeTexts, question: str) -> None:
    assert [*texts.within(words(question))] == []
