from evals.terms.known_phrases import KnownPhrases, unknown_words
from retrieval.search.retriever import Retriever


def test_words_that_no_text_and_no_label_has_are_unknown(live: Retriever) -> None:
    asked = "What does a Zweihander cost beside daggers of level 3, longsword or 2 gp?"
    assert unknown_words(asked, live.snapshot)[-1] == "longsword"
    assert "zweihander" in unknown_words(asked, live.snapshot)
    assert {"cost", "daggers", "level", "gp"}.isdisjoint(unknown_words(asked, live.snapshot))


def test_an_index_calls_its_things_by_rows_headings_columns_and_labels(live: Retriever) -> None:
    phrases = KnownPhrases.of(live.snapshot.chunks, live.snapshot.vocabulary)
    assert {"long sword", "mace", "weapons", "damage", "armor class"} <= set(phrases.phrases)
    assert "sword" in phrases.words
