from dataclasses import replace

import numpy as np
import pytest

from retrieval.index.words.figure_index import BARE, STRANGE
from retrieval.search.query import Query
from retrieval.search.rerank.query_terms import IDLE, MOST, ask
from tests.chunks import indexed
from tests.retrieval.search.conftest import CHUNK, ToyEmbedder


@pytest.fixture
def asking(snapshot):
    return lambda text: ask(snapshot, Query.ask(text, snapshot.vocabulary))


@pytest.fixture
def text_of(snapshot):
    return lambda positions: {snapshot.lexical.terms.text_of(int(position)) for position in positions}


def test_only_words_that_the_index_has_are_asked_and_they_rise(asking, text_of):
    query = asking("zzyzx rope, mace and rope")

    assert text_of(query.words) == text_of(asking("mace rope").words)
    assert len(query.words) == len(query.weights) == 2
    assert (np.diff(query.words) > 0).all()


def test_a_rare_word_weighs_more(asking, text_of):
    query = asking("level rope silk")  # one table has rows of ropes, and levels are in many
    weight = dict(zip((min(text_of([word])) for word in query.words), query.weights, strict=True))

    assert weight["silk"] == weight["rope"] > weight["level"] > 0
    assert query.whole == pytest.approx(sum(weight.values()))


def test_a_pair_is_worth_its_lighter_word_and_has_a_direction(asking, text_of):
    query = asking("silk rope")
    key = {min(text_of([word])): number for number, word in enumerate(query.words)}
    silk, rope = key["silk"], key["rope"]

    assert query.worth.tolist() == [query.weights.min()]
    assert query.worth_of_all == query.weights.min()
    assert query.pairs[silk, rope] == 0
    assert np.count_nonzero(query.pairs >= 0) == 1


def test_of_a_long_question_the_rarest_words_are_asked(asking, snapshot, shelf):
    words = sorted({word for chunk in shelf for word in snapshot.lexical.ask(chunk.search_text)})
    query = asking(" ".join(words))

    assert len(words) > MOST
    assert len(query.words) == len(query.weights) == MOST
    weights = asking(" ".join(query.known)).weights
    assert query.weights.tolist() == weights.tolist()
    others = [asking(word).weights[0] for word in words if word not in query.known]
    assert query.weights.min() >= max(others)


def test_a_word_that_says_only_how_something_is_asked_weighs_little(asking, snapshot):
    makes, poison = (asking(word) for word in ("makes", "poison"))
    rarity = snapshot.rarity[[makes.words[0], poison.words[0]]]

    assert makes.weights[0] == IDLE * rarity[0]
    assert poison.weights[0] == rarity[1]
    assert asking("which zzyzx").strangers == {"which": IDLE * snapshot.rarity[-1], "zzyzx": snapshot.rarity[-1]}


def test_a_label_of_several_words_stands_beside_its_number_as_the_one_word_that_it_is(asking, text_of):
    (figure,) = asking("who hits armor class 5").figures

    assert "ac" in text_of(figure.near)


@pytest.mark.parametrize("question", ["a fighter of 4 levels", "a fighter of the 4th level", "fighter, level 4"])
def test_a_number_knows_which_words_it_is_written_in(asking, text_of, question):
    query = asking(question)
    (figure,) = query.figures

    assert text_of(query.words[figure.places]) == {"4"}


def test_the_words_are_known_by_their_place(asking, text_of):
    query = asking("silk rope and a mace")

    assert {word: min(text_of([query.words[position]])) for word, position in query.known.items()} == {
        word: word for word in ("silk", "rope", "mace")
    }


def test_a_number_knows_its_unit_and_the_words_beside_it(asking, text_of, snapshot):
    (figure,) = asking("what has a weight of 5 lb").figures
    (strange,) = asking("after 7 minutes").figures
    (bare,) = asking("the level 5 poison save").figures

    assert snapshot.figures.units.text_of(figure.unit) == figure.quantity.unit
    assert "weight" in text_of(figure.near)
    assert strange.unit == STRANGE
    assert bare.unit == BARE
    assert snapshot.figures.units.text_of(bare.label) == "level" if bare.label >= 0 else bare.label == STRANGE
    assert {"level", "poison", "save"} <= text_of(bare.near)


def test_dice_dates_and_unknown_words_ask_nothing(asking):
    query = asking("zzyzx plugh")
    assert (len(query.words), query.pairs.shape, query.figures, query.whole) == (0, (0, 0), (), 1.0)
    assert asking("roll 2d6 for the mace").figures == ()


def test_the_numbers_of_a_longer_name_stand_behind_the_part_before_them(asking, text_of, snapshot):
    query = asking("output of the L54-35-S400-R")
    behind = {
        min(text_of([word])): min(text_of([before])) if before >= 0 else None
        for word, before in zip(query.words, query.behind, strict=True)
    }

    assert behind["54"] == "l"
    assert behind["35"] == "54"
    assert behind["400"] == "s"
    assert behind["output"] is behind["l"] is None


@pytest.mark.parametrize(
    "text", ["AC6", "T54", "35 W of the L54", "L54-35-S400 with 54 and 35 and 400 parts", "level-30"]
)
def test_a_number_that_is_said_alone_or_in_a_short_name_stands_anywhere(asking, text):
    assert (asking(text).behind < 0).all()


def test_an_identifier_with_a_sign_is_no_number(tmp_path):
    texts = ("Pull-off is set by `$27`", "A berth costs $30.50 on pier 27")
    chunks = [replace(CHUNK, id=text, kind="prose", search_text=text) for text in texts]
    with indexed(tmp_path, chunks, ToyEmbedder()) as retriever:
        settings = retriever.snapshot

        def figures(text: str) -> list[str]:
            return [figure.quantity.text for figure in ask(settings, Query.ask(text, settings.vocabulary)).figures]

        assert figures("the default of $27") == []
        assert figures("pier 27") == ["27"]
        assert figures("$30 a berth") == ["$30"]
