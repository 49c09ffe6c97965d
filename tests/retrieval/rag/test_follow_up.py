"""Follow-up questions, made whole."""

from __future__ import annotations

import pytest

from retrieval.rag.follow_up import Turn, complete, is_follow_up

MACE = Turn("What does a mace cost?", "Mace, heavy", frozenset({"mace", "heavy"}))
DOSE = Turn(
    "what is the dose of paracetamol at 30 kg", "21-40 kg", frozenset({"weight"}), (frozenset({"paracetamol"}),)
)
CLERIC = Turn("What does a 7th level cleric need to roll to hit AC 6?", "6", frozenset({"armor", "class", "opponent"}))
BATCH = Turn("What does K6_BATCH default to?", "Batch", frozenset({"batch"}))
ALARM = Turn("What does alarm 4 mean?", "4", frozenset({"alarm"}))
VALUE = Turn("What does value 3 of GCS_ENABLE mean?", "Value 3", frozenset({"value"}))


@pytest.mark.parametrize(
    ("turn", "question", "whole"),
    [
        (CLERIC, "and AC 4?", "What does a 7th level cleric need to roll to hit AC 4?"),
        (CLERIC, "And at 9th level?", "What does a 9th level cleric need to roll to hit AC 6?"),
        (CLERIC, "what about AC -1", "What does a 7th level cleric need to roll to hit AC -1?"),
        (CLERIC, "what if 3rd level against AC 2?", "What does a 3rd level cleric need to roll to hit AC 2?"),
        (DOSE, "what about 80 kg?", "what is the dose of paracetamol at 80 kg"),
        (DOSE, "and ibuprofen?", "what is the dose of ibuprofen at 30 kg"),
        (DOSE, "what about 80?", "what is the dose of paracetamol at 80"),
        (MACE, "and for 80 kg?", "What does a mace cost 80 kg"),
        (MACE, "what about a halberd?", "What does a halberd cost?"),
        (MACE, "and the long sword?", "What does the long sword cost?"),
        (MACE, "or maces?", "What does a maces cost?"),
        (MACE, "how heavy is it?", "how heavy is Mace, heavy?"),
        (MACE, "and what is its damage?", "what is Mace, heavy's damage?"),
        (ALARM, "and alarm 5?", "What does alarm 5 mean?"),
        (ALARM, "what about error 5?", "What does error 5 mean?"),
        (ALARM, "how about G54?", "What does G54 mean?"),
        (ALARM, "and the homing cycle?", "What does the homing cycle mean?"),
        (BATCH, "and K6_BATCH_PER_HOST?", "What does K6_BATCH_PER_HOST default to?"),
        (VALUE, "what about LEAK_ENABLE?", "What does value 3 of LEAK_ENABLE mean?"),
        (VALUE, "and value 4?", "What does value 4 of GCS_ENABLE mean?"),
        (MACE, "What does a lamp cost?", None),
        (MACE, "and?", None),
        (MACE, "and for the other one?", None),
    ],
)
def test_a_follow_up_is_made_whole_or_left(turn: Turn, question: str, whole: str | None) -> None:
    assert complete(question, turn) == whole


@pytest.mark.parametrize(
    ("question", "refers"),
    [
        ("and AC 4?", True),
        ("What about a halberd?", True),
        ("how heavy is it?", True),
        ("What does a lamp cost?", False),
        ("Is an item cursed?", False),
    ],
)
def test_only_what_refers_back_is_a_follow_up(question: str, refers: bool) -> None:
    assert is_follow_up(question) == refers


def test_a_long_run_of_separators_is_read_in_no_time() -> None:
    long = Turn(f"What does {'_' * 1000} {'a_' * 500} mace cost?", "Mace", frozenset({"mace"}))
    assert complete("and a bow?", long) == long.question.replace("mace", "a bow")
