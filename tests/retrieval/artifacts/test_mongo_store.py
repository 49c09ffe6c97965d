import mongomock
import pytest

from retrieval.artifacts.mongo_store import URI, MongoStore
from retrieval.artifacts.store import complete_entry
from retrieval.errors import IndexCorruptError, StoreUnavailableError, UnreadableSettingsError
from tests.retrieval.artifacts.conftest import RULES, artifacts


def test_a_store_without_an_address_says_which_variable_to_set() -> None:
    with pytest.raises(UnreadableSettingsError, match=f"set {URI} to mongodb://"):
        MongoStore.open(None, {})


@pytest.mark.parametrize(
    "uri", ["mongodb://me:pass@word@host:1/x", "http://me:word@host", "mongodb://me:word@host:port/x"]
)
def test_an_address_that_is_none_is_named_without_its_password(uri: str) -> None:
    with pytest.raises(UnreadableSettingsError, match="is not an address like mongodb://") as raised:
        MongoStore.open(uri)
    assert "word" not in str(raised.value)


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailableError, match=r"127\.0\.0\.1:1/x cannot be used .* start it") as raised:
        MongoStore.open("mongodb://me:secret@127.0.0.1:1/x?serverSelectionTimeoutMS=1&appName=hidden")
    assert "secret" not in str(raised.value)
    assert "hidden" not in str(raised.value)


@mongomock.patch((("rules.example", 27017),))
def test_the_database_is_the_one_of_the_address() -> None:
    for address, name in (("mongodb://rules.example/shelf", "shelf"), ("mongodb://rules.example", "querymust")):
        store = MongoStore.open(None, {URI: address})
        store.replace_book(artifacts("a"))
        assert complete_entry(store, RULES).n_chunks == 1
        assert store._database.name == name
        store.close()


def test_a_document_that_another_program_wrote_is_named_and_not_guessed_at() -> None:
    store = MongoStore(mongomock.MongoClient(tz_aware=True)["querymust"])
    store._database["enriched_chunks"].insert_one({"chunk_id": "a", "ruleset_id": RULES[0], "book_id": RULES[1]})
    with pytest.raises(IndexCorruptError, match=r"enriched_chunks in .* not a valid EnrichedChunk \(run_id: "):
        list(store.chunks(RULES))


def test_fields_that_another_program_added_are_left_alone() -> None:
    store = MongoStore(mongomock.MongoClient(tz_aware=True)["querymust"])
    book = artifacts("a")
    store.replace_book(book)
    store._database["enriched_chunks"].update_one({}, {"$set": {"note": "seen"}})
    assert list(store.chunks(RULES)) == list(book.chunks)
