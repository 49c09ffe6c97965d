import os
from pathlib import Path

import pytest

from retrieval.errors import LibraryError
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.book_files import book_files, shown_name
from retrieval.ingest.library.library import list_books, refused_folders, stray_files


def write(path: Path, text: str = "# A\n\ntext\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def library(tmp_path: Path) -> Path:
    write(tmp_path / "library" / "good" / "a.md")
    write(tmp_path / "library" / "b" / "a.md")
    write(tmp_path / "elsewhere" / "secret.md", "# Secret\n\nroot:x:0:0\n")
    return tmp_path / "library"


@pytest.fixture
def forbid(monkeypatch):
    """Let the system refuse a folder or a file, also to root, whom permissions do not stop."""

    def forbidden(path: Path) -> None:
        real_read = Path.read_bytes

        def of_folders(real):
            def look(place="."):
                if Path(os.fsdecode(place)) == path:
                    raise PermissionError(13, "Permission denied", str(path))
                return real(place)

            return look

        def read(self):
            if self == path:
                raise PermissionError(13, "Permission denied", str(path))
            return real_read(self)

        monkeypatch.setattr(os, "scandir", of_folders(os.scandir))
        monkeypatch.setattr(os, "listdir", of_folders(os.listdir))
        monkeypatch.setattr(Path, "read_bytes", read)

    return forbidden


def book(library: Path, slug: str = "b"):
    return read_book(next(folder for folder in list_books(library) if folder.slug == slug))


@pytest.mark.parametrize("place", ["b", "b/part", "b/a.md", "b/book.toml", "b/tables.toml"])
def test_what_cannot_be_read_takes_no_book_away_and_is_named_when_that_book_is_read(library, forbid, place):
    write(library / "b" / "part" / "c.md")
    write(library / "b" / "book.toml", 'title = "B"\n')
    write(library / "b" / "tables.toml", "")
    before = {folder.slug: folder.digest for folder in list_books(library)}
    forbid(library / place)

    after = {folder.slug: folder.digest for folder in list_books(library)}

    assert set(after) == {"b", "good"}
    assert after["good"] == before["good"]
    assert after["b"] != before["b"]
    assert book(library, "good").documents
    with pytest.raises(LibraryError) as refused:
        book(library)
    assert f"{library / place} cannot be read (Permission denied); make it readable" in str(refused.value)


def test_a_chapter_folder_that_cannot_be_read_leaves_a_flat_library_one_book(tmp_path, forbid):
    write(tmp_path / "flat" / "a.md")
    write(tmp_path / "flat" / "part" / "b.md")
    (tmp_path / "flat" / "part" / "b.md").rename(tmp_path / "flat" / "part" / "b.txt")
    forbid(tmp_path / "flat" / "part")

    (folder,) = list_books(tmp_path / "flat")

    assert folder.slug == "flat"
    with pytest.raises(LibraryError, match="part cannot be read"):
        read_book(folder)


@pytest.mark.parametrize("place", [".", "vocabulary.toml"])
def test_a_library_or_a_vocabulary_that_cannot_be_read_is_one_line_for_all_books(library, forbid, place):
    write(library / "vocabulary.toml", "")
    forbid(library / place)

    with pytest.raises(LibraryError, match=r"cannot be read \(Permission denied\); make it readable"):
        list_books(library)


def test_a_link_that_leads_out_of_the_library_is_not_read_and_named(library):
    outside = library.parent / "elsewhere"
    (library / "b" / "passwd.md").symlink_to(outside / "secret.md")
    (library / "b" / "chapters").symlink_to(outside)
    (library / "stolen").symlink_to(outside)

    found = book(library)

    assert [folder.slug for folder in list_books(library)] == ["b", "good"]
    assert [document.path for document in found.documents] == ["a.md"]
    assert found.warnings[1:] == (
        "chapters: a link to a folder is not followed; put the folder itself there",
        "passwd.md: a link that leads out of the library is not followed; put the file itself there",
    )
    assert refused_folders(library) == ("stolen",)
    assert stray_files(library) == ()


def test_a_link_inside_the_library_is_read(library):
    (library / "b" / "again.md").symlink_to(library / "good" / "a.md")

    assert [document.path for document in book(library).documents] == ["a.md", "again.md"]


def test_a_library_that_is_a_link_itself_is_read(library, tmp_path):
    (tmp_path / "link").symlink_to(library)

    assert book(tmp_path / "link").warnings[1:] == ()


@pytest.mark.parametrize("name", ["book.toml", "tables.toml"])
def test_settings_that_are_a_link_out_of_the_library_are_refused(library, name):
    write(library.parent / "elsewhere" / name, "")
    (library / "b" / name).symlink_to(library.parent / "elsewhere" / name)

    with pytest.raises(LibraryError, match=f"{name} is a link that leads out of the library"):
        book(library)


def test_a_library_of_nothing_but_links_out_of_it_names_them(tmp_path):
    write(tmp_path / "elsewhere" / "a.md")
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "book").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(LibraryError, match="links that lead out of it: book"):
        list_books(tmp_path / "library")


def test_a_book_of_nothing_but_links_out_of_the_library_is_not_lost_in_silence(library):
    (library / "linked").mkdir()
    (library / "linked" / "a.md").symlink_to(library.parent / "elsewhere" / "secret.md")

    with pytest.raises(LibraryError, match=r"'linked': no readable document; a\.md: a link that leads out"):
        book(library, "linked")


def test_a_link_to_nothing_or_to_itself_is_a_warning(library):
    (library / "b" / "gone.md").symlink_to(library / "nowhere.md")
    (library / "b" / "round.md").symlink_to(library / "b" / "round.md")

    assert [warning.partition(";")[0] for warning in book(library).warnings[1:]] == [
        "gone.md: a link to nothing, or not a file",
        "round.md: a link to nothing, or not a file",
    ]


def test_a_name_that_is_not_utf_8_is_left_out_with_a_warning_that_can_be_printed(library):
    Path(os.fsdecode(os.fsencode(library / "b") + b"/caf\xe9.md")).write_text("# C\n")
    Path(os.fsdecode(os.fsencode(library / "b") + b"/caf\xe9.txt")).write_text("C\n")

    found = book(library)

    assert found.warnings[1:] == ("caf\\xe9.md: its name is not UTF-8; rename it",)
    assert found.ignored == ("caf\\xe9.txt",)


def test_a_book_folder_whose_name_is_not_utf_8_is_read_with_what_can_be_said_of_it(library):
    folder = Path(os.fsdecode(os.fsencode(library) + b"/caf\xe9"))
    write(folder / "a.md")

    assert book(library, "caf").title == "caf\ufffd"
    assert shown_name(folder).endswith("caf\\xe9")


def test_nothing_hidden_is_looked_at(library):
    write(library / "b" / ".git" / "x.md")
    (library / "b" / ".hidden.md").symlink_to(library.parent / "elsewhere" / "secret.md")

    files = book_files(library / "b", library)

    assert [path.name for path in files.markdown] == ["a.md"]
    assert (files.refused, files.unreadable, files.ignored) == ((), (), ())
