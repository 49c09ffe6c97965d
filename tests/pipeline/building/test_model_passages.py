from pathlib import Path

from pipeline.building.model_passages import OUTCOMES, SAMPLE, keep_report, make_chunks, sample, told
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.ingest.model_passages.describing import PassageOutcome
from retrieval.models.access import Access
from retrieval.settings import PassagesSettings, Settings
from retrieval.types import Book, Chunk
from tests.openai_server.passage_model import describing
from tests.openai_server.server import FakeOpenAi

BY_MODEL = Settings(passages=PassagesSettings("model"))


def of_tiny(tiny: Home) -> tuple[Book, tuple[Chunk, ...]]:
    folder = tiny.book("tiny")
    (book,) = read_jsonl(folder / "book.jsonl", Book)
    return book, read_jsonl(folder / "chunks.jsonl", Chunk)


def test_the_rules_say_what_passages_are_about_unless_a_model_is_asked_for(tiny: Home, tmp_path: Path) -> None:
    book, chunks = of_tiny(tiny)
    made = make_chunks(Settings(), tmp_path, book.documents, chunks, Access())
    assert made.chunks == chunks
    assert made.numbers == {
        "enrichment": "rules",
        "n_by_model": 0,
        "n_left_to_rules": 0,
        "n_waiting": 0,
        "n_not_believed": 0,
        "n_model_tokens": 0,
        "model_usd": 0.0,
        "kind_agreement": None,
    }
    assert told(made.described) == ""


def test_a_model_says_what_it_did_and_leaves_a_page_for_a_person(tiny: Home, chat_server: FakeOpenAi) -> None:
    chat_server.answering = describing
    book, chunks = of_tiny(tiny)
    access = Access.of_environment(chat_server.environment)
    made = make_chunks(BY_MODEL, tiny.models, book.documents, chunks, access)
    assert (made.numbers["n_by_model"], made.numbers["kind_agreement"]) == (1, 0.0)
    assert str(made.numbers["enrichment"]).startswith("gpt-4o-mini, prompt passages-v1-")
    assert told(made.described).startswith("; gpt-4o-mini described 1 passages; ")
    assert made.described is not None
    keep_report(tiny.book("tiny"), made.described)
    (outcome,) = read_jsonl(tiny.book("tiny") / OUTCOMES, PassageOutcome)
    assert (outcome.reason, outcome.n_answers) == ("", 1)
    page = (tiny.book("tiny") / SAMPLE).read_text("utf-8")
    assert page == sample(made.described)
    assert "- content_kind: rule; by the rules narrative" in page
    assert "- summary: Daggers are short and cheap. A; by the rules nothing" in page
    assert "> Daggers are short and cheap. A dagger is drawn in a moment." in page
    keep_report(tiny.book("tiny"), None)
    assert not (tiny.book("tiny") / OUTCOMES).exists()


def test_without_a_key_the_log_says_that_the_rules_did_it(tiny: Home) -> None:
    book, chunks = of_tiny(tiny)
    made = make_chunks(BY_MODEL, tiny.models, book.documents, chunks, Access())
    assert (made.chunks, made.numbers["n_waiting"]) == (chunks, 1)
    assert "1 left to the rules (no key)" in told(made.described)
