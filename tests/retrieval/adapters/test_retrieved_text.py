import json
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from retrieval.adapters.retrieved_text import Search, retrieved_texts
from retrieval.errors import IndexMissingError, InvalidQueryError
from retrieval.home import Home
from retrieval.index.snapshot.live import promote
from retrieval.search.metadata_filter import Eq
from retrieval.search.receipt import FILTER_IS_OFF

QUESTION = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.mark.parametrize(
    ("adapter", "imported", "package"),
    [
        ("langchain_retriever", "langchain_core.callbacks", "langchain-core"),
        ("llamaindex_retriever", "llama_index.core.retrievers", "llama-index-core"),
    ],
)
def test_without_its_library_an_adapter_says_what_to_install(monkeypatch, adapter, imported, package):
    monkeypatch.setitem(sys.modules, imported, None)
    monkeypatch.delitem(sys.modules, f"retrieval.adapters.{adapter}", raising=False)
    with pytest.raises(ImportError, match=f"pip install '{package}"):
        import_module(f"retrieval.adapters.{adapter}")


def test_a_home_without_an_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError):
        Search.open(tmp_path)


@pytest.fixture(scope="module")
def search(sample: Home) -> Search:
    return Search.open(sample.root)


def test_they_are_the_hits_in_their_order(search: Search) -> None:
    hits = search.live.reader().retriever.retrieve(QUESTION).hits
    result = retrieved_texts(search, QUESTION)
    assert [(each.id, each.text, each.score) for each in result] == [
        (hit.chunk.id, hit.chunk.text, hit.score) for hit in hits
    ]
    assert [each.metadata["rank"] for each in result] == list(range(1, 16))


def test_they_say_where_they_are_from(search: Search) -> None:
    first = retrieved_texts(search, QUESTION)[0]
    assert first.source == "lantern-and-blade/03-combat.md"
    output = {key: first.metadata[key] for key in ("book", "document", "section", "kind", "lines")}
    assert output == {
        "book": "lantern-and-blade",
        "document": "03-combat.md",
        "section": "Combat > Attack Matrices > I.A. Attack Matrix for Clerics, Druids and Monks",
        "kind": "row",
        "lines": "88-88",
    }


def test_a_reason_stands_where_a_predicate_had_a_say(search: Search) -> None:
    hits = search.live.reader().retriever.retrieve(QUESTION, k=50).hits
    guarded = {hit.chunk.id: hit.chunk.query_must is not None for hit in hits}
    filtered = retrieved_texts(replace(search, k=50), QUESTION)
    assert {each.id: "reason" in each.metadata for each in filtered} == guarded
    assert set(guarded.values()) == {True, False}
    assert all(str(each.metadata.get("reason", "satisfies query_must")).startswith("satisfies") for each in filtered)
    off = retrieved_texts(replace(search, k=50, strategy="hybrid"), QUESTION)
    assert {each.metadata.get("reason") for each in off} == {None, FILTER_IS_OFF}


def test_the_metadata_of_a_document_is_theirs_and_all_of_it_can_be_written_as_json(search: Search) -> None:
    snapshot = search.live.reader().retriever.snapshot
    for text in retrieved_texts(search, QUESTION):
        assert json.loads(json.dumps(text.metadata)) == text.metadata
        (at,) = snapshot.chunks.positions([text.id])
        given = snapshot.chunks[int(at)].metadata
        assert any(isinstance(value, tuple) for value in given.values())
        assert {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}.items() <= (
            text.metadata.items()
        )


def test_the_settings_of_a_search_count(search: Search) -> None:
    assert len(retrieved_texts(replace(search, k=3), QUESTION)) == 3
    elsewhere = retrieved_texts(replace(search, where=Eq("document", "04-equipment.md")), QUESTION)
    assert {each.source for each in elsewhere} == {"lantern-and-blade/04-equipment.md"}
    with pytest.raises(InvalidQueryError):
        retrieved_texts(search, " ")


def test_they_are_of_what_is_live_when_they_are_asked_for(twice_live: tuple[Home, str, str]) -> None:
    home, first, _ = twice_live
    search = Search.open(home.root, k=1)
    (newer,) = retrieved_texts(search, "How much is a mace?")
    promote(home.root, first)
    (older,) = retrieved_texts(search, "How much is a mace?")
    assert newer.text == f"{older.text} "
    search.live.close()
