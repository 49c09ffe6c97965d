import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.table_rule import Find, TableRule, normal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Random  Encounters:", "random encounters"),
        ("Roll – Level", "Roll - Level"),
        ("Merchant’s Wares*", "merchant's wares"),
        ("Ａ", "a"),
    ],
)
def test_case_blanks_dashes_quotes_and_marks_at_the_ends_do_not_count(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(("one", "other"), [("Weapon", "Weapons"), ("A+", "A"), ("-6", "6"), ("Forest", "The Forest")])
def test_words_and_signs_count(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@given(st.text())
def test_what_is_normal_stays_as_it_is(text: str) -> None:
    assert normal(normal(text)) == normal(text)


def test_all_that_find_has_must_hold() -> None:
    assert Find(heading="Movement").holds("movement", "Anything", "Terrain")
    assert Find(heading="Movement", head="Terrain").holds("Movement", "", "Terrain:")
    assert not Find(heading="Movement", head="Terrain").holds("Movement", "", "Biome")
    assert not Find(caption="Movement").holds("Movement", "", "Movement")


def test_a_column_and_a_row_are_found_by_their_words() -> None:
    rule = TableRule(
        1,
        Find(heading="x"),
        key="terrain",
        names={"forest": ("woods",)},
        query_must="all",
        row_query_must={"Hills": "h"},
    )
    assert rule.key_column(("Roll", "Terrain:")) == 1
    assert rule.key_column(("Roll",)) is None
    assert TableRule(1, Find(heading="x")).key_column(("",)) is None
    assert (rule.names_of("Forest*"), rule.names_of("Forests")) == (("woods",), ())
    assert (rule.predicate_of("hills"), rule.predicate_of("Forest")) == ("h", "all")
