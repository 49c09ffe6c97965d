"""A zoo whose beasts have a type and speak languages that are called alike."""

import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.reader import ConditionReader
from retrieval.understand.reading.value_mentions import (
    FreeTexts,
)
from tests.retrieval.understand.conftest import TODAY

_BEASTS = [
    ("giant", ["Giant", "Common"], 3),
    ("elf", ["Elvish", "Common"], 2),
    ("fey", ["Sylvan"], 1),
    ("angel", ["Heavenly", "Giant"], 9),
    ("troll", ["Giant"], 4),
]

CONDITIONS = [
    ("giants from the north", "type=giant"),
    ("angels or fey", "type=angel|type=fey"),
    ("beasts speaking Elvish, Sylvan or Giant", "languages=Elvish|languages=Sylvan|languages=Giant"),
    ("beasts with the languages Giant and Common", "languages=Giant languages=Common"),
    ("trolls with 9 heads", "type=troll heads=9"),
]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.of(
        [
            CatalogDocument(str(number), f"Beast {number}", {"type": sort, "languages": tongues, "heads": heads})
            for number, (sort, tongues, heads) in enumerate(_BEASTS * 3)
        ]
    )


@pytest.mark.parametrize(("question", "conditions"), CONDITIONS)
def test_the_field_of_a_value_is_the_one_of_its_list_or_of_the_sort(catalog, question, conditions):
    groups: dict[int, list[str]] = {}
    for entity in ConditionReader.of(catalog).read(question, TODAY).entities:
        groups.setdefault(entity.group, []).append(f"{entity.field}={entity.value}")
    assert " ".join("|".join(group) for group in groups.values()) == conditions


_CALLED = ["Northern Lights", "A Boat for Two", "W", "The Long Way", *(f"Story {number}" for number in range(30))]


@pytest.fixture(scope="module")
def texts() -> FreeTexts:
    documents = [
        CatalogDocument(str(number), "Book", {"headline": called, "shelf": "AB"[number % 2]})
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
    result = words(question)
    (mention,) = texts.within(result)
    assert mention.values == (value,)
    assert question[result[mention.first].start : result[mention.stop - 1].end] == said


@pytest.mark.parametrize(
    "question", ["books about northern lights", "headline of a long way", "W", "shelf A", "headline"]
)
def test_a_part_of_a_value_or_one_without_the_name_is_none(texts: FreeTexts, question: str) -> None:
    assert [*texts.within(words(question))] == []
