import pytest

from retrieval.understand.catalog.words import keys, words


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
