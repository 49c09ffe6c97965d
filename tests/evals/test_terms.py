from dataclasses import replace
from pathlib import Path

import pytest

from evals.terms import (
    SaidQuestion,
    add_alias,
    decided_terms,
    keep_decision,
    known_phrases,
    suggest,
    unknown_words,
    with_alias,
)
from retrieval.errors import LibraryError
from retrieval.home import Home
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk


def suggested(live, *queries, decided=frozenset()):
    return suggest(live.snapshot, [SaidQuestion(query) for query in queries], decided)


def row(live: Retriever, key: str) -> Chunk:
    return next(chunk for chunk in live.snapshot.chunks if chunk.row_key == key)


def test_a_misspelt_word_or_one_written_apart_means_the_one_with_nearly_its_letters(live: Retriever) -> None:
    (result,) = suggested(live, "longsword damage", "cost of a longsword")
    assert (result.word, result.means, result.way) == ("longsword", "long sword", "written apart")
    assert result.questions == ("longsword damage", "cost of a longsword")
    (result,) = suggested(live, "cost of a dager")
    assert (result.word, result.means, result.way) == ("dager", "dagger", "spelling")
    assert suggested(live, "cost of a mase") == [], "of four letters half a dozen others are one letter away"


def test_initials_mean_what_they_are_of_and_a_label_is_called_by_its_name(live: Retriever) -> None:
    (result,) = suggested(live, "the tr of a mace")
    assert (result.means, result.way) == ("tiny rules", "initials")
    (label,) = suggested(live, "a mace against armorclas 3")
    assert label.word == "armorclas"
    assert live.snapshot.vocabulary.labels
    assert label.means in {"ac", "armorclass"}


def test_what_answers_says_what_a_word_means(live: Retriever) -> None:
    query = "How much is a cudgel?"
    assert suggested(live, query) == []
    (result,) = suggest(live.snapshot, [SaidQuestion(query, (row(live, "Mace"),))], frozenset())
    assert (result.word, result.means, result.way) == ("cudgel", "mace", "answer")


def test_the_word_that_a_row_misses_is_one_of_its_group_and_never_its_label(sample: Home) -> None:
    live = Retriever.open(sample.root)
    title = "I.A. Attack Matrix for Clerics, Druids and Monks - Opponent Armor Class 6"
    answer = next(chunk for chunk in live.snapshot.chunks if chunk.title == title)
    said_question = SaidQuestion("What does a 7th level padre need to roll to hit AC 6?", (answer,))
    (result,) = suggest(live.snapshot, [said_question], frozenset())
    assert (result.word, result.means, result.way, result.others) == ("padre", "cleric", "group", ("druid", "monk"))
    (other,) = suggest(live.snapshot, [said_question], frozenset({("padre", "cleric")}))
    assert (other.means, other.others) == ("druid", ("monk",))
    two = replace(said_question, query="What does a padre need to roll?")
    assert suggest(live.snapshot, [two], frozenset()) == [], "it misses the armor class as well"
    alias = with_alias(live.snapshot.vocabulary, "padre", "cleric")
    assert satisfies_query_must(said_question.query, answer.query_must, vocabulary=alias)


def test_what_was_decided_is_not_proposed_again(live: Retriever) -> None:
    decided = frozenset({("longsword", "long sword")})
    assert ("longsword", "long sword") not in {
        (each.word, each.means) for each in suggested(live, "longsword damage", decided=decided)
    }


def test_a_word_of_more_questions_comes_first(live: Retriever) -> None:
    result = suggested(live, "cost of a dager", "damage of a dager", "longsword damage")
    assert [each.word for each in result] == ["dager", "longsword"]


def test_words_that_no_text_and_no_label_has_are_unknown(live: Retriever) -> None:
    query = "What does a Zweihander cost beside daggers of level 3, longsword or 2 gp?"
    assert unknown_words(query, live.snapshot)[-1] == "longsword"
    assert "zweihander" in unknown_words(query, live.snapshot)
    assert {"cost", "daggers", "level", "gp"}.isdisjoint(unknown_words(query, live.snapshot))


def test_an_index_calls_its_things_by_rows_headings_columns_and_labels(live: Retriever) -> None:
    phrases = known_phrases(live.snapshot.chunks, live.snapshot.vocabulary)
    assert {"long sword", "mace", "weapons", "damage", "armor class"} <= set(phrases)


def test_decisions_are_kept_and_none_is_there_before_the_first(tmp_path: Path) -> None:
    assert decided_terms(tmp_path) == frozenset()
    keep_decision(tmp_path, "woods", "forest", "accepted")
    keep_decision(tmp_path, "woods", "wood", "rejected")
    assert decided_terms(tmp_path) == {("woods", "forest"), ("woods", "wood")}


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# mine\n[labels.ac]\nforms = ['panzer']\n",
        "[aliases]  # what we say\nwoods = 'forest'\n\n[words]\nunits = ['ell']\n",
    ],
)
def test_what_its_owner_wrote_stays_and_the_alias_counts(tmp_path: Path, before: str) -> None:
    path = tmp_path / "vocabulary.toml"
    path.write_text(before)
    add_alias(path, "long-sword", "long sword")
    text = path.read_text("utf-8")
    assert load_vocabulary(path).aliases["long-sword"] == "long sword"
    assert all(line in text.splitlines() for line in before.splitlines())
    assert [path.name for path in tmp_path.iterdir()] == ["vocabulary.toml"]


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    add_alias(tmp_path / "vocabulary.toml", "woods", "forest")
    assert (tmp_path / "vocabulary.toml").read_text() == '[aliases]\n"woods" = "forest"\n'


@pytest.mark.parametrize("before", ["aliases = { woods = 'forest' }\n", "aliases.woods = 'forest'\n"])
def test_a_file_that_cannot_take_it_is_left_as_it_is(tmp_path: Path, before: str) -> None:
    path = tmp_path / "vocabulary.toml"
    path.write_text(before)
    with pytest.raises(LibraryError, match='write it there: "bog" = "swamp"'):
        add_alias(path, "bog", "swamp")
    assert path.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["vocabulary.toml"]


def test_a_word_has_one_meaning(tmp_path: Path) -> None:
    add_alias(tmp_path / "vocabulary.toml", "woods", "forest")
    with pytest.raises(LibraryError, match="already has an alias 'woods'"):
        add_alias(tmp_path / "vocabulary.toml", "woods", "wood")


@pytest.mark.parametrize(("word", "means"), [("ac5", "ac"), ("woods", "5"), ("!", "forest")])
def test_what_cannot_be_an_alias_is_refused(word: str, means: str) -> None:
    with pytest.raises(LibraryError):
        with_alias(Vocabulary.default(), word, means)
