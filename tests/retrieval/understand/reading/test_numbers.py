"""Numbers of floors and beds: where the name of a field stands, and what is no number of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.numbers.reading import quantities
from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.reading.numbers import QuestionInFigures
from retrieval.understand.reading.reader import ConditionReader
from tests.retrieval.understand.conftest import TODAY
from tests.retrieval.understand.reading.conditions import groups_of

_WARDS = ["surgery", "children", "eyes"]

CONDITIONS = [
    ("rooms on the 3rd floor", "floor=3"),
    ("2nd or 4th floor rooms", "floor=2|floor=4"),
    ("rooms above the 5th floor", "floor>5"),
    ("rooms of floor 1 or 2", "floor=1|floor=2"),
    ("rooms between floor 4 and 6", "floor>=4 floor<=6"),
    ("rooms under floor two", "floor<2"),
    ("rooms from floor 4 up", "floor>=4"),
    ("rooms at most floor 3", "floor<=3"),
    ("floor 2 surgery rooms", "floor=2 ward=surgery"),
    ("rooms larger than 30", "size>30"),
    ("rooms that are larger than a barn", ""),
    ("rooms at less than minus 5 degrees", "degrees_c<-5"),
    ("rooms that cost nothing", "fee=0"),
    ("rooms of 1/4 share", "share=0.25"),
    ("rooms of 1/3 share", ""),
    ("rooms with a single bed lamp", "bed_lamps=1"),
    ("rooms with 4 window seats", "windowseats=4"),
    ("rooms with nothing in them", ""),
    ("rooms in the b wing", "wing=b"),
    ("c-wing rooms", "wing=c"),
    ("rooms with a view of the c", ""),
    ("rooms not used for surgery", "-ward=surgery"),
    ("rooms that were not built for children", "-ward=children"),
]


@pytest.fixture(scope="module")
def reader() -> ConditionReader:
    documents = [
        CatalogDocument(
            f"{number}",
            f"Room {number}",
            {
                "floor": number % 8,
                "size": 10 + number % 37,
                "degrees_c": number % 30 - 8,
                "share": [0.25, 0.5, 1][number % 3],
                "bed_lamps": number % 4,
                "windowseats": number % 6,
                "fee": number % 3 * 40,
                "wing": "bcd"[number % 3],
                "ward": _WARDS[number % 3],
            },
        )
        for number in range(60)
    ]
    return ConditionReader.of(Catalog.of(documents, texts=["This room is bright."] * 60))


@pytest.mark.parametrize(("question", "conditions"), CONDITIONS)
def test_conditions(reader: ConditionReader, question: str, conditions: str) -> None:
    assert " ".join("|".join(group) for group in groups_of(reader.read(question, TODAY))) == conditions


SAID = [
    ("half an hour", "0.5 hour"),
    ("less than half a kilo", "less than 0.5 kilo"),
    ("three-quarters of an hour or less", "0.75 hour or less"),
    ("half a page about snow", "half a page about snow"),
    ("less than a kilo", "less than 1 kilo"),
    ("a kilo or more", "1 kilo or more"),
    ("only one player", "only 1 player"),
    ("at least one author", "at least 1 author"),
    ("prints of a harbour", "prints of a harbour"),
    ("boats under a bridge", "boats under a bridge"),
    ("more than a few", "more than a few"),
    ("between 15 and 25 thousand", "between 15000 and 25000"),
    ("1.5 to 20 million", "1500000 to 20000000"),
    ("20 or 10k", "20 or 10k"),
    ("two grand", "two thousand"),
    ("under a tenner", "under 10"),
    ("500 EUR", "€500"),
    ("USD 20", "$20"),
    ("40 quid", "£40"),
    ("60 000 km", "60000 km"),
    ("12.000", "12000"),
    ("the first 10 100m sprints", "the first 10 100m sprints"),
    ("80 sqm", "80 m²"),
    ("more than twice", "more than 2"),
    ("cheaper than 20", "less than 20"),
    ("denser than 20", "more than 20"),
    ("less expensive than 20", "less than 20"),
    ("other than 20", "other than 20"),
    ("no further than 20 km", "no more than 20 km"),
    ("above the 5th floor", "above 5th floor"),
    ("between the 3rd and the 5th floor", "between 3rd and 5th floor"),
    ("below minus 20", "below -20"),
    ("heavier than 20", "more than 20"),
    ("within 20 km", "at most 20 km"),
    ("in excess of 20", "more than 20"),
    ("just short of 20", "just less than 20"),
    ("north of Ghent", "north of Ghent"),
    ("greater than or equal to 20", "at least 20"),
    ("at the very least 20", "at least 20"),
    ("from 20 kg upwards", "at least 20 kg"),
    ("20-plus", "20+"),
    ("within reach", "within reach"),
    ("20 minutes tops", "at most 20 minutes"),
    ("5 stars or better", "5 stars or more"),
    ("£900 a month or less", "£900 or less"),
    ("300 free seats or more", "at least 300 free seats"),
    ("three time zones or more", "at least three time zones"),
    ("300 hit points and up", "at least 300 hit points"),
    ("20 free seats or fewer", "at most 20 free seats"),
    ("20 free seats or over 30 benches", "20 free seats or over 30 benches"),
    ("max. 5 rooms", "at most 5 rooms"),
]


@pytest.mark.parametrize(("said", "written"), SAID)
def test_numbers_and_bounds_are_written_as_the_reader_of_quantities_knows_them(said: str, written: str) -> None:
    assert QuestionInFigures.of(said).text == written


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("under floor 2", "floor under 2"),
        ("between floors 3 and 5", "floors between 3 and 5"),
        ("from floor four up", "floor from four up"),
        ("under floor boards", "under floor boards"),
        ("under deck 2", "under deck 2"),
    ],
)
def test_a_bound_stands_behind_what_is_numbered(said: str, written: str) -> None:
    assert QuestionInFigures.of(said, {"floor", "page"}).text == written


def test_a_place_of_the_rewritten_text_is_one_of_the_question() -> None:
    question = "less than half an hour, within 20 km"
    figures = QuestionInFigures.of(question)
    result = [question[slice(*figures.span(quantity.start, quantity.end))] for quantity in quantities(figures.text)]
    assert result == ["less than half an hour", "within 20 km"]


SPOKEN = st.sampled_from([*(output for output, _ in SAID), "walks", "of", "in 2019", "\u00e9t\u00e9", ","])


@given(st.lists(SPOKEN, max_size=6))
def test_what_is_not_rewritten_stays_where_it_was(parts: list[str]) -> None:
    question = " ".join(parts)
    figures = QuestionInFigures.of(question)
    assert len(figures.text) == len(figures.starts) == len(figures.ends)
    assert list(figures.starts) == sorted(figures.starts)
    assert list(figures.ends) == sorted(figures.ends)
    for letter, start, end in zip(figures.text, figures.starts, figures.ends, strict=True):
        assert end - start > 1 or letter == question[start] or (letter, question[start]) == ("1", "a")


@given(low=st.integers(1, 900), more=st.integers(1, 90), size=st.sampled_from(["thousand", "million"]))
def test_a_size_behind_two_numbers_is_of_both(low: int, more: int, size: str) -> None:
    shared, each = (
        quantities(QuestionInFigures.of(output).text)[0].written
        for output in (f"between {low} and {low + more} {size}", f"between {low} {size} and {low + more} {size}")
    )
    assert shared == each
