from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.reading.reader import ConditionReader
from tests.retrieval.understand.conftest import TODAY

_ROWS = ((True, False, "yes", True, "oak"), (False, True, "no", False, "elm"))
_KEYS = ("petsAllowed", "leak_free", "glazed", "has_deepFreezer", "wood")
_CATALOG = Catalog.of(
    [CatalogDocument(str(at), f"Cabin {at}", dict(zip(_KEYS, row, strict=True))) for at, row in enumerate(_ROWS)]
)
_READER = ConditionReader.of(replace(_CATALOG, says=lambda _: False))


def asked(question: str) -> set[tuple[str, object, bool]]:
    return {(entity.field, entity.value, entity.negated) for entity in _READER.read(question, TODAY).entities}


@pytest.mark.parametrize(
    ("question", "field", "holds"),
    [
        ("cabins where dogs are welcome", "petsAllowed", True),
        ("cabins where dogs are not welcome", "petsAllowed", False),
        ("cabins I can't bring my cat to", "petsAllowed", False),
        ("pet-friendly cabins", "petsAllowed", True),
        ("cabins, no pets", "petsAllowed", False),
        ("leak-free cabins", "leak_free", True),
        ("cabins that have had a leak", "leak_free", False),
        ("cabins with a freezer", "has_deepFreezer", True),
        ("cabins without a deep freezer", "has_deepFreezer", False),
    ],
)
def test_a_flag_is_asked_by_its_thing_and_by_what_grants_it(question: str, field: str, holds: bool) -> None:
    ((name, value, negated),) = asked(question)
    assert (name, bool(value) != negated) == (field, holds)


@pytest.mark.parametrize(("question", "negated"), [("glazed cabins", False), ("unglazed cabins", True)])
def test_a_field_of_yes_and_no_is_a_flag(question: str, negated: bool) -> None:
    assert asked(question) == {("glazed", "yes", negated)}


@given(
    verb=st.sampled_from(("allow", "take", "accept", "permit", "welcome")),
    thing=st.sampled_from(("pets", "dogs", "a dog", "my cat", "animals")),
    wood=st.sampled_from(("", "oak ", "elm ")),
)
def test_what_grants_and_what_denies_it_are_opposites(verb: str, thing: str, wood: str) -> None:
    granted = {each for each in asked(f"{wood}cabins that {verb} {thing}") if each[0] == "petsAllowed"}
    denied = {each for each in asked(f"{wood}cabins that don't {verb} {thing}") if each[0] == "petsAllowed"}
    assert [bool(value) != negated for _, value, negated in (*granted, *denied)] == [True, False]
