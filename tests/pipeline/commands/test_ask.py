"""Documents by the conditions of a question, as a person asks for them."""

import json
from typing import Any

import pytest

from retrieval.home import Home
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.search.retriever import Retriever
from retrieval.types import Retrieval


@pytest.fixture
def asked(run, sample: Home):
    return lambda *arguments: run("ask", *arguments, "--home", sample.root)


def test_conditions_are_read_and_said(asked) -> None:
    status, out, _ = asked("documents about psionics updated since 2020", "--debug", "--today", "2026-08-22")
    assert status == 0
    assert "[READ] combined: read 'since 2020' as " in out
    assert "[FILTER] 'since 2020'" in out
    assert "[PLAN] " in out
    assert "psionics.md)" in out.lower()


def test_documents_are_counted(asked) -> None:
    status, out, _ = asked("how many documents per doc_type?", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["intent"] == "aggregate"
    assert sum(each["count"] for each in found["groups"]) == found["total"]


@pytest.mark.parametrize("option", ["--top-k", "--k", "-k"])
def test_a_question_without_conditions_is_a_search(asked, option: str) -> None:
    status, out, _ = asked("psionic blast", "--no-filters", option, "2")
    assert (status, len(out.splitlines())) == (0, 2)
    assert asked("   ")[0] == 2


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


def test_a_comparison_is_answered_part_by_part(asked) -> None:
    question = "longsword versus dagger: cost"
    status, out, errors = asked(question, "--debug")
    found = asked(question, "--json").json
    assert status == 0
    assert "[DECOMPOSED] compare: longsword: cost | dagger: cost" in out
    assert "Executing vector search with category hints: []" in errors
    assert "after re-ranking." in errors
    assert [each["sub_query"] for each in found["answers"][:2]] == ["longsword: cost", "dagger: cost"]
    assert "Sword, long" in found["answers"][0]["title"]
    assert "Dagger" in found["answers"][1]["title"]


def test_a_comparison_reads_the_chunks_once(asked, monkeypatch) -> None:
    read = []
    chunks_of = ChunkFile.__iter__
    monkeypatch.setattr(ChunkFile, "__iter__", lambda self: read.append(len(self)) or chunks_of(self))
    assert asked("longsword versus dagger: cost")[0] == 0
    assert len(read) == 1


def test_a_file_of_documents_is_built_and_asked_about_its_metadata(run, tmp_path) -> None:
    tickets = [
        {"id": f"T-{number}", "title": f"{what} fails", "text": f"The {what.lower()} fails.", "status": status}
        for number, (what, status) in enumerate([("Login", "open"), ("Export", "closed"), ("Import", "open")], start=1)
    ]
    file = tmp_path / "tickets.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in [*tickets, {"id": "T-4"}]), encoding="utf-8")
    home = tmp_path / "home"

    built = run("build", "--library", file, "--home", home)
    found = run("ask", "open tickets", "--json", "--home", home)

    assert (built.status, found.status) == (0, 0)
    assert "line 4: document 'T-4' has no text" in built.out + built.err
    assert [each["document"] for each in found.json["documents"]] == ["T-1", "T-3"]
    assert (home / "books" / "tickets").is_dir()
