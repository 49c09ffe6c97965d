"""What every artifact store has to do, tried on each: a file, MongoDB's stand-in, and a server where one is named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retrieval.artifacts.artifacts import TABLES, Table
from retrieval.artifacts.sqlite_store import SqliteStore
from retrieval.artifacts.store import BATCH, complete_entry, stored_config
from retrieval.errors import IndexCorruptError, IndexMissingError, VectorDBWriteError
from tests.retrieval.artifacts.conftest import LATER, OTHER, RULES, TIME, artifacts, chunk, config, embedding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.artifacts.artifacts import BookArtifacts, BookKey, EnrichedChunk
    from retrieval.artifacts.store import ArtifactStore


def held(store: ArtifactStore, key: BookKey, model: str = "toy") -> list[list[object]]:
    return [
        list(records)
        for records in (store.chunks(key), store.embeddings(key, model), store.nodes(key), store.edges(key))
    ]


def given(book: BookArtifacts) -> list[list[object]]:
    return [list(records) for records in (book.chunks, book.embeddings, book.nodes, book.edges)]


def test_what_is_written_is_read_back_field_by_field(store: ArtifactStore) -> None:
    book = artifacts("a", "b", "c")
    store.replace_book(book)
    assert held(store, RULES) == given(book)
    assert store.entries() == (book.entry,)
    assert complete_entry(store, RULES) == book.entry
    assert next(store.chunks(RULES)).created_at.utcoffset() is not None


def test_records_come_in_the_order_of_their_keys(store: ArtifactStore) -> None:
    book = artifacts("a", "b", "c")
    turned = replace(
        book,
        chunks=list(book.chunks)[::-1],
        embeddings=list(book.embeddings)[::-1],
        nodes=list(book.nodes)[::-1],
        edges=list(book.edges)[::-1],
    )
    store.replace_book(turned)
    assert held(store, RULES) == given(book)


def test_a_new_run_leaves_nothing_of_the_old_one_and_other_books_alone(store: ArtifactStore) -> None:
    other = artifacts("x", "y", key=OTHER)
    store.replace_book(other)
    store.replace_book(artifacts("a", "b", "c"))
    new = artifacts("b", "d", run="run2")
    store.replace_book(new)
    assert held(store, RULES) == given(new)
    assert held(store, OTHER) == given(other)
    assert store.entries() == (new.entry, other.entry)


def test_the_same_run_twice_is_the_same_as_once(store: ArtifactStore) -> None:
    book = artifacts("a", "b")
    store.replace_book(book)
    store.replace_book(book)
    assert held(store, RULES) == given(book)
    assert store.entries() == (book.entry,)


def test_a_book_of_more_records_than_are_written_at_once(store: ArtifactStore) -> None:
    book = artifacts(*(f"chunk-{number:05}" for number in range(BATCH + 3)))
    store.replace_book(book)
    assert held(store, RULES) == given(book)


def test_a_book_without_chunks(store: ArtifactStore) -> None:
    store.replace_book(artifacts("a"))
    empty = artifacts(run="run2")
    store.replace_book(empty)
    assert held(store, RULES) == given(empty)


def test_vectors_of_another_model_stay_where_the_text_is_the_same(store: ArtifactStore) -> None:
    store.replace_book(artifacts("a", "b"))
    new = artifacts("a", "b", "c", run="run2", model="better")
    texts = {"a": "h", "b": "another", "c": "h"}
    vectors = [embedding(name, run="run2", model="better", text=text) for name, text in texts.items()]
    store.replace_book(replace(new, embeddings=vectors))
    assert [embedding.chunk_id for embedding in store.embeddings(RULES, "toy")] == ["a"]
    assert [embedding.chunk_id for embedding in store.embeddings(RULES, "better")] == ["a", "b", "c"]
    assert store.models(RULES) == ("better", "toy")


def test_a_chunk_that_is_gone_has_no_vector_of_any_model(store: ArtifactStore) -> None:
    store.replace_book(artifacts("a", "b"))
    store.replace_book(artifacts("a", run="run2", model="better"))
    assert [embedding.chunk_id for embedding in store.embeddings(RULES, "toy")] == ["a"]


def breaking_off() -> Iterator[EnrichedChunk]:
    yield chunk("a", run="run2")
    raise KeyboardInterrupt


def test_a_writer_that_breaks_off_leaves_the_old_book_or_one_that_says_so(store: ArtifactStore) -> None:
    old = artifacts("a", "b")
    store.replace_book(old)
    with pytest.raises(KeyboardInterrupt):
        store.replace_book(replace(artifacts("a", "c", run="run2"), chunks=breaking_off()))
    if store.entries()[0].complete:
        assert held(store, RULES) == given(old)
    else:
        with pytest.raises(IndexCorruptError, match="interrupted"):
            complete_entry(store, RULES)
    new = artifacts("a", "c", run="run2")
    store.replace_book(new)
    assert held(store, RULES) == given(new)
    assert complete_entry(store, RULES) == new.entry


@pytest.mark.parametrize("table", ["chunks", "embeddings", "nodes", "edges"])
def test_fewer_records_than_the_entry_counts_are_no_book(store: ArtifactStore, table: str) -> None:
    book = artifacts("a", "b")
    with pytest.raises(VectorDBWriteError, match=r"are \d+, not \d+ as the entry says"):
        store.replace_book(replace(book, **{table: list(getattr(book, table))[1:]}))
    with pytest.raises((IndexCorruptError, IndexMissingError)):
        complete_entry(store, RULES)


def test_a_chunk_belongs_to_one_book(store: ArtifactStore) -> None:
    store.replace_book(artifacts("a"))
    with pytest.raises(VectorDBWriteError, match="belongs to another book"):
        store.replace_book(artifacts("a", key=OTHER))


def test_a_removed_book_is_gone_and_its_config_stays(store: ArtifactStore) -> None:
    store.replace_book(artifacts("a", "b"))
    store.replace_book(artifacts("x", key=OTHER))
    store.save_config(config())
    store.remove_book(RULES)
    assert held(store, RULES) == [[], [], [], []]
    assert [entry.book for entry in store.entries()] == [OTHER]
    assert store.configs("starfinder") == (config(),)


def test_a_book_that_is_not_there_is_answered_with_those_that_are(store: ArtifactStore) -> None:
    store.replace_book(artifacts("x", key=OTHER))
    with pytest.raises(IndexMissingError, match=r"'core' of ruleset 'starfinder'; available: starfinder/gm"):
        complete_entry(store, RULES)


def test_a_config_keeps_the_time_at_which_it_was_first_there(store: ArtifactStore) -> None:
    store.save_config(config())
    store.save_config(config(time=LATER))
    assert store.configs("starfinder") == (config(),)
    changed = config(time=LATER, spell_names=("Fireball", "Wish"))
    store.save_config(changed)
    assert store.configs("starfinder") == (replace(changed, created_at=TIME),)
    assert list(store.configs("starfinder")[0].intent_patterns) == ["effect", "where"]


def test_the_newest_version_of_a_config_is_the_highest_by_its_numbers(store: ArtifactStore) -> None:
    for version in ("v9", "v10", "v2"):
        store.save_config(config(version))
    assert [config.version for config in store.configs("starfinder")] == ["v10", "v9", "v2"]
    assert stored_config(store, "starfinder").version == "v10"
    assert stored_config(store, "starfinder", "v2").version == "v2"
    with pytest.raises(IndexMissingError, match=r"no traversal config 'v3'; available: v10, v9, v2"):
        stored_config(store, "starfinder", "v3")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_has_its_indexes(store: ArtifactStore, table: Table) -> None:
    store.replace_book(artifacts("a"))
    store.save_config(config())
    assert indexes(store, table) == {(index.fields, index.unique) for index in table.indexes}


def indexes(store: ArtifactStore, table: Table) -> set[tuple[tuple[tuple[str, int], ...], bool]]:
    if not isinstance(store, SqliteStore):
        index_information = store._database[table.name].index_information()
        return {
            (tuple((field, int(order)) for field, order in each["key"]), bool(each.get("unique")))
            for name, each in index_information.items()
            if name != "_id_"
        }
    ask = store._connection.execute
    listed = [(name, bool(unique)) for _, name, unique, *_ in ask(f"PRAGMA index_list({table.name})")]
    return {
        (
            tuple(
                (field, -1 if falls else 1)
                for _, _, field, falls, _, key in ask(f'PRAGMA index_xinfo("{name}")')
                if key
            ),
            unique,
        )
        for name, unique in listed
    }
