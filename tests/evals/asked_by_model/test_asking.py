from __future__ import annotations

import json
from pathlib import Path

from evals.asked_by_model.asking import IS_USABLE, ask_about
from evals.asked_by_model.place import places_of, prompt_version
from evals.questions.chunk_places import ChunkPlaces
from evals.questions.gold import resolve
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.models.access import Access
from retrieval.models.chat import Answered, Asked, Usage
from retrieval.models.inquiries import Inquiries
from retrieval.models.inquiry import Inquiry
from retrieval.models.options import ModelOptions
from tests.evals.asked_by_model.conftest import asks_for_each
from tests.openai_server.faults import InTurn
from tests.openai_server.server import FakeOpenAi


def asking(server: FakeOpenAi, folder: Path) -> Inquiries:
    access = Access.of_environment(server.environment)
    return Inquiries(access, folder, ModelOptions("m", None, timeout=5.0), prompt_version())


def test_questions_come_by_document_with_gold_that_is_found(
    snapshot: Snapshot, chat_server: FakeOpenAi, tmp_path: Path
) -> None:
    chat_server.answering = asks_for_each
    written = ask_about(places_of(snapshot.chunks, 3), snapshot, asking(chat_server, tmp_path))
    (document,) = written.documents
    assert (document.book, document.document, written.n_questions) == ("tiny", "01.md", 4)
    assert (written.disbelieved, written.left) == ((), ())
    found = resolve(document.questions, ChunkPlaces(tuple(snapshot.chunks)))
    assert len(found.gold) == 4
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
    asked = Inquiry("key", Asked("m", (), 10))
    whole = '{"questions": [{"passage": 1, "question": "why?"}]}'
    assert IS_USABLE(asked, Answered(whole, None, "stop", Usage()))
    assert not IS_USABLE(asked, Answered(whole, None, "length", Usage()))
    assert not IS_USABLE(asked, Answered(whole, "no", "stop", Usage()))
    assert not IS_USABLE(asked, Answered('{"questions": [{"passage": 1}]}', None, "stop", Usage()))
