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


def test_a_few_values_that_are_no_codes_leave_the_others_spelled_out() -> None:
    codes = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru", "sv"]
    assert spelled_out([*codes, "English"])["pt"] == "Portuguese"
    assert spelled_out([*codes[:3], "English"]) == {}
