"""The documents of questions about a case file, and about the sample book."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.rag.finder import Finder, finding_record
from retrieval.rag.relevance import relevance_of
from retrieval.search.metadata_filter import read_filter
from retrieval.search.retriever import Retriever
from retrieval.settings import UnderstandSettings
from retrieval.types import Chunk
from tests.openai_server.server import FakeOpenAi

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retrieval.home import Home

FILES = (
    # name, category, document type, author, text
    (
        "complaint",
        "Pleading",
        "filing",
        "John",
        "Complaint of Nikita against the YMCA, which was negligent at the pool.",
    ),
    (
        "emergency",
        "Medical Record",
        "chart",
        "Alice",
        "Emergency room: Nikita, fracture of the wrist at the YMCA pool.",
    ),
    ("mri", "Medical Record", "chart", "Alice", "MRI of the left wrist of Nikita. No further finding."),
    ("letter", "Correspondence", "letter", "Bob", "Letter of the YMCA: we regret the injury and deny negligence."),
    ("bill", "Bill", "invoice", "Bob", "Bill of the hospital for Nikita, 1,200 dollars."),
    ("photo", "Photo", "exhibit", "John", "Photo of the wet floor at the YMCA pool: negligence of the staff."),
    ("memo", "Uncategorized", "letter", "Charlie", "Memo about parking."),
)
UNANSWERED = [
    "How do I cook pasta?",
    "What is the capital of France?",
    "Who won the 1998 world cup?",
    "How do I reset my password?",
    "What does a train ticket to Berlin cost?",
    "How tall is Mount Everest?",
    "Which vaccine protects against measles?",
    "How do I install a printer driver?",
    "What is the interest rate of a mortgage?",
    "Who wrote Hamlet?",
    "How many calories are in a banana?",
    "When does the museum open on Sunday?",
    "What is the boiling point of mercury?",
    "How do I file a tax return?",
    "Which planet has the most moons?",
]
MODEL = UnderstandSettings(model="m")


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    chunks = []
    for name, category, kind, author, text in FILES:
        key = (f"{name}-1", "case", f"{name}.md", "prose", text, text, text, (1, 1), (name.title(),))
        chunks.append(Chunk(*key, metadata={"category": category, "doc_type": kind, "author": author}))
    home, embedder = tmp_path_factory.mktemp("case"), load_embedder()
    vectors = embedder.embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(home, chunks, vectors, embedder.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        yield Retriever(snapshot, embedder)


@pytest.fixture(scope="module")
def finder(case: Retriever) -> Finder:
    return Finder(case, environment={})


@pytest.fixture(scope="module")
def book(sample: Home) -> Retriever:
    return Retriever.open(sample.root)


def names(found: object) -> list[str]:
    return [document.document.removesuffix(".md") for document in found.result.documents]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        ("YMCA negligence in medical records", ("category", "Medical Record")),
        ("YMCA negligence in the pleadings", ("category", "Pleading")),
        ("what do the charts say about negligence of the YMCA", ("doc_type", "chart")),
    ],
)
def test_a_category_or_document_type_in_a_question_excludes_nothing(finder, question, hint):
    result = finder.find(question)
    assert (result.result.conditions, result.result.filter, len(result.result.documents)) == ((), None, len(FILES))
    assert [(hint.field, hint.value, hint.weight) for hint in result.result.hints] == [(*hint, 1.2)]
    for document in result.result.documents:
        is_hinted = document.metadata[hint[0]] == hint[1]
        assert document.hinted is not None
        assert document.hinted.category_boost == (1.2 if is_hinted else 1.0)
        assert document.hinted.adjusted_relevance == pytest.approx(
            document.hinted.original_relevance * document.hinted.category_boost
        )


def test_a_hint_is_searched_among_the_other_conditions_of_its_question(finder: Finder) -> None:
    result = finder.find("medical records by Bob")
    assert [condition.fields for condition in result.result.conditions] == [("author",)]
    assert sorted(names(result)) == ["bill", "letter"]


def test_only_where_filters_by_a_category_and_nothing_relaxes_it(finder: Finder) -> None:
    wanted = read_filter("category=Medical Record")
    assert sorted(names(finder.find("YMCA negligence", where=wanted))) == ["emergency", "mri"]
    none = finder.find("documents by John", where=wanted)
    assert (none.result.conditions, sorted(names(none))) == ((), ["emergency", "mri"])
    assert "no document meets the conditions; dropped 'John'" in none.notes[0]


@pytest.mark.parametrize(
    ("question", "total"), [("how many medical records are there?", 2), ("documents that are not medical records", 5)]
)
def test_a_category_that_is_counted_or_denied_is_a_condition(finder: Finder, question: str, total: int) -> None:
    assert finder.find(question).result.total == total


@pytest.mark.parametrize("strategy", ["bm25", "hybrid", "dense"])
def test_a_hint_multiplies_the_scores_of_any_strategy(case: Retriever, strategy: str) -> None:
    plain = Finder(case, environment={}, strategy=strategy).find("negligence at the pool")
    hinted = Finder(case, environment={}, strategy=strategy).find("negligence at the pool in pleadings")
    assert plain.result.documents[0].hinted.original_relevance == 1.0
    assert names(hinted)[0] == "complaint"


@pytest.mark.parametrize("question", UNANSWERED)
def test_rounds_go_on_for_a_question_that_the_book_does_not_answer(book: Retriever, question: str) -> None:
    result = Finder(book, environment={}).find(question)
    assert result.rounds is not None
    assert len(result.rounds.executed_queries) > 1
    assert "nothing in these books answers" in result.reason
    assert "relevant enough" not in result.rounds.stopped


@pytest.mark.parametrize("question", ["What does a mace cost?", "psionic blast", "longsword versus dagger: cost"])
def test_rounds_end_with_the_first_that_answers(book: Retriever, question: str) -> None:
    result = Finder(book, environment={}).find(question, explain=True)
    assert result.rounds is not None
    assert (len(result.rounds.decisions), result.reason) == (1, "")


def test_the_decider_sees_the_relevance_that_answers_are_refused_by(book: Retriever) -> None:
    question = "How do I cook pasta?"
    result = Finder(book, environment={}).find(question)
    assert result.rounds is not None
    (first, *_) = [fact for fact in result.rounds.facts if fact.iteration == 1]
    ids = book.retrieve(question, 30, "default").chunk_ids
    assert first.hinted.relevance == pytest.approx(relevance_of(book)(question, ids)[0], abs=0.05)
    assert first.hinted.relevance < 0.1 < first.hinted.original_relevance


def reading(body: Mapping[str, object]) -> str:
    """What a model answers to each of the three forms that it is asked for."""
    query = json.dumps(body["response_format"])
    if "sub_queries" in query and "main_intent" in query:
        weights = [{"category": "Photo", "weight": 1.5}]
        parts = {"main_intent": "evidence", "sub_queries": ["YMCA negligence"], "search_keywords": ["YMCA"]}
        return json.dumps({**parts, "category_hints": ["Pleading"], "category_weights": weights})
    if "continue_iteration" in query:
        stop = {"continue_iteration": False, "next_sub_queries": [], "category_focus": []}
        return json.dumps({**stop, "reasoning": "the model has enough"})
    condition = {"text": "John's", "field": "author", "operator": "$eq", "values": ["Zorro"], "negated": False}
    output = {"conditions": [condition], "topic": "negligence", "intent": "combined", "group_by": "", "confidence": 0.9}
    return json.dumps({**output, "explanation": "as the model says"})


def test_a_model_reads_takes_apart_and_decides_over_a_socket(case: Retriever, chat_server: FakeOpenAi) -> None:
    chat_server.answering = reading
    result = Finder(case, MODEL, environment=chat_server.environment).find(
        "Zorro's evidence of negligence", explain=True
    )
    assert [body["model"] for body in chat_server.asked] == ["m"] * 3
    assert (result.read_by, result.result.analysis.explanation) == ("m", "as the model says")
    assert result.rounds is not None
    assert result.rounds.stopped == "the model has enough"
    boosts = {
        document.metadata["category"]: document.hinted.category_boost
        for document in result.result.documents
        if document.hinted
    }
    assert (boosts["Pleading"], boosts["Photo"], boosts["Bill"]) == (1.2, 1.5, 1.0)
    assert result.notes == (
        "no document has 'Zorro' as author (there are Alice, Bob, John, Charlie); it is searched as a word",
    )
    assert result.tokens > 0


def test_without_a_key_the_rules_read_and_that_is_told(case: Retriever, chat_server: FakeOpenAi) -> None:
    result = Finder(case, MODEL, environment={"OPENAI_BASE_URL": chat_server.address}).find("documents by John")
    assert (result.read_by, result.tokens, chat_server.asked) == ("rules", 0, [])
    assert result.notes == ("m was not called, because OPENAI_API_KEY is not set; the question was read by rules",)
    assert sorted(names(result)) == ["complaint", "photo"]


def test_a_key_alone_sends_nothing(case: Retriever, chat_server: FakeOpenAi) -> None:
    result = Finder(case, environment=chat_server.environment).find("documents by John")
    assert (result.read_by, result.notes, chat_server.asked) == ("rules", (), [])


def test_a_model_that_fails_is_told_and_the_rules_read(case: Retriever, chat_server: FakeOpenAi) -> None:
    chat_server.status = 401
    result = Finder(case, MODEL, environment=chat_server.environment).find("documents by John")
    assert result.read_by == "rules"
    assert sorted(names(result)) == ["complaint", "photo"]
    assert any("read without one" in note for note in result.notes)
    assert any("could not decompose the question" in note for note in result.notes)
    assert not any("sk-a-secret" in note for note in result.notes)


def test_a_finding_is_json(finder: Finder) -> None:
    record = json.loads(json.dumps(finding_record(finder.find("YMCA negligence in medical records", explain=True))))
    assert record["hints"] == [
        {"text": "medical records", "field": "category", "value": "Medical Record", "weight": 1.2}
    ]
    assert {each["category_boost"] for each in record["documents"]} == {1.0, 1.2}
    assert (record["read_by"], record["decomposition"]["category_hints"]) == ("rules", ["Medical Record"])
