from retrieval.understand.catalog.catalog import Catalog, Described
from retrieval.understand.catalog.nouns import own_nouns


def test_what_many_texts_call_themselves_is_a_noun_for_documents() -> None:
    texts = [f"This ferry has {number} decks, and this time it sails." for number in range(12)]
    assert own_nouns(texts) == {"ferry"}
    assert own_nouns([*texts, *["Nothing of the kind."] * 60]) == frozenset()
    assert own_nouns(texts[:9]) == frozenset()


def test_plurals_and_verbs_behind_this_are_none() -> None:
    assert own_nouns(["This is where this allows this boats."] * 20) == frozenset()


def test_a_catalogue_calls_its_documents_so() -> None:
    documents = [Described(str(number), f"No. {number}", {"line": "north"}) for number in range(20)]
    assert "ferry" not in Catalog.of(documents).nouns
    assert "ferry" in Catalog.of(documents, texts=["This ferry is slow."] * 20).nouns
