from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evals.terms.suggestion import SaidQuestion, TermSuggestion, suggest
from evals.terms.vocabulary_file import with_alias
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.search.retriever import Retriever

if TYPE_CHECKING:
    from retrieval.home import Home
    from retrieval.types import Chunk


def suggested(
    live: Retriever, *queries: str, decided: frozenset[tuple[str, str]] = frozenset()
) -> list[TermSuggestion]:
    return suggest(live.snapshot, [SaidQuestion(query) for query in queries], decided)


def row(live: Retriever, key: str) -> Chunk:
    return next(chunk for chunk in live.snapshot.chunks if chunk.row_key == key)


def test_the_same_letters_written_apart_are_surest(live: Retriever) -> None:
    (found,) = suggested(live, "longsword damage", "cost of a longsword")
    assert (found.word, found.means, found.way) == ("longsword", "long sword", "written apart")
    assert found.questions == ("longsword damage", "cost of a longsword")


def test_a_misspelt_word_means_the_one_with_nearly_its_letters(live: Retriever) -> None:
    (found,) = suggested(live, "cost of a dager")
    assert (found.word, found.means, found.way) == ("dager", "dagger", "spelling")
    assert suggested(live, "cost of a mase") == [], "of four letters half a dozen others are one letter away"


def test_initials_mean_what_they_are_of_and_a_label_is_called_by_its_name(live: Retriever) -> None:
    (found,) = suggested(live, "the tr of a mace")
    assert (found.means, found.way) == ("tiny rules", "initials")
    (label,) = suggested(live, "a mace against armorclas 3")
    assert label.word == "armorclas"
    assert live.snapshot.vocabulary.labels
    assert label.means in {"ac", "armorclass"}


def test_what_answers_says_what_a_word_means(live: Retriever) -> None:
    asked = "How much is a cudgel?"
    assert suggested(live, asked) == []
    (found,) = suggest(live.snapshot, [SaidQuestion(asked, (row(live, "Mace"),))], frozenset())
    assert (found.word, found.means, found.way) == ("cudgel", "mace", "answer")


def test_the_word_that_a_row_misses_is_one_of_its_group_and_never_its_label(sample: Home) -> None:
    live = Retriever.open(sample.root)
    title = "I.A. Attack Matrix for Clerics, Druids and Monks - Opponent Armor Class 6"
    answer = next(chunk for chunk in live.snapshot.chunks if chunk.title == title)
    asked = SaidQuestion("What does a 7th level padre need to roll to hit AC 6?", (answer,))
    (found,) = suggest(live.snapshot, [asked], frozenset())
    assert (found.word, found.means, found.way, found.others) == ("padre", "cleric", "group", ("druid", "monk"))
    (other,) = suggest(live.snapshot, [asked], frozenset({("padre", "cleric")}))
    assert (other.means, other.others) == ("druid", ("monk",))
    two = replace(asked, query="What does a padre need to roll?")
    assert suggest(live.snapshot, [two], frozenset()) == [], "it misses the armor class as well"
    alias = with_alias(live.snapshot.vocabulary, "padre", "cleric")
    assert satisfies_query_must(asked.query, answer.query_must, vocabulary=alias)


def test_what_was_decided_is_not_proposed_again(live: Retriever) -> None:
    decided = frozenset({("longsword", "long sword")})
    assert ("longsword", "long sword") not in {
        (each.word, each.means) for each in suggested(live, "longsword damage", decided=decided)
    }


def test_a_word_of_more_questions_comes_first(live: Retriever) -> None:
    found = suggested(live, "cost of a dager", "damage of a dager", "longsword damage")
    assert [each.word for each in found] == ["dager", "longsword"]
