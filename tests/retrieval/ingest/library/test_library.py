import pytest

from retrieval.errors import LibraryError
from retrieval.home import is_book_key
from retrieval.ingest.library import book as book_module
from retrieval.ingest.library.book import UNKNOWN_DATE, read_book, read_book_or_last
from retrieval.ingest.library.front_matter import split_front_matter
from retrieval.ingest.library.library import list_books, slugify, stray_files
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


def test_a_folder_without_sub_folders_is_one_book(tmp_path):
    write(tmp_path / "Manual" / "a.md")

    assert read_only_book(tmp_path / "Manual").slug == "manual"


def test_a_hidden_folder_is_no_book_and_makes_no_strays_of_a_flat_library(tmp_path):
    write(tmp_path / "Manual" / "a.md")
    write(tmp_path / "Manual" / ".github" / "ISSUE.md")

    assert [document.path for document in read_only_book(tmp_path / "Manual").documents] == ["a.md"]
    assert stray_files(tmp_path / "Manual") == ()


def test_defaults_are_stated_and_the_missing_date_is_a_warning(tmp_path):
    write(tmp_path / "Core Rules" / "a.md")

    book = read_only_book(tmp_path)

    assert book.documents[0].metadata == {
        "title": "Core Rules", "source": "Core Rules", "doc_type": "rulebook", "category": "rulebook",
        "last_update_date": UNKNOWN_DATE,
    }  # fmt: skip
    assert "last_update_date" in book.warnings[0]


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


def test_a_rule_between_dashes_is_text_and_not_front_matter(tmp_path):
    write(tmp_path / "b" / "a.md", "---\njust a sentence\n---\nmore\n")

    assert read_only_book(tmp_path).documents[0].text.startswith("---\njust a sentence")


def test_two_rules_around_emphasis_are_text(tmp_path):
    write(tmp_path / "b" / "a.md", "---\n\n*Emphasis* stands: between rules.\n\n---\n\nmore\n")

    book = read_only_book(tmp_path)

    assert book.documents[0].text.startswith("---\n\n*Emphasis*")
    assert (book.documents[0].first_line, len(book.warnings)) == (1, 1)


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


def test_a_folder_without_markdown_is_refused_with_the_reason(tmp_path):
    with pytest.raises(LibraryError, match="holds no markdown"):
        list_books(tmp_path)


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


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(LibraryError, match="nowhere is neither a folder nor"):
        list_books(tmp_path / "nowhere")


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


def test_a_broken_book_toml_is_named(tmp_path):
    write(tmp_path / "b" / "a.md")
    write(tmp_path / "b" / "book.toml", "title = \n")

    with pytest.raises(LibraryError, match=r"book\.toml"):
        read_only_book(tmp_path)


def test_a_number_that_nothing_compares_with_is_named(tmp_path):
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


@pytest.mark.parametrize(
    ("name", "slug"), [("SRD 5.2.1", "srd-5.2.1"), ("../../etc", "etc"), ("Café, noir", "cafe-noir")]
)
def test_a_slug_is_safe_as_a_file_name(name, slug):
    assert slugify(name) == slug


def test_the_librarys_vocabulary_is_no_stray_file_and_part_of_every_digest(tmp_path):
    write(tmp_path / "b" / "a.md")
    (before,) = list_books(tmp_path)
    write(tmp_path / "vocabulary.toml", '[labels.thac0]\nforms = ["to hit armor class zero"]\n')
    (after,) = list_books(tmp_path)

    assert stray_files(tmp_path) == ()
    assert before.digest != after.digest


def test_a_book_whose_every_file_gives_its_date_is_not_warned_about(tmp_path):
    write(tmp_path / "b" / "a.md", "---\nlast_update_date: 2024-03-01\n---\n# A\n\ntext\n")
    assert read_book(list_books(tmp_path)[0]).warnings == ()
    write(tmp_path / "b" / "c.md", "# C\n\ntext\n")
    assert read_book(list_books(tmp_path)[0]).warnings == ("no last_update_date in book.toml: 1970-01-01 is used",)


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
        "a.md: JSON is read as prose, so nothing asks a query_must that is written in it "
        f"(line {line}; 3 in the file); write the rows as a table; tables.toml takes a row's query_must"
    )
