"""The books as a reader browses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retrieval.errors import UnknownNameError
from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot
from retrieval.serve import browsing
from retrieval.serve.browsing import Shelf, read_table
from retrieval.serve.starters import asking_headings, starters
from tests.retrieval.search.test_identifier_rows import retriever_of

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

    from retrieval.home import Home

BOOK = "lantern-and-blade"


@pytest.fixture(scope="module")
def snapshot(sample: Home) -> Snapshot:
    return open_snapshot(sample.root)


def test_books_have_their_title_and_size(snapshot: Snapshot) -> None:
    (book,) = Shelf(snapshot).books()
    assert (book.book, book.title, book.n_documents, book.n_chunks) == (BOOK, "Lantern and Blade", 12, len(snapshot))


def test_a_document_is_listed_with_its_heading_and_its_tables(snapshot: Snapshot) -> None:
    combat = next(each for each in Shelf(snapshot).documents(BOOK) if each.document == "03-combat.md")
    assert combat.title == "Combat"
    sizes = {table.title: table.n_rows for table in combat.tables}
    assert sizes["I.A. Attack Matrix for Clerics, Druids and Monks"] == 21
    with pytest.raises(UnknownNameError, match="no book is called 'lantern'"):
        Shelf(snapshot).documents("lantern")


def test_a_document_reads_from_its_first_heading_to_its_last_chunk(snapshot: Snapshot) -> None:
    blocks = Shelf(snapshot).document(BOOK, "03-combat.md")
    assert (blocks[0].heading, blocks[0].level) == ("Combat", 1)
    assert blocks[1].html.startswith("<p>A fight in Lantern and Blade")
    assert not any(each.html.startswith('<p class="heading">') for each in blocks)
    matrix = next(each.table for each in blocks if each.table and each.table.n_rows == 21)
    assert len(matrix.rows) == browsing.FIRST_ROWS
    shown = {each.id for each in blocks} | {row.id for each in blocks if each.table for row in each.table.rows}
    own = {chunk.id for chunk in snapshot.chunks if chunk.document == "03-combat.md"}
    hidden = sum(each.table.n_rows - len(each.table.rows) for each in blocks if each.table)
    assert len(shown & own) == len(own) - hidden
    with pytest.raises(UnknownNameError, match=r"did you mean '03-combat\.md'"):
        Shelf(snapshot).document(BOOK, "3-combat.md")


def test_a_table_is_whole_from_any_of_its_rows(snapshot: Snapshot) -> None:
    chunk = next(each for each in snapshot.chunks if each.row_key == "6" and "Clerics" in each.title)
    table = read_table(snapshot, chunk.id)
    assert [row.cells[0] for row in table.rows[:3]] == ["10", "9", "8"]
    assert len(table.rows) == table.n_rows == 21
    row = next(row for row in table.rows if row.id == chunk.id)
    assert row.predicate.startswith("The question must say one of")
    assert row.line == 88
    assert read_table(snapshot, table.rows[-1].id).id == read_table(snapshot, chunk.id[:12]).id == table.id


def test_of_a_long_table_the_rows_around_the_one_are_sent(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsing, "MOST_ROWS", 5)
    chunk = next(each for each in snapshot.chunks if each.row_key == "6" and "Clerics" in each.title)
    table = read_table(snapshot, chunk.id)
    assert [row.cells[0] for row in table.rows] == ["8", "7", "6", "5", "4"]
    assert table.n_rows == 21


def test_a_passage_is_in_no_table(client: httpx.Client, snapshot: Snapshot) -> None:
    prose = next(each for each in snapshot.chunks if each.kind == "prose")
    refused = client.get(f"/v1/tables/{prose.id}")
    assert (refused.status_code, refused.json()["error"]["type"]) == (404, "UnknownNameError")


def test_the_routes_give_what_the_page_reads(client: httpx.Client) -> None:
    (book,) = client.get("/v1/books").json()
    documents = client.get(f"/v1/books/{book['book']}").json()
    blocks = client.get(f"/v1/books/{book['book']}/{documents[3]['document']}").json()
    table = documents[3]["tables"][0]
    assert table["id"] in {each["id"] for each in blocks}
    assert client.get(f"/v1/tables/{table['id']}").json()["n_rows"] == table["n_rows"]


def test_hits_are_rendered_where_that_is_asked_for(client: httpx.Client) -> None:
    query = {"query": "What does a 7th level cleric need to roll to hit AC 6?", "k": 2}
    assert client.post("/v1/retrieve", json=query).json()["hits"][0]["rendered"] is None
    first = client.post("/v1/retrieve", json=query | {"rendered": True}).json()["hits"][0]["rendered"]
    assert first["columns"][0] == "<mark>Opponent Armor Class</mark>"
    assert first["cells"][0] == "<mark>6</mark>"
    assert (first["n_rows"], first["missing"]) == (21, ["hit", "roll"])


def test_examples_come_from_the_books_and_are_answered_by_the_row_they_name(client: httpx.Client) -> None:
    examples = client.get("/v1/status").json()["examples"]
    assert len(examples) == 4
    for question in examples:
        (hit,) = client.post("/v1/retrieve", json={"query": question, "k": 1}).json()["hits"]
        assert hit["row_key"] in question


def test_examples_are_of_several_documents_columns_and_tables(snapshot: Snapshot) -> None:
    rows = starters(snapshot)
    documents = [starter.row.document for starter in rows]
    assert len(set(documents)) > 3
    for names in (documents, [starter.column for starter in rows], [starter.row.table_id for starter in rows]):
        assert len(set(names[:4])) == 4
    assert min(len(starter.row.columns) for starter in rows[:4]) >= 3
    assert len({starter.row.table_id for starter in rows}) == len(rows)
    assert starters(snapshot) == rows


def test_examples_ask_in_more_than_one_way(client: httpx.Client, snapshot: Snapshot) -> None:
    examples = client.get("/v1/status").json()["examples"]
    assert len({("(" in question, " and " in question) for question in examples}) > 1
    ways = starters(snapshot)[0].questions(0)
    assert ways == (*starters(snapshot)[0].questions(1)[-1:], *starters(snapshot)[0].questions(1)[:-1])


def test_headings_that_ask_are_the_first_examples(tmp_path: Path) -> None:
    text = """# Kiln

## 1. How does it work?

It is hot.

## 2. Which clay cracks in the kiln?

Wet clay.

| clay | column 2 | Cone | Potter 🏺 |
|---|---|---:|---|
| raku | Unglazed | 06 | Ines Moreau |
| porcelain | Glazed twice | 10 | Jan Blok |
"""
    with retriever_of(tmp_path, text) as retriever:
        assert [question for question, _ in asking_headings(retriever.snapshot)] == ["Which clay cracks in the kiln?"]
        (starter,) = starters(retriever.snapshot)
        assert starter.questions(0) == (
            *("porcelain: Cone", "porcelain (2. Which clay cracks in the kiln?): Cone", "porcelain and raku: Cone"),
        )


def test_what_a_shelf_lists_is_every_chunk_once_and_read_once(snapshot, monkeypatch):
    shelf = Shelf(snapshot)
    first = shelf.documents(BOOK)
    monkeypatch.setattr(Shelf, "_chunks", None)
    assert shelf.documents(BOOK) is first
    assert [entry.document for entry in first] == sorted({chunk.document for chunk in snapshot.chunks})
    tables = {chunk.table_id for chunk in snapshot.chunks if chunk.table_id and chunk.kind == "row"}
    assert sum(len(entry.tables) for entry in first) == len(tables)
