import pytest

from evals.asked_by_model.believing import Disbelieved, believed
from evals.asked_by_model.form import ModelQuestion
from evals.asked_by_model.place import AskedPlace, places_of
from retrieval.index.snapshot.snapshot import Snapshot


@pytest.fixture
def table(snapshot: Snapshot) -> AskedPlace:
    return places_of(snapshot.chunks, 3)[1]


def test_a_question_in_other_words_is_one_with_gold(snapshot: Snapshot, table: AskedPlace) -> None:
    made = believed(ModelQuestion(passage=2, question="  what do I pay\nfor a longsword? "), table, snapshot)
    assert not isinstance(made, Disbelieved)
    chunk, question = made
    assert (chunk.row_key, question.query) == ("Long sword", "what do I pay for a longsword?")
    assert (question.kind, question.tags, question.generated) == (
        "generated-by-model",
        ("generated", "by-model"),
        True,
    )
    assert question.gold[0].row_key == "Long sword"


@pytest.mark.parametrize(
    ("passage", "text", "why"),
    [
        (4, "what does it cost?", "there is no passage 4"),
        (0, "what does it cost?", "there is no passage 0"),
        (1, "", "it has 0 characters"),
        (1, "why " * 100, "it has 399 characters"),
        (1, "what does 1d6 hurt?", "it says 6, which its passage does not"),
        (1, "what is in the table of blades?", "it talks of the place and not of what is asked"),
        (1, "what does a mace cost?", "it names another row of the table and not its own"),
    ],
)
def test_a_question_whose_label_cannot_be_right_is_not_used(
    snapshot: Snapshot, table: AskedPlace, passage: int, text: str, why: str
) -> None:
    made = believed(ModelQuestion(passage=passage, question=text), table, snapshot)
    assert isinstance(made, Disbelieved)
    assert made.why == why
