from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retrieval.rag.question_words import PassageWords, QuestionWords, contradicts_number, is_polar
from retrieval.search.retriever import Retriever
from tests.chunks import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import Snapshot


@pytest.fixture(scope="module")
def snapshot(sample: Home) -> Iterator[Snapshot]:
    with Retriever.open(sample.root).snapshot as opened:
        yield opened


def test_names_and_codes_are_specific_and_numbers_are_not(snapshot: Snapshot) -> None:
    words = QuestionWords.of("What is FOO_BAR of the iPhone 12 in Canberra?", snapshot)
    assert words.specific == ("FOO_BAR", "iPhone", "Canberra")
    assert QuestionWords.of("Dagger cost", snapshot).specific == ()


def test_a_passage_names_what_it_misses_the_rarest_first(snapshot: Snapshot) -> None:
    words = QuestionWords.of("limit of a level 7 cleric with quicksilver", snapshot)
    passage = PassageWords.of(replace(EMPTY, search_text="cleric level 7"), snapshot)
    missing = passage.missing(words)
    assert set(missing) == {"limit", "quicksilver"}
    assert 0.0 < passage.cover(words) < 1.0
    assert sorted(missing, key=lambda word: -words.weights[words.words.index(word)]) == list(missing)


def test_words_that_only_compare_are_not_missing(snapshot: Snapshot) -> None:
    passage = PassageWords.of(replace(EMPTY, search_text="maul"), snapshot)
    words = QuestionWords.of("which is heavier, the difference between maul vs quicksilver", snapshot)
    assert passage.missing(words) == ("quicksilver",)


def test_an_identifier_is_missing_although_its_parts_are_there(snapshot: Snapshot) -> None:
    passage = PassageWords.of(replace(EMPTY, search_text="http_req_duration of reqs"), snapshot)
    words = QuestionWords.of("type of http_reqs and http_req_duration", snapshot)
    assert passage.missing(words)[0] == "http_reqs"
    assert "http_req_duration" not in passage.missing(words)


def test_a_capital_within_a_word_asks_for_no_identifier_that_the_books_lack(snapshot: Snapshot) -> None:
    assert QuestionWords.of("QuickSilver", snapshot).all_tokens == QuestionWords.of("quicksilver", snapshot).all_tokens


def test_a_code_is_found_however_its_parts_are_joined(snapshot: Snapshot) -> None:
    passage = PassageWords.of(replace(EMPTY, search_text="the mx-64, UN 1824, SpO₂ and GTU 17"), snapshot)
    assert passage.has("MX_64")
    assert passage.has("UN1824")
    assert passage.has("spo2")
    assert not passage.has("UN182")
    assert passage.has("GTU 17")
    assert not passage.has("GTU 1")


def test_a_question_without_words_is_covered_by_everything(snapshot: Snapshot) -> None:
    words = QuestionWords.of("what is it", snapshot)
    assert PassageWords.of(EMPTY, snapshot).named(words) == 1.0


@pytest.mark.parametrize(
    ("question", "wanted"),
    [("Is it?", True), ("30,000 connections, ok?", True), ("What is it?", False), ("island", False)],
)
def test_questions_that_want_yes_or_no(question: str, wanted: bool) -> None:
    assert is_polar(question) is wanted


BERTH = replace(
    EMPTY,
    caption="Berths",
    row_key="2",
    columns=("Berth", "Max. draught", "Levels"),
    cells=("2", "4 m", "4-6"),
)


@pytest.mark.parametrize("question", ["fee of berth 4", "berth 1 or berth 3", "which fee at level 9?"])
def test_another_number_under_the_same_label_is_a_contradiction(question: str) -> None:
    assert contradicts_number(question, BERTH)


@pytest.mark.parametrize(
    "question", ["fee of berth 2", "level 5", "berth 1 or berth 2", "4", "pier 4", "draught of 9 m", "the 7th level"]
)
def test_a_number_that_the_row_has_or_that_nothing_in_it_is_called_after_is_none(question: str) -> None:
    assert not contradicts_number(question, BERTH)


def test_a_number_within_the_key_of_a_row_is_not_missing(snapshot: Snapshot) -> None:
    words = QuestionWords.of("toll for 350 km", snapshot)
    row = replace(
        EMPTY, search_text="toll", row_key="201–400", columns=("Distance, km", "Toll"), cells=("201–400", "9")
    )
    other = replace(row, row_key="401–600", cells=("401–600", "9"))
    assert "350" not in PassageWords.of(row, snapshot).missing(words)
    assert "350" in PassageWords.of(other, snapshot).missing(words)
    assert PassageWords.of(row, snapshot).cover(words) > PassageWords.of(other, snapshot).cover(words)


def test_the_words_of_an_age_within_the_key_are_not_missing(snapshot: Snapshot) -> None:
    row = replace(EMPTY, search_text="dose", row_key="6 mo – 6 y", columns=("Age",), cells=("6 mo – 6 y",))
    words = QuestionWords.of("dose for a 3 year old", snapshot)
    assert PassageWords.of(row, snapshot).missing(words) == ()
