"""Several collections of real rows in one call, each with the words of its own book."""

from pathlib import Path

import pytest

from retrieval.query_must import Vocabulary
from retrieval.search.foreign import retrieve_with_iterative_filtering
from retrieval.search.iterative import IterativeOutcome

BOTH = ["combat", "psionics", "monsters"]
QUESTION = "psionic blast by a cleric with wits 8, or his roll to hit defence 6?"
DEFENCE = Vocabulary.default().merge(Vocabulary.from_json({"labels": {"ac": {"forms": ["defence"]}}}))
WITS = Vocabulary.default().merge(Vocabulary.from_json({"labels": {"int": {"forms": ["wits"]}}}))


@pytest.fixture(scope="module")
def folder(sample_collections: Path) -> Path:
    return sample_collections


def ask(folder, question, vocabulary=None, k=30):
    return retrieve_with_iterative_filtering(question, BOTH, k, 9, client=folder, vocabulary=vocabulary)


def matrix_rows(outcome: IterativeOutcome) -> set[tuple[str, str]]:
    """Collection, and table and key, of the kept rows that always ask."""
    return {
        (str(each.collection), " ".join(each.title.split(" ")[:: len(each.title.split(" ")) - 1]))
        for each in outcome.kept
        if "contain_one_of" in (each.query_must or "")
    }


@pytest.mark.parametrize(
    ("vocabulary", "rows"),
    [
        (None, set()),
        ({"combat": DEFENCE}, {("combat", "I.A. 6")}),
        ({"psionics": WITS}, {("psionics", "IV.C. 6-9")}),
        ({"combat": DEFENCE, "psionics": WITS}, {("combat", "I.A. 6"), ("psionics", "IV.C. 6-9")}),
        ({"combat": WITS, "psionics": DEFENCE}, set()),
        ({"monsters": DEFENCE.merge(WITS)}, set()),
        (DEFENCE.merge(WITS), {("combat", "I.A. 6"), ("psionics", "IV.C. 6-9")}),
    ],
    ids=[
        "generic",
        "combat",
        "psionics",
        "each its own",
        "each the other's",
        "one without guarded rows",
        "one for all",
    ],
)
def test_each_collection_reads_the_question_in_its_own_words(folder, vocabulary, rows):
    assert matrix_rows(ask(folder, QUESTION, vocabulary)) == rows


def test_the_readings_of_the_outcome_are_those_of_the_vocabularies(folder: Path) -> None:
    outcome = ask(folder, QUESTION, {"combat": DEFENCE, "psionics": WITS})
    assert list(outcome.readings) == BOTH
    read = {name: {output for output in ("ac 6", "int 8") if output in text} for name, text in outcome.readings.items()}
    assert read == {"combat": {"ac 6"}, "psionics": {"int 8"}, "monsters": set()}


def test_noisy_rows_that_stand_back_leave_fewer_to_be_excluded(folder: Path) -> None:
    question = "What does a 7th level cleric need to roll to hit AC 6?"
    plain, back = (
        retrieve_with_iterative_filtering(question, BOTH, client=folder, noisy_weight=weight) for weight in (1.0, 0.5)
    )
    assert plain.rounds > back.rounds
    assert plain.excluded > back.excluded
