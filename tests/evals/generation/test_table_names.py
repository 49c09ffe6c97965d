from random import Random

from evals.generation.phrasing import Phrasing
from evals.generation.table_names import TableName
from evals.generation.word_places import WordPlaces
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


def said(make_chunk, beside, row):
    """Every way in which the table of fighters is called; that of thieves has the same rows."""
    rows = [
        make_chunk(f"{table}-{key}", row_key=key, columns=("Level", "Save"), cells=(key, "9"), caption=f"{table} Saves")
        for table in ("Fighter", "Thief")
        for key in ("1-3", "4-6", "Giant")
    ]
    names = TableName(("Fighter Saves",), WordPlaces(rows), frozenset({"Fighter-1-3", "Fighter-4-6", "Fighter-Giant"}))
    phrasings = (Phrasing(Random(seed), Vocabulary.default(), frozenset()) for seed in range(100))
    return {names.say(phrasing, beside, row) for phrasing in phrasings}


def test_a_name_is_cut_to_what_tells_the_row_from_all_others(make_chunk):
    assert said(make_chunk, ["Giant", "Save"], "Fighter-Giant") == {"Fighter Saves", "Fighter"}


def test_a_row_that_is_named_by_a_number_needs_a_name_that_means_its_table(make_chunk):
    assert said(make_chunk, ["Level", "Save"], None) == {"Fighter Saves", "Fighter"}


def test_a_name_that_cannot_be_cut_is_said_whole(make_chunk):
    assert said(make_chunk, ["Level", "Save"], "Fighter-Giant") == {"Fighter Saves"}


def test_no_name_is_needed_where_the_rest_says_enough(make_chunk):
    places = WordPlaces([make_chunk("a", cells=("Oak", "60 ft."), columns=("Tree", "Height"), caption="Trees")])
    names = TableName(("Trees",), places, frozenset({"a"}))
    ways = {
        names.say(Phrasing(Random(n), Vocabulary.default(), frozenset()), ["Oak", "Height"], "a") for n in range(60)
    }
    assert ways == {"", "Trees"}
