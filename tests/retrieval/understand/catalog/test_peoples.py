import pytest

from retrieval.understand.catalog.peoples import of_people


@pytest.mark.parametrize(
    ("value", "other"),
    [("Netherlands", "Dutch"), ("Dutch", "Netherlands"), ("Europe", "European"), ("Americas", "American")],
)
def test_a_country_or_continent_and_what_is_from_there_stand_for_each_other(value: str, other: str) -> None:
    assert other in of_people(value)


def test_what_is_no_country_is_from_nowhere() -> None:
    assert [*of_people("sparrow")] == []
