import pytest

from retrieval.understand.catalog.codes import spelled_out


@pytest.mark.parametrize(
    ("values", "code", "name"),
    [
        (["PL", "NZ"], "NZ", "New Zealand"),
        (["en", "fi"], "fi", "Finnish"),
        (["EUR", "CHF"], "CHF", "Swiss Franc"),
    ],
)
def test_codes_are_called_what_they_stand_for(values: list[str], code: str, name: str) -> None:
    assert spelled_out(values)[code] == name


@pytest.mark.parametrize("values", [["PL", "Q9"], ["II", "IV"], ["low", "high"], ["pl", "NZ"], []])
def test_values_of_which_one_is_no_such_code_are_none(values: list[str]) -> None:
    assert spelled_out(values) == {}
