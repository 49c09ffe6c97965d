import pytest
from pydantic import BaseModel

from retrieval.models.chat import Answered, Usage
from retrieval.models.prompts import prompt_words, versioned


class One(BaseModel):
    place: int


class Other(BaseModel):
    places: list[int]


def test_the_version_has_the_number_of_the_prompt_and_another_form_is_another_version() -> None:
    package, file = "retrieval.search.by_model", "prompt_v1.txt"
    one, other = versioned(package, file, One), versioned(package, file, Other)
    assert {one.partition("-")[0], other.partition("-")[0]} == {"v1"}
    assert one != other
    assert prompt_words(package, file).startswith("You put passages")


@pytest.mark.parametrize(
    ("content", "refusal", "finish", "read"),
    [
        ('{"place": 3}', None, "stop", One(place=3)),
        ('{"place": 3}', None, "length", None),
        ('{"place": 3}', "I will not", "stop", None),
        ('{"place": "x"}', None, "stop", None),
        ("no form", None, "stop", None),
    ],
)
def test_an_answer_is_read_only_if_it_is_whole_and_in_the_form(
    content: str, refusal: str | None, finish: str, read: One | None
) -> None:
    assert Answered(content, refusal, finish, Usage()).in_form(One) == read
