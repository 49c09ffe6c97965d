import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.types import Find, TableRule, normal


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


def make_find(heading: str = "", caption: str = "", head: str = "", document: str = "") -> Find:
    return Find(heading, caption, head, document)


def test_all_that_find_has_must_hold() -> None:
    assert Find(heading="Movement").holds(make_find("movement", "Anything", "Terrain"))
    assert Find(heading="Movement", head="Terrain").holds(make_find("Movement", "", "Terrain:"))
    assert not Find(heading="Movement", head="Terrain").holds(make_find("Movement", "", "Biome"))
    assert not Find(caption="Movement").holds(make_find("Movement", "", "Movement"))
    assert Find(document="a/01.md").holds(make_find(document="a/01.md"))
    assert not Find(heading="Movement", document="01.md").holds(make_find("Movement", document="02.md"))


@pytest.mark.parametrize(
    "caption", ["Table: Drive Costs", "Table 3-1: Drive Costs", "TABLE 4. Drive costs", "Drive Costs"]
)
def test_the_number_of_a_caption_may_be_left_out(caption: str) -> None:
    assert Find(caption="Drive Costs").holds(make_find(caption=caption))
    assert Find(caption=caption).holds(make_find(caption=caption))
    assert not Find(caption="Table 9: Drive Costs").holds(make_find(caption=caption))


def test_a_caption_that_begins_with_a_table_is_not_cut() -> None:
    assert not Find(caption="Manners").holds(make_find(caption="Table Manners"))
    assert not Find(caption="Setting").holds(make_find(caption="Table-Setting"))
    assert Find(caption="Table: ").holds(make_find(caption="Table:"))


def test_a_name_for_every_row_holds_its_key() -> None:
    rule = TableRule(1, Find(heading="x"), names={"*": ("drive {key}",), "A": ("the first",)})
    assert rule.names_of("A*") == ("the first", "drive A")
    assert rule.names_of("B") == ("drive B",)
    assert rule.names_of("*") == ("drive ",)


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
