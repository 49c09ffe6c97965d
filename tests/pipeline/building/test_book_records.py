import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.building.book_records import ENTRY_FILE, book_entries, book_records, enter_book
from retrieval.errors import IndexCorruptError
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedding_store import embedding_key
from retrieval.ingest.guard_report import GuardCounts
from retrieval.ingest.library.library import list_books
from retrieval.ingest.tables.table import Table
from retrieval.types import Book, Chunk, Find, TableRule


def test_chunks_are_read_again_where_their_file_changed_and_only_there(tiny_built: Home, tmp_path: Path) -> None:
    path = Path(shutil.copy(tiny_built.book("tiny") / "chunks.jsonl", tmp_path))
    chunks = read_jsonl(path, Chunk)
    first = book_records(tmp_path)
    assert first.chunks == chunks
    assert first.keys == tuple(map(embedding_key, chunks))
    assert book_records(tmp_path) is first
    write_jsonl(path, chunks[1:])
    assert book_records(tmp_path).chunks == chunks[1:]
    path.write_text("{}\n")
    with pytest.raises(IndexCorruptError, match="line 1"):
        book_records(tmp_path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        book_records(tmp_path)


def test_a_build_enters_each_book_with_the_state_it_was_read_in(tiny: Home) -> None:
    (entry,) = book_entries(tiny).values()
    (folder,) = list_books(tiny.library)
    assert (entry.slug, entry.title, entry.digest) == ("tiny", "tiny", folder.digest)
    assert (entry.n_documents, entry.n_chunks, entry.n_tables, entry.n_guarded) == (1, 4, 1, 3)
    assert entry.guards == GuardCounts(1, 1, 1, {})
    assert (entry.warnings, entry.fault) == ((), "")


def test_what_the_rules_for_tables_say_of_nothing_is_a_warning_of_the_book(tiny: Home) -> None:
    folder = tiny.book("tiny")
    (book,) = read_jsonl(folder / "book.jsonl", Book)
    write_jsonl(folder / "book.jsonl", [replace(book, table_rules=(TableRule(1, Find(heading="Wepons"), open=True),))])
    enter_book(folder, tiny.vocabulary)
    assert book_entries(tiny)["tiny"].warnings == (
        *book.warnings,
        "tables.toml: entry 1 (heading 'Wepons') finds no table; there is 'Weapons'",
    )


def test_an_entry_without_counts_of_guarded_tables_is_still_an_entry(tiny: Home) -> None:
    path = tiny.book("tiny") / ENTRY_FILE
    record = json.loads(path.read_text())
    del record["guards"]
    path.write_text(json.dumps(record) + "\n")
    (entry,) = book_entries(tiny).values()
    assert (entry.n_tables, entry.guards) == (1, None)


def test_an_entry_of_another_version_is_no_entry(tiny: Home) -> None:
    (tiny.book("tiny") / ENTRY_FILE).write_text('{"slug": "tiny"}\n')
    assert book_entries(tiny) == {}
    (tiny.book("tiny") / ENTRY_FILE).write_text("")
    assert book_entries(tiny) == {}


def test_what_of_a_table_was_not_read_as_it_is_written_is_a_warning_of_the_book(tiny: Home) -> None:
    folder = tiny.book("tiny")
    (table,) = read_jsonl(folder / "tables.jsonl", Table)
    write_jsonl(folder / "tables.jsonl", [replace(table, warning="the table on line 3 is odd")])
    enter_book(folder, tiny.vocabulary)
    assert book_entries(tiny)["tiny"].warnings == (f"{table.document}: the table on line 3 is odd",)
