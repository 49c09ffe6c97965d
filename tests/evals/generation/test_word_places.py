from random import Random

from evals.generation.word_places import WordPlaces


def places(make_chunk, *texts):
    return WordPlaces([make_chunk(str(number), kind="prose", text=text) for number, text in enumerate(texts)])


def kept(found, words, beside=(), meant=("0",), least=0):
    return {
        tuple(short) if (short := found.shortened(words, beside, set(meant), Random(seed), least)) is not None else None
        for seed in range(60)
    }


def test_words_are_where_they_are_written(make_chunk):
    row = make_chunk(
        "r", heading_path=("Arms",), caption="Swords", columns=("Name",), cells=("Long_sword",), row_key="x"
    )
    found = WordPlaces([row, make_chunk("p", kind="prose", text="Swords cut.")])
    assert found.having(["arms SWORDS", "long"]) == {"r"}
    assert found.having(["swords"]) == {"r", "p"}
    assert found.having(["swords", "axes"]) == set()
    assert found.having([]) == set()
    assert (found.share("Swords"), found.share("axes")) == (1.0, 0.0)


def test_words_are_left_out_while_the_rest_means_the_same_place(make_chunk):
    found = places(make_chunk, "iron door cost", "iron gate cost", "oak door cost")
    ways = kept(found, ["iron", "door"], ["cost"])
    assert ways == {("iron", "door")}, "either word alone is in another place, too"
    assert kept(found, ["iron", "door", "cost"]) == {("iron", "door", "cost"), ("iron", "door")}


def test_nothing_need_be_kept_where_the_rest_says_enough(make_chunk):
    found = places(make_chunk, "gate iron", "door oak")
    assert () in kept(found, ["gate"], ["iron"])
    assert kept(found, ["gate"], ["iron"], least=1) == {("gate",)}


def test_words_that_mean_several_places_are_not_shortened(make_chunk):
    found = places(make_chunk, "iron gate", "iron gate")
    assert kept(found, ["iron", "gate"]) == {None}
    assert kept(found, ["iron", "gate"], meant=("0", "1")) >= {("iron",), ("gate",)} or () not in kept(
        found, ["iron"], meant=("0", "1")
    )
