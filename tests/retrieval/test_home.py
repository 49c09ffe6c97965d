from pathlib import Path

import pytest

from retrieval.errors import IndexMissingError, LibraryError
from retrieval.home import Home
from retrieval.settings import Settings


def test_a_home_remembers_the_settings_of_its_last_build(tmp_path: Path) -> None:
    Settings(library=tmp_path / "books").write(tmp_path)
    assert Home.at(tmp_path).library == tmp_path / "books"


def test_opening_a_home_creates_nothing(tmp_path: Path) -> None:
    Home.at(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_home_without_a_library_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="querymust build"):
        _ = Home(tmp_path).library


def test_the_candidate_is_the_last_snapshot_that_was_nominated(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with pytest.raises(IndexMissingError, match="querymust build"):
        _ = home.candidate
    home.nominate("1" * 16)
    home.nominate("2" * 16)
    assert home.candidate == "2" * 16


def test_a_forgotten_book_leaves_no_records_and_no_error_when_there_were_none(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.book("a").mkdir(parents=True)
    (home.book("a") / "chunks.jsonl").write_text("")
    home.forget("a")
    home.forget("a")
    assert not home.book("a").exists()


@pytest.mark.parametrize("key", ["..", ".", "", "../..", "a/../..", "/etc", "a/b", "A", "a_b", "a\n", "-a"])
def test_a_key_that_no_book_can_have_has_no_folder(tmp_path: Path, key: str) -> None:
    home = Home(tmp_path / "home")
    home.book("a").mkdir(parents=True)
    for ask in (home.book, home.forget):
        with pytest.raises(LibraryError, match="cannot be a book's key"):
            ask(key)
    assert home.book("a").is_dir()


def test_every_slug_has_a_folder(tmp_path: Path) -> None:
    for slug in ("srd-5.2.1", "a", "007"):
        assert Home(tmp_path).book(slug).parent == tmp_path / "books"
