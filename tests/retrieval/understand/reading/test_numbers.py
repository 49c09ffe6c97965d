"""Numbers of floors and beds: where the name of a field stands, and what is no number of it."""

import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.reading.reader import ConditionReader
from tests.retrieval.understand.conftest import TODAY
from tests.retrieval.understand.reading.conditions import groups_of

_WARDS = ["surgery", "children", "eyes"]

CONDITIONS = [
    ("rooms on the 3rd floor", "floor=3"),
    ("2nd or 4th floor rooms", "floor=2|floor=4"),
    ("rooms of floor 1 or 2", "floor=1|floor=2"),
    ("floor 2 surgery rooms", "floor=2 ward=surgery"),
    ("rooms larger than 30", "size>30"),
    ("rooms that are larger than a barn", ""),
    ("rooms of 1/3 share", ""),
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
