"""A level, a class and an armor class or a peril, in the words of people: the row of the right matrix comes first."""

import random
from collections.abc import Iterator

import pytest

from retrieval.home import Home
from retrieval.search.retriever import Retriever

CLASSES = {
    "cleric": "A.",
    "druid": "A.",
    "monk": "A.",
    "fighter": "B.",
    "paladin": "B.",
    "ranger": "B.",
    "magic-user": "C.",
    "illusionist": "C.",
    "thief": "D.",
    "assassin": "D.",
}
WORDINGS = (
    "What does a level {level} {who} need to roll to hit AC {armor}?",
    "What does a level {level} {who} need to hit armor class {armor}?",
    "{who} level {level}, target AC {armor}: which roll hits?",
    "what roll does a {level_th} level {who} need against an opponent of armor class {armor}",
    "to hit AC {armor} as a {level_th} level {who}",
    "How high must a {level_th} level {who} roll to strike someone with AC {armor}?",
    "attack roll of a {who} of level {level} vs ac {armor}",
    "My {who} is level {level} and attacks AC {armor}, what is needed?",
)
SAVES = (
    "What does a level {level} {who} need to save against {peril}?",
    "{who} level {level}: saving throw vs {peril}",
    "I'm a {level_th} level {who} and must save versus {peril}. What do I need to roll?",
    "which roll does a {who} of {level_th} level need to save vs. {peril}?",
)
PERILS = ("breath", "death", "paralysis", "poison", "rods", "spells", "stone", "wands")
ASKED = 12
"""Questions of each wording."""
MISSED = 1
"""Of all of a kind, so many may find another row first: what ranks them is learned, and learned again."""


@pytest.fixture(scope="module")
def retriever(sample: Home) -> Iterator[Retriever]:
    result = Retriever.open(sample.root)
    with result.snapshot:
        yield result


def test_the_row_of_the_attack_matrix_comes_first_and_no_other_row_of_it(retriever: Retriever) -> None:
    draw = random.Random(7)
    missed, beside = [], []
    for wording in WORDINGS * ASKED:
        who, level, armor = draw.choice(sorted(CLASSES)), draw.randint(1, 20), draw.randint(-5, 10)
        query = wording.format(who=who, level=level, level_th=_ordinal(level), armor=armor)
        rows = _rows(retriever, query, "Attack Matrix")
        if rows[:1] != [("I." + CLASSES[who], str(armor))]:
            missed.append(query)
        beside += [query for _, key in rows if key != str(armor)]
    assert len(missed) <= MISSED, missed
    assert not beside


def test_the_row_of_the_saving_throws_comes_first_and_no_other_row_of_its_table(retriever: Retriever) -> None:
    draw = random.Random(7)
    missed, beside = [], []
    for wording in SAVES * ASKED:
        who, level, peril = draw.choice(sorted(CLASSES)), draw.randint(1, 20), draw.choice(PERILS)
        query = wording.format(who=who, level=level, level_th=_ordinal(level), peril=peril)
        rows = _rows(retriever, query, "Saving Throws")
        if not rows or rows[0][0] != "II." + CLASSES[who] or not _holds(rows[0][1], level):
            missed.append(query)
        beside += [query for table, key in rows if table == "II." + CLASSES[who] and not _holds(key, level)]
    assert len(missed) <= MISSED, missed
    assert not beside


def _rows(retriever: Retriever, query: str, table: str) -> list[tuple[str, str]]:
    """(number of the table, key) of the rows of such tables; none unless one comes first."""
    chunks = [hit.chunk for hit in retriever.retrieve(query, k=10).hits]
    of_tables = [chunk for chunk in chunks if chunk.row_key and table in chunk.heading_path[-1]]
    return [
        (table.heading_path[-1].split()[0], table.row_key or "") for table in of_tables if chunks[0] is of_tables[0]
    ]


def _holds(key: str, level: int) -> bool:
    low, _, high = key.rstrip("+").partition("-")
    return int(low) <= level <= (99 if key.endswith("+") else int(high or low))


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
