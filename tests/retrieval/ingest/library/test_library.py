import gzip
import json
import os
from pathlib import Path

import pytest

from retrieval.errors import LibraryError
from retrieval.home import is_book_key
from retrieval.ingest.library import book as book_module
from retrieval.ingest.library.book import UNKNOWN_DATE, read_book, read_book_or_last
from retrieval.ingest.library.front_matter import split_front_matter
from retrieval.ingest.library.library import (
    MAX_ID,
    book_files,
    check_library,
    list_books,
    refused_folders,
    shown_name,
    stray_files,
)
from retrieval.ingest.losses import recorded_losses


def write(path, text="# A\n\ntext\n", encoding="utf-8"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding=encoding)
    return path


def read_only_book(library):
    (folder,) = list_books(library)
    return read_book(folder)


def test_sub_folders_are_books_in_slug_order_and_files_are_documents_in_name_order(tmp_path):
    for name in ("Zed/01.md", "Alpha Book/b.md", "Alpha Book/a.md", "Alpha Book/notes.txt", "stray.txt"):
        write(tmp_path / name)

    books = [read_book(folder) for folder in list_books(tmp_path)]

    assert [book.slug for book in books] == ["alpha-book", "zed"]
    assert [document.path for document in books[0].documents] == ["a.md", "b.md"]
    assert books[0].ignored == ("notes.txt",)
    assert stray_files(tmp_path) == ("stray.txt",)


def test_a_folder_without_sub_folders_is_one_book_and_hidden_ones_are_none(tmp_path):
    write(tmp_path / "Manual" / "a.md")
    assert read_only_book(tmp_path / "Manual").slug == "manual"
    write(tmp_path / "Manual" / "a.md")
    write(tmp_path / "Manual" / ".github" / "ISSUE.md")
    assert [document.path for document in read_only_book(tmp_path / "Manual").documents] == ["a.md"]
    assert stray_files(tmp_path / "Manual") == ()


def test_defaults_are_stated(tmp_path):
    write(tmp_path / "Core Rules" / "a.md")

    book = read_only_book(tmp_path)

    assert book.documents[0].metadata == {
        "title": "Core Rules", "source": "Core Rules", "doc_type": "rulebook", "category": "rulebook",
        "last_update_date": UNKNOWN_DATE,
    }  # fmt: skip
    assert book.warnings == ()


def test_front_matter_wins_over_book_toml_and_any_key_is_kept(tmp_path):
    write(
        tmp_path / "b" / "book.toml",
        'title = "T"\ndoc_type = "faq"\ntags = ["x", "y"]\nlast_update_date = 2024-05-01\n',
    )
    write(tmp_path / "b" / "a.md", "---\ndoc_type: ops\npages: 12\n---\n# A\n")

    (document,) = read_only_book(tmp_path).documents

    assert document.metadata["doc_type"] == "ops"
    assert document.metadata["category"] == "faq"
    assert document.metadata["tags"] == ("x", "y")
    assert document.metadata["pages"] == 12
    assert document.metadata["last_update_date"] == "2024-05-01"
    assert (document.first_line, document.text) == (5, "# A\n")


@pytest.mark.parametrize(
    ("front_matter", "day"),
    [
        ("lastmod: 2024-03-05", "2024-03-05"),
        ("updated: 2024-03-05 10:30:00 +0100\ndate: 2020-01-01", "2024-03-05"),
        ("ms.date: 03/05/2024", "2024-03-05"),
        ("last_update_date: 2024-03-05\nlastmod: 2020-01-01", "2024-03-05"),
        ("date: 2024-13-45", UNKNOWN_DATE),
        ("date: soon", UNKNOWN_DATE),
    ],
)
def test_the_day_of_a_page_is_read_as_other_programs_write_it(tmp_path, front_matter, day):
    write(tmp_path / "b" / "a.md", f"---\n{front_matter}\n---\n# A\n")

    assert read_only_book(tmp_path).documents[0].metadata["last_update_date"] == day


def test_markdown_is_read_by_any_of_its_endings(tmp_path):
    for name in ("a.md", "b.MD", "c.mdx", "d.markdown", "e.mdown"):
        write(tmp_path / "b" / name)

    assert [document.path for document in read_only_book(tmp_path).documents] == ["a.md", "b.MD", "c.mdx", "d.markdown"]


def test_rules_of_dashes_that_hold_no_metadata_are_text(tmp_path):
    write(tmp_path / "b" / "a.md", "---\njust a sentence\n---\nmore\n")
    assert read_only_book(tmp_path).documents[0].text.startswith("---\njust a sentence")
    write(tmp_path / "b" / "a.md", "---\n\n*Emphasis* stands: between rules.\n\n---\n\nmore\n")
    book = read_only_book(tmp_path)
    assert book.documents[0].text.startswith("---\n\n*Emphasis*")
    assert (book.documents[0].first_line, book.warnings) == (1, ())


