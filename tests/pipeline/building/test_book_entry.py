import json

from pipeline.building.book_entry import FILE_NAME, book_entries
from retrieval.home import Home
from retrieval.ingest.library.library import list_books
from retrieval.ingest.tables.guarding import GuardCounts


def test_a_build_enters_each_book_with_the_state_it_was_read_in(tiny: Home) -> None:
    (entry,) = book_entries(tiny).values()
    (folder,) = list_books(tiny.library)
    assert (entry.slug, entry.title, entry.digest) == ("tiny", "tiny", folder.digest)
    assert (entry.n_documents, entry.n_chunks, entry.n_tables, entry.n_guarded) == (1, 4, 1, 3)
    assert entry.guards == GuardCounts(1, 1, {})
    assert entry.warnings == ("no last_update_date in book.toml: 1970-01-01 is used",)


def test_an_entry_without_counts_of_guarded_tables_is_still_an_entry(tiny: Home) -> None:
    path = tiny.book("tiny") / FILE_NAME
    record = json.loads(path.read_text())
    del record["guards"]
    path.write_text(json.dumps(record) + "\n")
    (entry,) = book_entries(tiny).values()
    assert (entry.n_tables, entry.guards) == (1, None)


def test_an_entry_of_another_version_is_no_entry(tiny: Home) -> None:
    (tiny.book("tiny") / FILE_NAME).write_text('{"slug": "tiny"}\n')
    assert book_entries(tiny) == {}
    (tiny.book("tiny") / FILE_NAME).write_text("")
    assert book_entries(tiny) == {}
