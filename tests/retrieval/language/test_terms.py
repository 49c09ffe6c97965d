import gc
import weakref

import pytest

from retrieval.language.identifiers import MARK
from retrieval.language.lexicon import Label
from retrieval.language.terms import Tokenization, question_tokenizer, tokenizer, tokens
from retrieval.language.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("AC6", "A.C. 6"),
        ("ac −2", "AC -2"),
        ("7th level", "level 7"),
        ("5,000 gp", "5000 gp"),
        ("Clerics", "cleric"),
        ("two torches", "two torch"),
        ("the druid's staff", "the druid staff"),
        ("ＡＣ ６", "AC 6"),
        ("armour class 6", "AC 6"),
        ("opponents armor classes", "A.C."),
        ("Hit Points", "hp"),
        ("1♥ - 3♠\ufe0f", "1 heart, 3 spades"),
        ("a ♘ on c3", "a knight on c3"),
        ("the Captain's cap'n", "the captain capn"),
        (".4 mm", "0.4 mm"),
        ("month 05", "month 5"),
        ("٣ tents", "3 tents"),
    ],
)
def test_two_ways_of_writing_are_the_same_bag(left: str, right: str) -> None:
    assert sorted(words(left)) == sorted(words(right))


def words(text: str) -> list[str]:
    """The tokens of a text without its identifiers."""
    return [token for token in tokens(text) if not token.startswith(MARK)]


@pytest.mark.parametrize("whole", ["2d6", "d20", "1/4", "2.65", "-2"])
def test_a_figure_that_means_one_thing_stays_whole(whole: str) -> None:
    assert tokens(f"roll {whole} now") == ["roll", whole, "now"]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("10:30", ["10", "30"]),
        ("2024-01-05", ["2024", "1", "5"]),
        ("v 2.11.3", ["v", "2.11", "3"]),
        ("5+3", ["5", "3"]),
    ],
)
def test_what_is_no_number_as_a_whole_is_found_by_its_figures(text: str, figures: list[str]) -> None:
    assert words(text) == figures


def test_the_places_of_a_code_are_no_decimal() -> None:
    assert words("hpx.4.80core") == ["hpx", "4", "80", "core"]
    assert words("v1.4beta, approx.4.5 kg") == ["v", "1.4", "beta", "approx", "4.5", "kg"]


def test_glued_numbers_and_identifiers_are_read_both_ways_and_different_numbers_stay_apart() -> None:
    assert tokens("AC6") == ["ac", "6", "~ac6"]
    assert tokens("hpx.4.80core") == ["hpx", "4", "80", "core", "~hpx480core", "~80core"]
    assert tokens("AC-2") == ["ac", "-2", "2", "~ac2"]
    assert not set(tokens("60")) & set(tokens("6"))


@pytest.mark.parametrize("text", ["", "   ", "—", "…!?"])
def test_a_text_without_words_has_no_tokens(text: str) -> None:
    assert tokens(text) == []


def test_a_librarys_own_labels_are_said_in_one_way() -> None:
    mine = tokenizer(Vocabulary(labels=(Label("power rating", forms=("p.r.", "might")),)))
    assert mine("might 4") == mine("PR 4") == mine("power rating 4") == ["power", "rate", "4"]


def test_a_long_running_process_lets_go_of_the_vocabularies_it_no_longer_reads() -> None:
    first = Vocabulary(aliases={"might": "power"})
    kept = weakref.ref(first)
    assert tokenizer(first) is tokenizer(first)
    del first
    for number in range(100):
        tokenizer(Vocabulary(aliases={f"word {number}": "power"}))
    gc.collect()
    assert kept() is None


def test_forms_of_a_word_meet_in_its_stem_unless_told_otherwise() -> None:
    assert tokens("charging charged charges") == ["charg"] * 3
    plain = tokenizer(Vocabulary.default(), Tokenization(stem=False))
    assert plain("charging charged") == ["charging", "charged"]
    assert tokens("roll 2d6 or d20, 1/4") == ["roll", "2d6", "or", "d20", "1/4"]


def test_a_number_that_is_spelled_meets_its_figure_unless_told_otherwise() -> None:
    assert tokens("Table nine, one of twelve") == tokens("table 9, one of 12")
    assert tokens("one") != tokens("1")
    plain = tokenizer(Vocabulary.default(), Tokenization(numbers=False))
    assert plain("table nine") == ["tabl", "nine"]


def test_irregular_plurals_meet_their_singular_as_the_vocabulary_says() -> None:
    assert tokens("thieves, wolves and men") == tokens("thief, wolf and man")
    assert tokens("she lives here") != tokens("she live here")
    own = tokenizer(Vocabulary(plurals={"matrices": "matrix"}))
    assert own("matrices") == own("matrix") != tokens("matrices")


def test_a_questions_stop_words_are_not_looked_for_unless_there_is_nothing_else() -> None:
    ask = question_tokenizer(Vocabulary.default())
    assert ask("what is the price of a rope") == ["what", "price", "rope"]
    assert ask("to be or not to be") == tokens("to be or not to be")
    everything = question_tokenizer(Vocabulary.default(), Tokenization(stop=False))
    assert everything("the rope") == ["the", "rope"]
