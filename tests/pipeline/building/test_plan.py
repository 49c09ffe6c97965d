"""What a plan counts, without a build."""

from pathlib import Path

import pytest

from pipeline.building.book_records import ENTRY_FILE, BookEntry
from pipeline.building.plan import BuildPlan, plan_build, plan_record
from retrieval.files.records import write_jsonl
from retrieval.home import Home
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.settings import Settings


@pytest.fixture
def home(tmp_path: Path) -> Home:
    for book in ("alpha", "beta"):
        (tmp_path / "library" / book).mkdir(parents=True)
        (tmp_path / "library" / book / "01.md").write_text("# Same\n\nA dagger is short.\n")
    return Home(tmp_path / "home", Settings(tmp_path / "library"))


def plan(home: Home) -> BuildPlan:
    return plan_build(home, lambda folder: chunks_of_book(read_book(folder), home.vocabulary), lambda _: False)


def test_what_two_books_say_alike_is_embedded_once(home: Home) -> None:
    (home.library / "gamma").mkdir()
    (home.library / "gamma" / "01.md").write_text("# Other\n\nA mace is heavy.\n")
    result = plan(home)
    assert [(book.slug, book.state, book.n_embedded, book.n_reused) for book in result.books] == [
        ("alpha", "added", 1, 0),
        ("beta", "added", 0, 1),
        ("gamma", "added", 1, 0),
    ]
    assert result.cost.n_texts == 2
    assert not home.root.exists()


def test_books_that_changed_stayed_and_went_are_told_apart(home: Home) -> None:
    digests = {folder.slug: folder.digest for folder in list_books(home.library)}
    for slug, digest in {"alpha": digests["alpha"], "beta": "0", "gone": "0"}.items():
        write_jsonl(home.book(slug) / ENTRY_FILE, [BookEntry(slug, slug, digest, 1, 1, 0, 0, (), ())])
        (home.book(slug) / "embedded.txt").write_text("aa\nbb")
    result = plan(home)
    assert [(book.slug, book.state, book.is_read, book.n_deleted) for book in result.books] == [
        ("alpha", "unchanged", True, 2),
        ("beta", "changed", True, 2),
        ("gone", "removed", False, 2),
    ]
    told = plan_record(result)
    assert (told["unchanged"], told["changed"], told["removed"]) == (["alpha"], ["beta"], ["gone"])
    assert (told["usd"], told["prices_as_of"], told["budget_usd"]) == (0.0, None, None)
