import gzip
import json

import pytest

from retrieval.errors import LibraryError
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.json_lines import MAX_ID
from retrieval.ingest.library.library import check_library, list_books, refused_folders, stray_files

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
    assert [(each.path, each.text) for each in book.documents] == [
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

    assert [each.path for each in book.documents] == ["T-17"]
    assert book.warnings[0].startswith("line 2: ")
    assert said in book.warnings[0]


def test_a_key_that_cannot_be_stored_is_left_out_alone(tmp_path):
    given = TICKET | {"metadata": {"status": "open", "$and": 1, "by": {"name": "Ann"}}}

    book = read(written(tmp_path / "a.jsonl", given))

    assert set(book.documents[0].metadata) == {"source", "title", "status"}
    assert ["'$and'" in book.warnings[0], "'by'" in book.warnings[1]] == [True, True]


def test_a_file_without_a_document_is_refused_with_its_first_reason(tmp_path):
    with pytest.raises(LibraryError, match=r"a\.jsonl: no line is a document; line 1: not JSON"):
        read(written(tmp_path / "a.jsonl", "{"))


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = written(tmp_path / "a.jsonl.gz", TICKET)
    path.write_bytes(path.read_bytes()[:-9])

    with pytest.raises(LibraryError, match="cannot be read as lines of UTF-8"):
        read(path)


def test_another_file_is_no_library(tmp_path):
    (tmp_path / "a.txt").write_text("x")

    with pytest.raises(LibraryError, match="neither a folder nor a file of documents"):
        list_books(tmp_path / "a.txt")
