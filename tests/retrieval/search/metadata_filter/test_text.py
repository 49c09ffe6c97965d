import pytest

from retrieval.errors import InvalidQueryError
from retrieval.search.metadata_filter.filter import And, Contains, Gte, Lt, Not, Or
from retrieval.search.metadata_filter.text import read_filter


def test_a_text_is_looked_for_as_a_value_and_in_lists() -> None:
    assert read_filter("book=rules") == And((Or((Contains("book", "rules"),)),))
    assert read_filter(" title != a = b ") == And((Not(Or((Contains("title", "a = b"),))),))


def test_bars_stand_between_values_of_which_one_suffices() -> None:
    assert read_filter("kind=row | record") == And((Or((Contains("kind", "row"), Contains("kind", "record"))),))


def test_a_bar_within_quotes_is_part_of_the_text() -> None:
    assert read_filter('kind="a|b"|c') == And((Or((Contains("kind", "a|b"), Contains("kind", "c"))),))


def test_what_is_nested_too_deep_to_read_is_a_text() -> None:
    deep = "[" * 100_000
    assert read_filter(f"page={deep}") == And((Or((Contains("page", deep),)),))


def test_a_number_is_looked_for_as_a_number_and_as_a_text() -> None:
    assert read_filter("page>=3", "page<9.5") == And(
        (Or((Gte("page", 3), Gte("page", "3"))), Or((Lt("page", 9.5), Lt("page", "9.5"))))
    )
    assert read_filter("draft=true") == And((Or((Contains("draft", True), Contains("draft", "true"))),))
    assert read_filter('page="3"') == And((Or((Contains("page", "3"),)),))
    assert read_filter("page=NaN") == And((Or((Contains("page", "NaN"),)),))


@pytest.mark.parametrize("text", ["book", "", "=rules", "book=", "!=x"])
def test_what_is_no_comparison_is_refused(text: str) -> None:
    with pytest.raises(InvalidQueryError, match="write KEY=VALUE"):
        read_filter(text)
