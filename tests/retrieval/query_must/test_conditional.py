import pytest

from retrieval.errors import BadPredicateError
from retrieval.query_must import in_words, parse_query_must
from retrieval.query_must.conditional import Membership, always_asks, membership, only_conditional

ROW = '{"contain_no_rival": {"table": "weapons", "row": 3}}'
BOTH = '{"contain": "axe", "contain_no_rival": {"table": "weapons", "row": 3}}'


def test_a_row_says_which_table_it_is_of() -> None:
    assert membership(ROW) == membership(BOTH) == Membership("weapons", 3)
    assert membership('{"contain": "contain_no_rival"}') is None
    assert membership("contain_no_rival") is None
    assert membership(None) is None


def test_only_a_predicate_that_asks_nothing_else_is_conditional() -> None:
    assert only_conditional(ROW)
    assert not only_conditional(BOTH)
    assert (always_asks(ROW), always_asks(BOTH), always_asks("[]"), always_asks(None)) == (False, True, True, False)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "weapons",
        {"table": "weapons"},
        {"table": "", "row": 1},
        {"table": "w", "row": -1},
        {"table": "w", "row": True},
    ],
)
def test_another_value_is_refused(value: object) -> None:
    with pytest.raises(BadPredicateError, match="contain_no_rival"):
        parse_query_must({"contain_no_rival": value}, strict=True)


def test_it_is_said_in_words() -> None:
    assert in_words(ROW) == "The question must say nothing that names another row of its table and not this one."
