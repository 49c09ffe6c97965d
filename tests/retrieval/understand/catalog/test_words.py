import pytest

from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.catalog.words import keys, of_people, own_nouns, spelled_out, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ida Bauer's plays", ("ida", "bauer", "play")),
        ("high-priority tickets", ("high", "priority", "ticket")),
        ("in_progress", ("in", "progress")),
        ("González", ("gonzalez",)),
        ("released on 2024-05-17, v2.10", ("released", "on", "2024-05-17", "v", "2.10")),
    ],
)
def test_words_are_compared_without_number_case_accents_and_joints(text: str, expected: tuple[str, ...]) -> None:
    assert keys(text) == expected


def test_a_word_knows_its_place_its_plural_and_its_owner() -> None:
    ida, plays = words("Ida's plays")
    assert (ida.owns, ida.is_capital, ida.start, ida.end) == (True, True, 0, 5)
    assert (plays.is_plural, plays.key) == (True, "play")


@pytest.mark.parametrize(
    ("values", "code", "name"),
    [(["PL", "NZ"], "NZ", "New Zealand"), (["en", "fi"], "fi", "Finnish"), (["EUR", "CHF"], "CHF", "Swiss Franc")],
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


def test_what_many_texts_call_themselves_is_a_noun_for_documents() -> None:
    texts = [f"This ferry has {number} decks, and this time it sails." for number in range(12)]
    assert own_nouns(texts) == {"ferry"}
    assert own_nouns([*texts, *["Nothing of the kind."] * 60]) == frozenset()
    assert own_nouns(texts[:9]) == frozenset()


def test_plurals_and_verbs_behind_this_are_none() -> None:
    assert own_nouns(["This is where this allows this boats."] * 20) == frozenset()


def test_a_catalogue_calls_its_documents_so() -> None:
    documents = [CatalogDocument(str(number), f"No. {number}", {"line": "north"}) for number in range(20)]
    assert "ferry" not in Catalog.of(documents).nouns
    assert "ferry" in Catalog.of(documents, texts=["This ferry is slow."] * 20).nouns


@pytest.mark.parametrize(
    ("value", "other"),
    [("Netherlands", "Dutch"), ("Dutch", "Netherlands"), ("Europe", "European"), ("Americas", "American")],
)
def test_a_country_or_continent_and_what_is_from_there_stand_for_each_other(value: str, other: str) -> None:
    assert other in of_people(value)


def test_what_is_no_country_is_from_nowhere() -> None:
    assert [*of_people("sparrow")] == []
