from contextlib import closing
from dataclasses import replace

from retrieval.artifacts.mongo_store import MongoStore
from retrieval.artifacts.sqlite_store import SqliteStore
from retrieval.handoff.projection import Choice, Projection
from retrieval.handoff.writing import write_artifacts
from tests.retrieval.artifacts.conftest import OTHER, artifacts


def test_both_stores_hold_the_same_of_the_same_snapshot(small: Projection, sqlite: SqliteStore, mongo_uri: str) -> None:
    with closing(MongoStore.open(mongo_uri)) as server:
        said = [write_artifacts(small, store, Choice()) for store in (sqlite, server)]
        assert said[0] == said[1]
        assert sqlite.entries() == server.entries() == said[0].entries
        for book in small.books:
            model = said[0].entries[0].model_id
            assert list(sqlite.chunks(book)) == list(server.chunks(book))
            assert list(sqlite.embeddings(book, model)) == list(server.embeddings(book, model))
            assert list(sqlite.nodes(book)) == list(server.nodes(book))
            assert list(sqlite.edges(book)) == list(server.edges(book))
        (ruleset,) = said[0].rulesets
        assert sqlite.configs(ruleset) == server.configs(ruleset) != ()


def test_books_that_the_snapshot_does_not_have_are_removed(projection: Projection, sqlite: SqliteStore) -> None:
    sqlite.replace_book(artifacts("x", key=OTHER))
    written = write_artifacts(projection, sqlite, Choice())
    assert written.removed == (OTHER,)
    assert [entry.book for entry in sqlite.entries()] == list(projection.books)
    assert list(sqlite.chunks(OTHER)) == []


def test_a_book_that_was_broken_off_is_written_whole_the_next_time(projection: Projection, sqlite: SqliteStore) -> None:
    (book,) = projection.books
    broken = artifacts("x", key=book)
    sqlite.replace_book(replace(broken, entry=replace(broken.entry, complete=False)))
    write_artifacts(projection, sqlite, Choice())
    assert [(entry.complete, entry.run_id) for entry in sqlite.entries()] == [(True, projection.run_id)]


def test_it_says_which_book_it_is_at(projection: Projection, sqlite: SqliteStore) -> None:
    told: list[tuple[str, int, int]] = []
    write_artifacts(projection, sqlite, Choice(), lambda *step: told.append(step))
    assert told == [("lantern-and-blade", 0, 1)]
