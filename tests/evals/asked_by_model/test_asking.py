import json
from dataclasses import replace
from pathlib import Path

import pytest

from evals.asked_by_model.asking import (
    IS_USABLE,
    MOST_PASSAGES,
    AskedPlace,
    Disbelieved,
    ModelQuestion,
    ask_about,
    believed,
    places_of,
    prompt_version,
)
from evals.questions.gold import ChunkPlaces, resolve
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.models.access import Access
from retrieval.models.batching import Inquiry
from retrieval.models.chat import Answered, ChatRequest, Usage
from retrieval.models.inquiries import Inquiries
from retrieval.models.spending import ModelOptions
from tests.evals.asked_by_model.conftest import asks_for_each
from tests.openai_server.faults import InTurn
from tests.openai_server.server import FakeOpenAi


def asking(server: FakeOpenAi, folder: Path) -> Inquiries:
    access = Access.of_environment(server.environment)
    return Inquiries(access, folder, ModelOptions("m", None, timeout=5.0), prompt_version())


def test_questions_come_by_document_with_gold_that_is_found(snapshot, chat_server, tmp_path):
    chat_server.answering = asks_for_each
    written = ask_about(places_of(snapshot.chunks, 3), snapshot, asking(chat_server, tmp_path))
    (document,) = written.documents
    assert (document.book, document.document, written.n_questions) == ("tiny", "01.md", 4)
    assert (written.disbelieved, written.left) == ((), ())
    result = resolve(document.questions, ChunkPlaces(tuple(snapshot.chunks)))
    assert len(result.gold) == 4
    again = ask_about(places_of(snapshot.chunks, 3), snapshot, asking(chat_server, tmp_path))
    assert (again.documents, again.bill.used) == (written.documents, Usage())
    assert len(chat_server.asked) == 2


def test_a_question_that_two_places_got_is_nobodys_and_a_place_without_an_answer_says_why(
    snapshot: Snapshot, chat_server: FakeOpenAi, tmp_path: Path
) -> None:
    chat_server.answering = lambda _: json.dumps({"questions": [{"passage": 1, "question": "what is short?"}]})
    written = ask_about(places_of(snapshot.chunks, 3), snapshot, asking(chat_server, tmp_path))
    assert written.documents == ()
    assert [each.why for each in written.disbelieved] == ["two places got it"] * 2
    chat_server.plan = InTurn(["refusal"] * 4)
    other = ask_about(places_of(snapshot.chunks, 2)[1:], snapshot, asking(chat_server, tmp_path / "other"))
    assert other.left == ("refused: I cannot help with that",)


def test_only_a_whole_answer_in_the_form_is_of_use() -> None:
    inquiry = Inquiry("key", ChatRequest("m", (), 10))
    whole = '{"questions": [{"passage": 1, "question": "why?"}]}'
    assert IS_USABLE(inquiry, Answered(whole, None, "stop", Usage()))
    assert not IS_USABLE(inquiry, Answered(whole, None, "length", Usage()))
    assert not IS_USABLE(inquiry, Answered(whole, "no", "stop", Usage()))
    assert not IS_USABLE(inquiry, Answered('{"questions": [{"passage": 1}]}', None, "stop", Usage()))


@pytest.fixture
def table(snapshot: Snapshot) -> AskedPlace:
    return places_of(snapshot.chunks, 3)[1]


def test_a_question_in_other_words_is_one_with_gold(snapshot: Snapshot, table: AskedPlace) -> None:
    made = believed(ModelQuestion(passage=2, question="  what do I pay\nfor a longsword? "), table, snapshot)
    assert not isinstance(made, Disbelieved)
    chunk, question = made
    assert (chunk.row_key, question.query) == ("Long sword", "what do I pay for a longsword?")
    assert (question.kind, question.tags, question.generated) == ("generated-by-model", ("generated", "by-model"), True)
    assert question.gold[0].row_key == "Long sword"


@pytest.mark.parametrize(
    ("passage", "text", "why"),
    [
        (4, "what does it cost?", "there is no passage 4"),
        (0, "what does it cost?", "there is no passage 0"),
        (1, "", "it has 0 characters"),
        (1, "why " * 100, "it has 399 characters"),
        (1, "what does 1d6 hurt?", "it says 6, which its passage does not"),
        (1, "what is in the table of blades?", "it is about the place, not about its content"),
        (1, "what does a mace cost?", "it names another row of the table and not its own"),
    ],
)
def test_a_question_whose_label_cannot_be_right_is_not_used(snapshot, table, passage, text, why):
    made = believed(ModelQuestion(passage=passage, question=text), table, snapshot)
    assert isinstance(made, Disbelieved)
    assert made.why == why


def test_each_table_and_each_section_is_a_place(snapshot: Snapshot) -> None:
    prose, table = places_of(snapshot.chunks, 2)
    assert [chunk.row_key for chunk in table.chunks] == ["Dagger", "Long sword", "Mace"]
    assert (prose.wanted, table.wanted) == (1, 2)
    told = json.loads(table.inquiry("m").request.messages[1][1])
    assert told["passages"][0] == {"passage": 1, "text": "Weapon: Dagger; Damage: 1d4; Cost: 2 gp"}
    assert told["headings"] == ["Tiny Rules", "Weapons"]


def test_of_a_long_place_passages_from_its_beginning_to_its_end_are_shown(snapshot: Snapshot) -> None:
    row = next(chunk for chunk in snapshot.chunks if chunk.row_key)
    (position,) = places_of([replace(row, position=number, id=str(number)) for number in range(200)], 3)
    shown = [int(chunk.id) for chunk in position.chunks]
    assert len(shown) == MOST_PASSAGES
    assert shown == sorted(set(shown))
    assert shown[-1] > 190


def test_what_is_sent_decides_under_which_name_an_answer_is_kept(snapshot: Snapshot) -> None:
    one, other = places_of(snapshot.chunks, 2)
    assert one.inquiry("m").key == places_of(snapshot.chunks, 2)[0].inquiry("m").key
    assert one.inquiry("m").key != other.inquiry("m").key
    assert prompt_version().startswith("questions-v1-")
