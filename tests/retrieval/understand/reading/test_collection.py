"""A collection of maps: codes, firms among people, two times, units, flags, and nouns that nobody listed."""

import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.reading.reader import ConditionReader
from tests.retrieval.understand.conftest import TODAY
from tests.retrieval.understand.reading.conditions import groups_of

_MAPS = (
    # code, category, maker, acquired, drawn, kilograms, price, on loan, inks, state
    ("SC-014", "Sea Chart", "Hanna Vries", "1984-05-02", 1712, 0.4, 2500, True, ("iron gall",), "Sound"),
    ("SC-015", "Sea Chart", "Brothers Lund of Ribe", "2025-11-20", 1650, 1.5, 14000, False, ("sepia",), "Worn"),
    ("LM-201", "Land Map", "Hanna Vries", "2026-04-09", 1806, 2.0, 800, True, ("sepia", "iron gall"), "Worn"),
    ("LM-202", "Land Map", "Otto Brandt", "1996-02-11", 1799, 12.0, 3600, False, ("carmine",), "Sound"),
    ("GL-003", "Globe", "Otto Brandt", "2026-08-03", 1866, 160.0, 22000, False, ("carmine", "sepia"), "Under Repair"),
    ("TP-090", "Town Plan", "Clara Vries", "1970-12-31", 1861, 0.9, 950, True, ("iron gall",), "Under Repair"),
)

CONDITIONS = [
    ("which map has the code LM-202?", "shelf_code=LM-202"),
    ("sea charts by the Brothers Lund of Ribe", "category=Sea Chart maker=Brothers Lund of Ribe"),
    ("charts of the sea, worn", "category=Sea Chart state=Worn"),
    ("either Vries, town plans only", "maker=Clara Vries|maker=Hanna Vries category=Town Plan"),
    ("objects with iron gall that we have on loan", "inks=iron gall on_loan=True"),
    ("land maps not drawn by Brandt, worn", "category=Land Map -maker=Otto Brandt state=Worn"),
    ("anything but globes", "-category=Globe"),
    ("worn pieces, or sound ones", "state=Worn|state=Sound"),
    ("globes over 150 kilos or under half a kilo", "category=Globe weight_kg>150|weight_kg<0.5"),
    ("items under repair", "state=Under Repair"),
    ("what the maker Brandt left us", "maker=Otto Brandt"),
    ("otto brandt storms", "maker=Otto Brandt"),
    ("maps that cost more than €12,000", "price_eur>12000"),
    ("maps of less than 9000 euros", "price_eur<9000"),
    ("how do worn soles print on maps", ""),
]

TIMES = [
    ("maps drawn before 1700", "year_drawn", None, "1699-12-31"),
    ("maps from the 1860s", "year_drawn", "1860-01-01", "1869-12-31"),
    ("maps acquired this year", "acquired", "2026-01-01", "2026-12-31"),
    ("last year's acquisitions", "acquired", "2025-01-01", "2025-12-31"),
    ("recently acquired globes", "acquired", "2025-08-22", None),
    ("maps acquired before the year 2000", "acquired", None, "1999-12-31"),
    ("maps acquired in 1996 or earlier", "acquired", None, "1996-12-31"),
    ("maps acquired in Q1 or Q2 of 2026", "acquired", "2026-01-01", "2026-06-30"),
    ("maps acquired between 15 January and 3 March 1996", "acquired", "1996-01-15", "1996-03-03"),
    ("maps acquired in the week of 6 August 2026", "acquired", "2026-08-03", "2026-08-09"),
    ("latest globes", "acquired", "2025-08-22", None),
]


@pytest.fixture(scope="module")
def reader() -> ConditionReader:
    names = (
        "shelf_code",
        "category",
        "maker",
        "acquired",
        "year_drawn",
        "weight_kg",
        "price_eur",
        "on_loan",
        "inks",
        "state",
    )
    documents = [
        CatalogDocument(str(number), f"Map {number}", dict(zip(names, each, strict=True)))
        for number, each in enumerate(_MAPS)
    ]
    return ConditionReader.of(Catalog.of(documents))


@pytest.mark.parametrize(("question", "conditions"), CONDITIONS)
def test_conditions(reader: ConditionReader, question: str, conditions: str) -> None:
    assert " ".join("|".join(group) for group in groups_of(reader.read(question, TODAY))) == conditions


@pytest.mark.parametrize(("question", "field", "start", "end"), TIMES)
def test_a_time_is_about_the_date_that_its_verb_names_or_that_reaches_so_far(reader, question, field, start, end):
    read = reader.read(question, TODAY)
    (result,) = read.temporal_refs
    assert (result.field, result.start and str(result.start), result.end and str(result.end)) == (field, start, end)
    assert read.topic in ("", "maps")
