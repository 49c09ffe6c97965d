import json
import shutil
import subprocess
from pathlib import Path

import pytest

from evals.questions.gold import resolve
from evals.questions.questions import load_questions
from retrieval.ingest.chunking import chunks_of_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document
from tools.corpora import public_libraries as module
from tools.corpora.books import BenchmarkDataError, read_books
from tools.corpora.public_libraries import (
    Place,
    PublicLibrary,
    PublicQuestion,
    public_libraries,
    public_questions,
    write_public_set,
)

PAGE = "# Tolls\n\n| Vehicle | Toll |\n|---|---|\n| car | 4 € |\n| lorry | 19 € |\n| coach | 11 € |\n"
NIGHT = "\n## At night\n\n" + PAGE.partition("\n\n")[2]
ROWS = "".join(f"<tr><td>{ferry}</td><td>{fare} €</td></tr>" for ferry, fare in (("day", 3), ("night", 5)))
FERRIES = f"<table><tr><th>Ferry</th><th>Fare</th></tr>{ROWS}</table>"


@pytest.fixture
def clones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one page, and a library and a question that name it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    clone = tmp_path / "clones" / "owner" / "tolls"
    (clone / "docs").mkdir(parents=True)
    (clone / "docs" / "tolls.md").write_text(PAGE, "utf-8")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(clone), *command], check=True)
    hashed = ["git", "-C", str(clone), "hash-object", "docs/tolls.md"]
    blob = subprocess.run(hashed, check=True, capture_output=True, text=True).stdout.strip()
    libraries = [
        {"name": "tolls", "repository": "owner/tolls", "commit": "c0ffee", "files": {"docs/tolls.md": blob}},
        {"name": "ferries", "repository": "owner/ferries", "commit": "c0ffee", "files": {"a.md": blob}},
    ]
    question = {
        "library": "tolls",
        "id": "tolls-01",
        "kind": "matrix-lookup",
        "query": "what does a bus pay?",
        "answer": "11 €",
        "gold": [[["docs/tolls.md", 7]]],
    }
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "libraries.jsonl").write_text("".join(json.dumps(library) + "\n" for library in libraries), "utf-8")
    (folder / "questions.jsonl").write_text(json.dumps(question) + "\n", "utf-8")
    monkeypatch.setattr(module, "_FOLDER", folder)
    return tmp_path / "clones"


def test_a_cloned_library_is_written_as_a_book_whose_questions_find_their_rows(clones: Path, tmp_path: Path) -> None:
    missing = write_public_set(clones, tmp_path / "data")

    (book,) = read_books(tmp_path / "data" / "public", "open")
    chunks = book.chunks(Vocabulary.default())
    (questions,) = book.question_sets(None, chunks)  # type: ignore[arg-type]  # gold by anchor asks no retriever
    (gold,) = questions.gold(questions.questions[0])
    assert [chunk.cells for chunk in chunks if chunk.id == gold] == [("coach", "11 €")]
    assert len(missing) == 1
    assert "git clone https://github.com/owner/ferries" in missing[0]


@pytest.mark.parametrize(
    ("line", "row_key", "cells"),
    [(7, None, ("coach", "11 €")), (15, None, ("coach", "11 €")), (17, "night", ("night", "5 €"))],
)
def test_equal_lines_and_rows_on_one_line_are_told_apart(
    tmp_path: Path, line: int, row_key: str | None, cells: tuple[str, ...]
) -> None:
    text = f"{PAGE}{NIGHT}\n{FERRIES}\n"
    question = PublicQuestion("tolls", "q", "lookup", "what is it?", "", ((Place("a.md", line, row_key),),))
    book = Book("tolls", "Tolls", (Document("tolls", "a.md", text),))
    chunks = chunks_of_book(book, Vocabulary.default())
    (tmp_path / "q.jsonl").write_text(json.dumps(question.with_text({"a.md": text.split("\n")})), "utf-8")

    resolution = resolve(load_questions(tmp_path / "q.jsonl"), chunks)

    (gold,) = (chunk for chunk in chunks if chunk.id in resolution.gold["q"])
    assert (gold.cells, gold.lines[0]) == (cells, line)


def test_a_clone_without_the_files_is_named(clones: Path, tmp_path: Path) -> None:
    shutil.copytree(clones / "owner" / "tolls", clones / "owner" / "ferries")
    shutil.rmtree(clones / "owner" / "ferries" / ".git" / "objects")
    (clones / "owner" / "ferries" / ".git" / "objects").mkdir()

    (missing,) = write_public_set(clones, tmp_path / "data")

    assert "has no a.md of c0ffee" in missing


def test_without_any_clone_it_is_refused(clones: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkDataError, match="no library could be written; tolls: there is no"):
        write_public_set(tmp_path / "elsewhere", tmp_path / "data")


@pytest.mark.parametrize("path", ["../a.md", "/a.md", "docs/../../a.md"])
def test_a_path_out_of_its_library_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="leads out of the library"):
        PublicLibrary.parse({"name": "a", "repository": "o/a", "commit": "c", "files": {path: "0"}})


def test_a_place_that_stands_twice_is_refused() -> None:
    record = {"library": "a", "id": "a-1", "kind": "rule", "query": "why?", "gold": [[["a.md", 3], ["a.md", 3]]]}
    with pytest.raises(ValueError, match="a-1 has the same place twice"):
        PublicQuestion.parse(record)


def test_the_questions_name_files_of_their_libraries() -> None:
    files = {library.name: library.files.keys() for library in public_libraries()}
    questions = public_questions()

    assert len({question.id for question in questions}) == len(questions) > 5000
    assert {question.library for question in questions} == files.keys()
    for question in questions:
        assert {place.path for places in question.gold for place in places} <= files[question.library]
        assert bool(question.gold) == (question.kind != "no-answer")
        assert len(question.answer) <= 60
