from random import Random

from evals.generation.names import PlaceNames, TableName, WordPlaces, table_of
from evals.generation.phrasing import Phrasing
from retrieval.language.vocabulary import Vocabulary


def names(*chunks, shortened=True):
    names = PlaceNames.of(((table_of(chunk), chunk) for chunk in chunks), shortened=shortened).names
    return {key[1]: ways for key, ways in names.items()}


def table(make_chunk, name, *heads, caption=None):
    return make_chunk(name, table_id=name, heading_path=heads, caption=caption)


def test_the_first_name_is_the_shortest_that_means_one_place(make_chunk):
    result = names(
        table(make_chunk, "a", "Fighter", caption="Table: To hit"),
        table(make_chunk, "b", "Thief", caption="Table: To hit"),
        table(make_chunk, "c", "Thief", caption="Saves"),
    )
    assert [result[name][0] for name in "abc"] == ["To hit (Fighter)", "To hit (Thief)", "Saves"]
    assert set(result["a"]) > {"Fighter To hit", "To hit of Fighter", "To hit, Fighter"}


def test_a_name_loses_a_word_only_where_it_still_means_one_place(make_chunk):
    result = names(
        table(make_chunk, "a", caption="Small Craft Drives"), table(make_chunk, "b", caption="Small Craft Hulls")
    )
    assert set(result["a"]) == {"Small Craft Drives", "Small Drives", "Craft Drives"}
    assert names(table(make_chunk, "a", caption="Small Craft Drives"), shortened=False) == {
        "a": ("Small Craft Drives",)
    }


def test_a_shortened_name_neither_begins_nor_ends_with_a_joining_word(make_chunk):
    result = names(table(make_chunk, "a", caption="Armor by Type"))
    assert set(result["a"]) == {"Armor by Type", "Armor Type"}


def test_an_identifier_loses_a_number_that_tells_nothing(make_chunk):
    result = names(table(make_chunk, "a", "GPS_RTK (127)"), table(make_chunk, "b", "GPS2_RTK (128)"))
    assert set(result["a"]) == {"GPS_RTK (127)", "GPS_RTK", "GPS RTK", "gps rtk"}
    result = names(table(make_chunk, "a", "Wall (1)"), table(make_chunk, "b", "Wall (2)"))
    assert {name: set(ways) for name, ways in result.items()} == {"a": {"Wall (1)"}, "b": {"Wall (2)"}}


def test_places_that_nothing_tells_apart_have_no_name(make_chunk):
    result = names(table(make_chunk, "a", "Skills"), table(make_chunk, "b", "Skills", "Chapter 2: Skills"))
    assert result == {}
    assert names(table(make_chunk, "a", "Doors"), table(make_chunk, "b", "Doors")) == {}


def test_a_sentence_that_introduces_a_table_is_not_its_name(make_chunk):
    caption = "The following values are allowed"
    chunk = make_chunk("a", table_id="a", heading_path=("Flags",), caption=caption, introduced=True)
    assert names(chunk) == {"a": ("Flags",)}


def draw_names(make_chunk, beside, row):
    """Every way in which the table of fighters is called; that of thieves has the same rows."""
    rows = [
        make_chunk(f"{table}-{key}", row_key=key, columns=("Level", "Save"), cells=(key, "9"), caption=f"{table} Saves")
        for table in ("Fighter", "Thief")
        for key in ("1-3", "4-6", "Giant")
    ]
    names = TableName(("Fighter Saves",), WordPlaces(rows), frozenset({"Fighter-1-3", "Fighter-4-6", "Fighter-Giant"}))
    phrasings = (Phrasing(Random(seed), Vocabulary.default(), frozenset()) for seed in range(100))
    return {names.say(phrasing, beside, row) for phrasing in phrasings}


def test_a_name_is_cut_to_what_tells_its_row_from_all_others_and_else_said_whole(make_chunk):
    assert draw_names(make_chunk, ["Giant", "Save"], "Fighter-Giant") == {"Fighter Saves", "Fighter"}
    assert draw_names(make_chunk, ["Level", "Save"], None) == {"Fighter Saves", "Fighter"}
    assert draw_names(make_chunk, ["Level", "Save"], "Fighter-Giant") == {"Fighter Saves"}


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
    word_places = WordPlaces([row, make_chunk("p", kind="prose", text="Swords cut.")])
    assert word_places.having(["arms SWORDS", "long"]) == {"r"}
    assert word_places.having(["swords"]) == {"r", "p"}
    assert word_places.having(["swords", "axes"]) == set()
    assert word_places.having([]) == set()
    assert (word_places.share("Swords"), word_places.share("axes")) == (1.0, 0.0)


def test_words_are_left_out_while_the_rest_means_the_same_place(make_chunk):
    result = places(make_chunk, "iron door cost", "iron gate cost", "oak door cost")
    ways = kept(result, ["iron", "door"], ["cost"])
    assert ways == {("iron", "door")}, "either word alone is in another place, too"
    assert kept(result, ["iron", "door", "cost"]) == {("iron", "door", "cost"), ("iron", "door")}


def test_nothing_need_be_kept_where_the_rest_says_enough(make_chunk):
    result = places(make_chunk, "gate iron", "door oak")
    assert () in kept(result, ["gate"], ["iron"])
    assert kept(result, ["gate"], ["iron"], least=1) == {("gate",)}


def test_words_that_mean_several_places_are_not_shortened(make_chunk):
    assert kept(places(make_chunk, "iron gate", "iron gate"), ["iron", "gate"]) == {None}
