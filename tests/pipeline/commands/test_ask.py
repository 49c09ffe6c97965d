"""Documents by the conditions of a question, as a person asks for them."""

import json
from typing import Any

import pytest

from retrieval.home import Home
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.search.retriever import Retriever
from retrieval.types import Retrieval
from tests.openai_server.server import fake_openai


@pytest.fixture
def run_ask(run, sample: Home):
    return lambda *arguments: run("ask", *arguments, "--home", sample.root)


def test_conditions_are_read_and_said(run_ask) -> None:
    status, out, _ = run_ask("documents about psionics updated since 2020", "--debug", "--today", "2026-08-22")
    assert status == 0
    assert "[READ] combined: read 'since 2020' as " in out
    assert "[FILTER] 'since 2020'" in out
    assert "[PLAN] " in out
    assert "psionics.md)" in out.lower()


@pytest.fixture
def case(run, made_once, builds_here):
    """Asks about a file of documents, which the first test process to ask for it builds by the command."""
    files = [
        {"id": "complaint", "text": "The YMCA was negligent at the pool.", "category": "Pleading", "author": "John"},
        {"id": "chart", "text": "Fracture of the wrist at the YMCA.", "category": "Medical Record", "author": "Alice"},
        {"id": "memo", "text": "Parking in the yard.", "category": "Memo", "author": "Alice"},
        {"id": "empty"},
    ]
    for file, status in zip(files, ("open", "closed", "open"), strict=False):
        file["status"] = status

    def make(folder):
        library = folder / "case.jsonl"
        library.write_text("".join(json.dumps(file) + "\n" for file in files), encoding="utf-8")
        built = run("build", "--library", library, "--home", folder / "home")
        assert built.status == 0
        (folder / "said").write_text(built.out + built.err, encoding="utf-8")

    home = made_once("case", make) / "home"
    return lambda *arguments: run("ask", *arguments, "--home", home)


def test_a_category_ranks_with_a_weight_that_is_shown_and_where_filters(case) -> None:
    question = "negligence of the YMCA in the medical records"
    status, out, errors = case(question, "--debug")
    assert (status, len([line for line in out.splitlines() if "(case/" in line])) == (0, 3)
    assert "[HINT] 'medical records': category 'Medical Record', weight 1.20" in out
    assert "x boost 1.20 = " in out
    assert "Executing vector search with category hints: ['Medical Record']" in errors
    assert "Applying filters" not in errors + out
    assert "[FILTER]" not in out
    only = case(question, "--where", "category=Medical Record").out
    assert [line.strip() for line in only.splitlines()] == ["1. chart  (case/chart)"]


def test_an_author_that_no_document_has_is_told(case) -> None:
    status, out, errors = case("documents by Zorro")
    assert (status, len(out.splitlines())) == (0, 3)
    assert "no document has 'Zorro' as author (there are Alice, John)" in errors


def test_a_model_without_a_key_is_told_and_one_with_it_is_named(case, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    status, out, errors = case("documents by John", "--model", "reader")
    assert (status, out.strip()) == (0, "1. complaint  (case/complaint)")
    assert "reader was not called, because OPENAI_API_KEY is not set" in errors
    answer = {"conditions": [], "topic": "", "intent": "search", "group_by": "", "confidence": 1.0, "explanation": "e"}
    parts = {"main_intent": "m", "sub_queries": ["wrist"], "search_keywords": [], "category_hints": []}
    decision = {"continue_iteration": False, "next_sub_queries": [], "category_focus": [], "reasoning": "r"}
    every = {"conditions": answer, "main_intent": {**parts, "category_weights": []}, "continue_iteration": decision}

    def answering(body):
        query = json.dumps(body["response_format"])
        return json.dumps(next(form for key, form in every.items() if f'"{key}"' in query))

    with fake_openai() as server:
        server.answering = answering
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        status, _, errors = case("wrist", "--model", "reader")
    assert status == 0
    assert "The question was read by reader, " in errors


def test_documents_are_counted(run_ask) -> None:
    status, out, _ = run_ask("how many documents per doc_type?", "--json")
    result = json.loads(out)
    assert status == 0
    assert result["intent"] == "aggregate"
    assert sum(each["count"] for each in result["groups"]) == result["total"]


def test_a_number_of_documents_is_printed_before_them(case) -> None:
    status, out, _ = case("how many documents by Alice are there?")
    assert (status, out.splitlines()[0]) == (0, "2 documents")


@pytest.mark.parametrize("option", ["--top-k", "--k", "-k"])
def test_a_question_without_conditions_is_a_search(run_ask, option: str) -> None:
    status, out, _ = run_ask("psionic blast", "--no-filters", option, "2")
    assert (status, len(out.splitlines())) == (0, 2)
    assert run_ask("   ")[0] == 2


@pytest.mark.parametrize(
    ("setting", "option", "used"), [("bm25", (), "bm25"), ("bm25", ("--strategy", "dense"), "dense")]
)
def test_every_search_of_a_question_follows_the_setting_or_the_option(
    run, sample_copy: Home, setting: str, option: tuple[str, ...], used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sample_copy.root / "rag.yaml").write_text(f"strategy: {setting}\n")
    searched: list[object] = []
    retrieve = Retriever.retrieve

    def noting(self: Retriever, query: str, k: int, strategy: object, **options: Any) -> Retrieval:
        searched.append(strategy)
        return retrieve(self, query, k, strategy, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Retriever, "retrieve", noting)
    assert run("ask", "longsword versus dagger: cost", *option, "--home", sample_copy.root).status == 0
    assert len(searched) > 2
    assert {getattr(each, "name", each) for each in searched} == {used}


def test_a_comparison_is_answered_part_by_part(run_ask) -> None:
    question = "longsword versus dagger: cost"
    status, out, errors = run_ask(question, "--debug")
    result = run_ask(question, "--json").json
    assert status == 0
    assert "[DECOMPOSED] compare: longsword: cost | dagger: cost" in out
    assert "Executing vector search with category hints: []" in errors
    assert "after re-ranking." in errors
    assert [each["sub_query"] for each in result["answers"][:2]] == ["longsword: cost", "dagger: cost"]
    assert "Sword, long" in result["answers"][0]["title"]
    assert "Dagger" in result["answers"][1]["title"]


def test_a_comparison_reads_the_chunks_once(run_ask, monkeypatch) -> None:
    read = []
    chunks_of = ChunkFile.__iter__
    monkeypatch.setattr(ChunkFile, "__iter__", lambda self: read.append(len(self)) or chunks_of(self))
    assert run_ask("longsword versus dagger: cost")[0] == 0
    assert len(read) == 1


def test_a_file_of_documents_is_built_and_asked_about_its_metadata(case, made_once) -> None:
    folder = made_once("case", lambda _: None)
    assert "line 4: document 'empty' has no text" in (folder / "said").read_text("utf-8")
    result = case("open cases", "--json")
    assert result.status == 0
    assert {each["document"] for each in result.json["documents"]} == {"complaint", "memo"}
    assert (folder / "home" / "books" / "case").is_dir()