@pytest.mark.parametrize(
    ("line", "key"),
    [
        pytest.param("last_update_date: 2024-13-45", "last_update_date", id="no such day"),
        pytest.param("author: {name: Ann}", "author", id="nested"),
        pytest.param("author:\n  name: Ann\n  - Bob", "author", id="no YAML, over more lines"),
        pytest.param("title: Rules: the second", "title", id="a colon"),
        pytest.param("dates: [[2024-01-01]]", "dates", id="a list of lists"),
        pytest.param(f"number: {'9' * 5000}", "number", id="a very long number"),
        pytest.param("weight: .nan", "weight", id="no number"),
    ],
)
def test_a_bad_key_of_front_matter_is_left_out_alone_and_named_with_its_file(tmp_path, line, key):
    write(tmp_path / "b" / "book.toml", 'title = "T"\nlast_update_date = 2024-05-01\n')
    write(tmp_path / "b" / "a.md", f"---\npages: 12\n{line}\ntags: [x]\n---\n# A\n")

    book = read_only_book(tmp_path)
    (document,) = book.documents

    assert document.text == "# A\n"
    assert (document.metadata["pages"], document.metadata["tags"]) == (12, ("x",))
    assert (document.metadata["title"], document.metadata["last_update_date"]) == ("T", "2024-05-01")
    assert [warning[: len(f"a.md: metadata key '{key}'")] for warning in book.warnings] == [
        f"a.md: metadata key '{key}'"
    ]


def test_front_matter_with_a_line_that_is_no_yaml_is_text_and_says_so(tmp_path):
    write(tmp_path / "b" / "a.md", "---\ntitle: Rules: the second\nand prose\n---\nmore\n")

    book = read_only_book(tmp_path)

    assert book.documents[0].text.startswith("---\ntitle: Rules")
    assert any("'and prose'" in warning for warning in book.warnings)


def test_a_list_of_dates_is_a_list_of_days(tmp_path):
    write(tmp_path / "b" / "a.md", "---\ndates: [2024-01-01, 2024-02-01 10:00:00]\n---\n# A\n")

    assert read_only_book(tmp_path).documents[0].metadata["dates"] == ("2024-01-01", "2024-02-01")


def test_latin_1_is_read_with_a_warning_that_names_the_byte(tmp_path):
    write(tmp_path / "b" / "a.md", "# Caf\xe9\n", encoding="latin-1")

    book = read_only_book(tmp_path)

    assert book.documents[0].text == "# Café\n"
    assert any("byte 5 is not UTF-8" in warning for warning in book.warnings)


def test_a_binary_file_is_left_out_with_a_warning_and_the_rest_is_kept(tmp_path):
    write(tmp_path / "b" / "a.md")
    (tmp_path / "b" / "z.md").write_bytes(b"PK\0\0")

    book = read_only_book(tmp_path)

    assert [document.path for document in book.documents] == ["a.md"]
    assert any("z.md" in warning and "NUL" in warning for warning in book.warnings)


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        (["日本"], ["日本"]),
        (["Книга правил"], ["книга-правил"]),
        (["كتاب"], ["كتاب"]),
        (["हिन्दी"], ["हिन्दी"]),
        (["A b", "a-b"], ["a-b", "a-b-d44362d6"]),
        (["???"], ["book-a03b221c"]),
    ],
)
def test_every_folder_has_a_key_of_its_own(tmp_path, names, slugs):
    for name in names:
        write(tmp_path / name / "a.md")
    assert [folder.slug for folder in list_books(tmp_path)] == slugs
    assert all(map(is_book_key, slugs))


def test_a_book_that_cannot_be_read_is_its_last_reading_or_has_no_document(tmp_path):
    write(tmp_path / "b" / "a.md")
    (folder,) = list_books(tmp_path)
    last = read_book(folder)
    write(tmp_path / "b" / "book.toml", "title = \n")
    (folder,) = list_books(tmp_path)

    assert read_book_or_last(folder).documents == ()
    assert "book.toml" in read_book_or_last(folder).fault
    assert read_book_or_last(folder, last).documents == last.documents


def test_a_document_on_which_the_reading_fails_costs_itself_alone(tmp_path, monkeypatch):
    write(tmp_path / "b" / "a.md")
    write(tmp_path / "b" / "z.md", "---\ntitle: Z\n---\n# Z\n")

    def failing(text, *rest):
        if "Z" in text:
            raise RecursionError
        return split_front_matter(text, *rest)

    monkeypatch.setattr(book_module, "split_front_matter", failing)
    with recorded_losses() as losses:
        book = read_only_book(tmp_path)
    assert [document.path for document in book.documents] == ["a.md"]
    assert [(loss.document, loss.part) for loss in losses] == [("z.md", "the document")]


