"""Boats for hire: values that the whole question makes conditions, names written otherwise, limits and dates ahead."""

import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.reading.reader import ConditionReader
from tests.retrieval.understand.conftest import TODAY
from tests.retrieval.understand.reading.conditions import groups_of

_KEYS = ("boat_type", "harbour", "country", "owner", "custodian", "languages", "checks")
_BOATS = (
    ("yacht", "Tarbert", "United Kingdom", "Finch & Daughters", "Ada Moss", ("English",), ("hull", "engine")),
    ("yacht", "Oban", "United Kingdom", "Friends of Loch Awe", "Ben Ode", ("Gaelic", "English"), ("hull",)),
    ("canoe", "Port Ellen", "United Kingdom", "Nan Ross", "Ada Moss", ("German",), ("paddles",)),
    ("canoe", "Kinsale", "Ireland", "Finch & Daughters", "Cora Lund", ("English", "German"), ("paddles", "hull")),
    ("rowing boat", "Oban", "United Kingdom", "Nan Ross", "Ben Ode", ("Gaelic",), ("oars",)),
)
_FIGURE_KEYS = ("fee_min", "fee_max", "daily_hours", "bought", "year_built", "inspection_due", "licence_required")
_FIGURE_KEYS += ("insured", "repeat_trips", "let_on", "state")
_FIGURES = (
    (60, 90, 8, "1998-04-02", 1911, "2026-09-14", True, True, 3, "2025-05-01", "repairing"),
    (80, 140, 4, "2004-06-30", 1936, "2026-12-01", False, True, 0, "2024-05-01", "let"),
    (10, 30, 2, "2019-07-11", 1984, "2027-03-05", False, False, 1, "2026-05-01", "let"),
    (12, 40, 8, "2021-02-01", 1990, "2026-08-30", True, False, 3, "2026-05-01", "repairing"),
    (15, 60, 4, "2010-10-10", 1899, "2026-10-20", False, True, 2, "2021-05-01", "laid up"),
)

CONDITIONS = [
    # nothing but values is said, or values and words that carry them
    ("canoe, Kinsale", "harbour=Kinsale; boat_type=canoe"),
    ("German or Gaelic yachts", "boat_type=yacht; languages=Gaelic|languages=German"),
    ("what's in Oban", "harbour=Oban"),
    ("anything at Port Ellen?", "harbour=Port Ellen"),
    ("boats that need German and English", "languages=English; languages=German"),
    ("someone looking for a rowing boat in Oban", "harbour=Oban; boat_type=rowing boat"),
    # places after other words, and nouns that nobody listed
    ("gifts of Nan Ross built before 1900", "owner=Nan Ross"),
    # values written otherwise
    ("yachts of Finch and Daughters", "boat_type=yacht; owner=Finch & Daughters"),
    ("Loch Awe's friends", "owner=Friends of Loch Awe"),
    ("canoes outside the UK", "-country=United Kingdom; boat_type=canoe"),
    # flags as verbs, and denied
    ("which yachts require licences?", "boat_type=yacht; licence_required=True"),
    ("yachts that are not insured", "boat_type=yacht; -insured=True"),
    # fields as verbs, and people by a field that says so
    ("boats checked for paddles but not for hull", "checks=paddles; -checks=hull"),
    ("Moss's canoes", "custodian=Ada Moss; boat_type=canoe"),
    # numbers
    ("a fee of at most 60", "fee_max<=60"),
    ("a maximum fee between 20 and 70", "fee_max>=20; fee_max<=70"),
    ("half an hour or less", "daily_hours<=0.5"),
    ("trips of 4 hours or longer", "daily_hours>=4"),
    # what is said of boats, and what happened to them
    ("what broke in Oban", "harbour=Oban"),
    ("which vessels are let at Tarbert", "harbour=Tarbert; state=let"),
    ("boats let in 2025", ""),
    ("boats repairing this year", "state=repairing"),
]

TOPICS = [
    "Oban",
    "what is a canoe",
    "why do yachts lean",
    "how do yachts cross a loch in winter",
    "a story about an English king",
    "learning Gaelic",
    "who invented the canoe",
    "what should a yacht look like",
    "fair hull paint for beginners",
]

TIMES = [
    ("boats bought in 2019 that are due for inspection", "bought", "2019-01-01", "2019-12-31"),
    ("due next month", "inspection_due", "2026-09-01", "2026-09-30"),
    ("due in the next three weeks", "inspection_due", "2026-08-22", "2026-09-12"),
    ("bought before October", "bought", None, "2025-09-30"),
]


@pytest.fixture(scope="module")
def reader() -> ConditionReader:
    boats = [
        CatalogDocument(
            f"boat-{number}.md",
            f"Boat {number}",
            dict(zip(_KEYS, output, strict=True)) | dict(zip(_FIGURE_KEYS, counted, strict=True)),
        )
        for number, (output, counted) in enumerate(zip(_BOATS, _FIGURES, strict=True))
    ]
    return ConditionReader.of(Catalog.of(boats))


def written(reader: ConditionReader, question: str) -> str:
    return "; ".join(sorted("|".join(sorted(group)) for group in groups_of(reader.read(question, TODAY))))


@pytest.mark.parametrize(("question", "conditions"), CONDITIONS)
def test_a_question_is_read_by_all_that_it_says(reader: ConditionReader, question: str, conditions: str) -> None:
    assert written(reader, question) == "; ".join(sorted(conditions.split("; ")))


@pytest.mark.parametrize("question", TOPICS)
def test_what_may_be_a_topic_is_none(reader: ConditionReader, question: str) -> None:
    assert written(reader, question) == ""


@pytest.mark.parametrize(("question", "field", "start", "end"), TIMES)
def test_a_time_is_of_the_date_that_it_divides(reader, question, field, start, end):
    (result,) = reader.read(question, TODAY).temporal_refs
    output = (result.field, result.start and result.start.isoformat(), result.end and result.end.isoformat())
    assert output == (field, start, end)
