from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.artifacts.artifacts import BookKey
from retrieval.artifacts.mongo_store import MongoStore
from retrieval.artifacts.sqlite_store import SqliteStore
from retrieval.errors import UnknownNameError
from retrieval.export.projection import Choice, Projection, write_artifacts
from retrieval.home import Home
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import EmbedderIdentity
from tests.chunks import EMPTY
from tests.graphs import edges_of
from tests.retrieval.artifacts.conftest import OTHER, artifacts

LANTERN = BookKey("lantern-and-blade-1", "lantern-and-blade")


def test_every_chunk_has_its_fields_and_its_vector(sample: Home, projection: Projection) -> None:
    with open_snapshot(sample.root) as snapshot:
        book = projection.book(LANTERN)
        chunks = {chunk.chunk_id: chunk for chunk in book.chunks}
        vectors = {embedding.chunk_id: embedding for embedding in book.embeddings}
        assert set(chunks) == set(vectors) == {chunk.id for chunk in snapshot.chunks}
        for position, chunk in enumerate(snapshot.chunks):
            result = chunks[chunk.id]
            assert (result.text, result.document, result.query_must) == (chunk.text, chunk.document, chunk.query_must)
            assert result.run_id == snapshot.id
            assert result.content_kind == chunk.metadata["content_kind"]
            assert result.section_path == chunk.metadata.get("section_path", ())
            assert np.array_equal(np.float32(vectors[chunk.id].embedding), snapshot.vectors[position])
        assert {"table", "spell", "rule"} <= {chunk.content_kind for chunk in chunks.values()}
        assert any(chunk.traits for chunk in chunks.values())


def test_a_text_hash_is_what_the_vector_is_kept_under(sample: Home, projection: Projection) -> None:
    with open_snapshot(sample.root) as snapshot:
        kept = EmbeddingStore(sample.embeddings, snapshot.manifest.embedder).keys()
    assert {embedding.metadata.text_hash for embedding in projection.book(LANTERN).embeddings} <= kept


def test_nodes_and_edges_are_those_of_the_graph(sample: Home, projection: Projection) -> None:
    book = projection.book(LANTERN)
    nodes, edges = tuple(book.nodes), tuple(book.edges)
    with open_snapshot(sample.root) as snapshot:
        ids = [chunk.id for chunk in snapshot.chunks]
        expected = set(edges_of(snapshot.graph, ids))
        assert book.entry.n_nodes == snapshot.graph.n_nodes
    assert {(edge.source_id, edge.target_id, edge.relation) for edge in edges} == expected
    assert len(edges) == book.entry.n_edges == len(expected)
    assert {node.node_id for node in nodes} == {end for edge in expected for end in edge[:2]}
    assert {node.kind for node in nodes} == {"chunk", "section", "entity", "trait"}


def test_an_edge_says_what_there_is_to_say_of_it(projection: Projection) -> None:
    edges = tuple(projection.book(LANTERN).edges)
    output = {
        relation: {key for edge in edges if edge.relation == relation for key in edge.metadata}
        for relation in ("similar", "contains", "next")
    }
    assert output == {"similar": {"cosine"}, "contains": {"position"}, "next": set()}
    assert all(0.8 <= edge.metadata["cosine"] <= 1 for edge in edges if edge.relation == "similar")


def test_the_same_snapshot_gives_the_same_records(sample: Home, projection: Projection) -> None:
    with open_snapshot(sample.root) as snapshot:
        one, other = projection.book(LANTERN), Projection(snapshot).book(LANTERN)
        for name in ("chunks", "embeddings", "nodes", "edges"):
            assert tuple(getattr(one, name)) == tuple(getattr(other, name))
    assert one.entry == other.entry


@pytest.fixture
def mixed(tmp_path: Path) -> Projection:
    """Two books, of which one has documents of two rulesets, and a third that says none."""
    output = [("a", "1.md", "new"), ("a", "2.md", "old"), ("b", "1.md", "new"), ("c", "1.md", None)]
    chunks = [
        replace(
            EMPTY,
            id=f"id-{position}",
            book=book,
            document=document,
            heading_path=("Spells", f"Spell {position}"),
            text="It burns.",
            search_text="It burns.",
            metadata={"content_kind": "spell", "tags": "fire", **({"ruleset_id": ruleset} if ruleset else {})},
        )
        for position, (book, document, ruleset) in enumerate(output)
    ]
    model = EmbedderIdentity("toy", "1", 8)
    made = build_snapshot(tmp_path, chunks, np.eye(4, 8, dtype=np.float32), model, Vocabulary.default())
    with open_snapshot(tmp_path, made.id) as snapshot:
        yield Projection(snapshot)


def test_a_book_of_two_rulesets_is_two_and_one_that_says_none_is_its_own(mixed: Projection) -> None:
    assert mixed.books == (("c", "c"), ("new", "a"), ("new", "b"), ("old", "a"))
    result = {key: [chunk.chunk_id for chunk in mixed.book(key).chunks] for key in mixed.books}
    assert result == {("c", "c"): ["id-3"], ("new", "a"): ["id-0"], ("new", "b"): ["id-2"], ("old", "a"): ["id-1"]}
    assert mixed.config("new").spell_names == ("Spell 0", "Spell 2")
    sections = [node.name for node in mixed.book(BookKey("old", "a")).nodes if node.kind == "section"]
    assert sections == ["a > 2.md", "a > 2.md > Spells", "a > 2.md > Spells > Spell 1"]


def test_one_tag_without_a_list_is_a_list_of_one(mixed: Projection) -> None:
    assert [chunk.tags for chunk in mixed.book(BookKey("c", "c")).chunks] == [("fire",)]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(), [("c", "c"), ("new", "a"), ("new", "b"), ("old", "a")]),
        (Choice("new"), [("new", "a"), ("new", "b")]),
        (Choice(None, "a"), [("new", "a"), ("old", "a")]),
        (Choice("old", "a"), [("old", "a")]),
    ],
    ids=["all", "ruleset", "book", "both"],
)
def test_books_are_chosen_by_ruleset_and_by_name(mixed: Projection, choice: Choice, expected: list[object]) -> None:
    assert list(choice.of(mixed.books)) == expected


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (Choice("newest"), "no ruleset is called 'newest'; did you mean 'new'? available: c, new, old"),
        (Choice(None, "z"), "no book is called 'z'; available: a, b, c"),
        (Choice("old", "b"), "no book of ruleset 'old' is called 'b'; available: a"),
    ],
    ids=["ruleset", "book", "book of another ruleset"],
)
def test_a_choice_of_nothing_lists_what_there_is(mixed: Projection, choice: Choice, said: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        choice.of(mixed.books)
    assert str(raised.value) == said


def test_both_stores_hold_the_same_of_the_same_snapshot(small: Projection, sqlite: SqliteStore, mongo_uri: str) -> None:
    with closing(MongoStore.open(mongo_uri)) as server:
        output = [write_artifacts(small, store, Choice()) for store in (sqlite, server)]
        assert output[0] == output[1]
        assert sqlite.entries() == server.entries() == output[0].entries
        for book in small.books:
            model = output[0].entries[0].model_id
            assert list(sqlite.chunks(book)) == list(server.chunks(book))
            assert list(sqlite.embeddings(book, model)) == list(server.embeddings(book, model))
            assert list(sqlite.nodes(book)) == list(server.nodes(book))
            assert list(sqlite.edges(book)) == list(server.edges(book))
        (ruleset,) = output[0].rulesets
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