def test_a_broken_book_toml_and_a_number_that_nothing_compares_with_are_named(tmp_path):
    write(tmp_path / "b" / "a.md")
    write(tmp_path / "b" / "book.toml", "title = \n")
    with pytest.raises(LibraryError, match=r"book\.toml"):
        read_only_book(tmp_path)
    write(tmp_path / "b" / "a.md")
    write(tmp_path / "b" / "book.toml", "weight = inf\n")
    with pytest.raises(LibraryError, match=r"book\.toml: metadata key 'weight' is inf"):
        read_only_book(tmp_path)


def test_the_digest_changes_with_the_text_and_not_with_other_files(tmp_path):
    write(tmp_path / "b" / "a.md")
    (before,) = list_books(tmp_path)
    write(tmp_path / "b" / "picture.txt")
    (same,) = list_books(tmp_path)
    write(tmp_path / "b" / "a.md", "# B\n")
    (after,) = list_books(tmp_path)

    assert before.digest == same.digest != after.digest


def test_the_librarys_vocabulary_is_no_stray_file_and_part_of_every_digest(tmp_path):
    write(tmp_path / "b" / "a.md")
    (before,) = list_books(tmp_path)
    write(tmp_path / "vocabulary.toml", '[labels.thac0]\nforms = ["to hit armor class zero"]\n')
    (after,) = list_books(tmp_path)

    assert stray_files(tmp_path) == ()
    assert before.digest != after.digest


def test_only_a_book_with_dates_is_warned_about_documents_without(tmp_path):
    write(tmp_path / "b" / "c.md", "# C\n\ntext\n")
    assert read_book(list_books(tmp_path)[0]).warnings == ()
    write(tmp_path / "b" / "a.md", "---\nlast_update_date: 2024-03-01\n---\n# A\n\ntext\n")
    assert read_book(list_books(tmp_path)[0]).warnings == (
        "some documents have no last_update_date: 1970-01-01 is used",
    )
    (tmp_path / "b" / "c.md").unlink()
    assert read_book(list_books(tmp_path)[0]).warnings == ()


ROWS = """# Matrix

Written by a program:

[
  {"title": "AC 6", "query_must": {"contain": "ac 6"}, "roll": 10},
  {"title": "AC 5", "query_must": {"contain": "ac 5"}, "roll": 11}
]

```json
{"title": "AC 4", "query_must": {"contain": "ac 4"}, "roll": 12}
{"title": "about", "roll": 0}
```
"""


@pytest.mark.parametrize(("above", "line"), [("", 6), ("---\nlast_update_date: 2024-03-01\n---\n", 9)])
def test_rows_that_a_program_wrote_as_json_are_warned_about_with_their_place(tmp_path, above, line):
    write(tmp_path / "b" / "book.toml", 'last_update_date = "2024-03-01"\n')
    write(tmp_path / "b" / "a.md", above + ROWS)
    write(tmp_path / "b" / "c.md", "# What JSON is\n\nAn object with a `query_must`: {so to say}.\n")
    (warning,) = read_book(list_books(tmp_path)[0]).warnings
    assert warning == (
        "a.md: JSON is read as prose, so a query_must in it has no effect "
        f"(line {line}; 3 in the file); write the rows as a table; tables.toml takes a row's query_must"
    )


TICKET = {
    "id": "T-17",
    "title": "Login fails",
    "text": "It says no.",
    "metadata": {"status": "open", "tags": ["a", "b"]},
}


def written(path, *lines):
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def read(path):
    check_library(path)
    (folder,) = list_books(path)
    return read_book(folder)


@pytest.mark.parametrize("name", ["Help Desk.jsonl", "Help Desk.jsonl.gz"])
def test_a_file_is_one_book_whose_lines_are_documents(tmp_path, name):
    path = written(
        tmp_path / name, TICKET, "", {"doc_id": 18, "body": "# Own heading\r\ntext", "priority": 3, "due": None}
    )

    book = read(path)

    assert (book.slug, book.title, book.warnings) == ("help-desk", "Help Desk", ())
    assert [(document.path, document.text) for document in book.documents] == [
        ("T-17", "# Login fails\n\nIt says no.\n"),
        ("18", "# Own heading\ntext\n"),
    ]
    assert book.documents[0].metadata == {
        "source": "Help Desk", "title": "Login fails", "status": "open", "tags": ("a", "b"),
    }  # fmt: skip
    assert book.documents[1].metadata == {"source": "Help Desk", "title": "18", "priority": 3}
    assert stray_files(path) == refused_folders(path) == ()


def test_its_digest_is_of_its_bytes(tmp_path):
    path = written(tmp_path / "a.jsonl", TICKET)
    (before,) = list_books(path)
    written(path, TICKET | {"text": "It says yes."})
    (after,) = list_books(path)

    assert before.digest != after.digest


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("{", "not JSON", id="no JSON"),
        pytest.param("[" * 100_000, "not JSON", id="nested without end"),
        pytest.param("[1]", "not an object", id="a list"),
        pytest.param({"text": "x"}, "its id is None", id="no id"),
        pytest.param({"id": "../x", "text": "x"}, "its id is '../x'", id="an id that climbs"),
        pytest.param({"id": "/x", "text": "x"}, "its id is '/x'", id="an id from the root"),
        pytest.param({"id": "a\nb", "text": "x"}, "printable", id="an id of two lines"),
        pytest.param({"id": "x" * (MAX_ID + 1), "text": "x"}, f"at most {MAX_ID}", id="a long id"),
        pytest.param({"id": "x", "text": " "}, "has no text", id="no text"),
        pytest.param({"id": "x", "text": "a\0b"}, "has no text", id="NUL"),
        pytest.param({"id": "x", "text": "a\ud800b"}, "half a character", id="half a character"),
        pytest.param({"id": "x", "text": "x", "metadata": [1]}, "not an object", id="metadata as a list"),
        pytest.param(TICKET, "is already on line 1", id="an id again"),
    ],
)
def test_a_line_that_is_no_document_is_left_out_and_named(tmp_path, line, said):
    book = read(written(tmp_path / "a.jsonl", TICKET, line))

    assert [document.path for document in book.documents] == ["T-17"]
    assert book.warnings[0].startswith("line 2: ")
    assert said in book.warnings[0]


def test_a_key_that_cannot_be_stored_is_left_out_alone(tmp_path):
    given = TICKET | {"metadata": {"status": "open", "$and": 1, "by": {"name": "Ann"}}}

    book = read(written(tmp_path / "a.jsonl", given))

    assert set(book.documents[0].metadata) == {"source", "title", "status"}
    assert ["'$and'" in book.warnings[0], "'by'" in book.warnings[1]] == [True, True]


def test_a_file_without_a_document_and_one_that_is_cut_off_are_refused(tmp_path):
    with pytest.raises(LibraryError, match=r"a\.jsonl: no line is a document; line 1: not JSON"):
        read(written(tmp_path / "a.jsonl", "{"))
    path = written(tmp_path / "a.jsonl.gz", TICKET)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(LibraryError, match="cannot be read as lines of UTF-8"):
        read(path)


def test_what_is_no_library_is_refused_with_the_reason(tmp_path):
    with pytest.raises(LibraryError, match="holds no markdown"):
        list_books(tmp_path)
    with pytest.raises(LibraryError, match="nowhere is neither a folder nor"):
        list_books(tmp_path / "nowhere")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(LibraryError, match="neither a folder nor a file of documents"):
        list_books(tmp_path / "a.txt")


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

    result = book(library)

    assert [folder.slug for folder in list_books(library)] == ["b", "good"]
    assert [document.path for document in result.documents] == ["a.md"]
    assert result.warnings == (
        "chapters: a link to a folder is not followed; replace it with the folder itself",
        "passwd.md: a link that leads out of the library is not followed; replace it with the file itself",
    )
    assert refused_folders(library) == ("stolen",)
    assert stray_files(library) == ()


def test_a_link_inside_the_library_and_a_library_that_is_a_link_are_read(library, tmp_path):
    (library / "b" / "again.md").symlink_to(library / "good" / "a.md")
    assert [document.path for document in book(library).documents] == ["a.md", "again.md"]
    (tmp_path / "link").symlink_to(library)
    assert book(tmp_path / "link").warnings == ()


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

    assert [warning.partition(";")[0] for warning in book(library).warnings] == [
        "gone.md: a link to nothing, or not a file",
        "round.md: a link to nothing, or not a file",
    ]


def test_a_name_that_is_not_utf_8_is_left_out_with_a_warning_that_can_be_printed(library):
    Path(os.fsdecode(os.fsencode(library / "b") + b"/caf\xe9.md")).write_text("# C\n")
    Path(os.fsdecode(os.fsencode(library / "b") + b"/caf\xe9.txt")).write_text("C\n")

    result = book(library)

    assert result.warnings == ("caf\\xe9.md: its name is not UTF-8; rename it",)
    assert result.ignored == ("caf\\xe9.txt",)


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
