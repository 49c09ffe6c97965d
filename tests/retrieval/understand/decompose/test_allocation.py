"""Hits are allocated to the parts of a question."""

from dataclasses import replace

from retrieval.types import Hit, Receipt, Retrieval
from retrieval.understand.decompose.allocation import deal
from tests.chunks import EMPTY


def make_retrieval(query, scores, tables=None):
    hits = tuple(
        Hit(replace(EMPTY, id=name, table_id=(tables or {}).get(name)), score, rank)
        for rank, (name, score) in enumerate(sorted(scores.items(), key=lambda each: -each[1]), start=1)
    )
    return Retrieval(query, "default", hits, Receipt(query))


def ids(dealt):
    return [hit.chunk.id for hit in dealt.hits]


def test_the_best_of_every_part_comes_before_the_second_best_of_any():
    dealt = deal(
        make_retrieval("w", {"x": 5}),
        [make_retrieval("a", {"a1": 3, "a2": 2}), make_retrieval("b", {"b1": 1, "b2": 0})],
        4,
    )

    assert ids(dealt)[:4] == ["a1", "b1", "a2", "b2"]
    assert [hit.rank for hit in dealt.hits] == [1, 2, 3, 4]
    assert dealt.parts["b1"] == "b"


def test_a_chunk_that_answers_two_parts_is_there_once():
    dealt = deal(
        make_retrieval("w", {}), [make_retrieval("a", {"x": 3, "y": 1}), make_retrieval("b", {"x": 3, "z": 1})], 3
    )

    assert (ids(dealt), dealt.parts["x"], dealt.parts["z"]) == (["x", "z", "y"], "a", "b")


def test_rows_of_one_table_raise_each_other():
    tables = {"a2": "T", "b2": "T"}
    parts = [make_retrieval("a", {"a1": 2.0, "a2": 1.5}, tables), make_retrieval("b", {"b1": 2.0, "b2": 1.5}, tables)]

    assert ids(deal(make_retrieval("w", {}), parts, 2)) == ["a2", "b2"]
    assert (
        ids(deal(make_retrieval("w", {}), [make_retrieval("a", {"a1": 9.0, "a2": 1.5}, tables), parts[1]], 2))[0]
        == "a1"
    )


def compared(firsts, kinds, whole=None, row_keys=None):
    """Two parts of `a or b prices`, each with its first answer; by chunk the table that it is like, and its key."""
    known = row_keys or {}
    hits = {
        name: Hit(
            replace(EMPTY, id=name, kind="row", signature=kinds[name], search_text=text, row_key=known.get(name)),
            5.0 - rank,
            rank,
        )
        for rank, (name, text) in enumerate((firsts | (whole or {})).items(), start=1)
    }
    parts = [Retrieval(f"{name} prices", "default", (hits[name],), Receipt("")) for name in firsts]
    best = hits[next(iter(whole or firsts))]
    return deal(Retrieval("a or b prices", "default", (best,), Receipt("")), parts, 4)


def test_answers_of_parts_are_alike_where_they_are_rows_of_equal_tables():
    assert compared({"a": "a 3 gp", "b": "b 4 gp"}, {"a": "name|price", "b": "name|price"}).alike
    assert not compared({"a": "a 3 gp", "b": "b 4 gp"}, {"a": "name|price", "b": "month|rain"}).alike


def test_a_part_without_an_answer_of_its_own_is_like_nothing():
    nothing = Retrieval("b prices", "default", (), Receipt(""))
    result = deal(nothing, [found_alone("a prices", "a"), nothing], 4)
    assert not result.alike


def found_alone(query, name):
    return Retrieval(query, "default", (Hit(replace(EMPTY, id=name, signature="name|price"), 1.0, 1),), Receipt(""))


def test_a_row_that_says_all_that_is_compared_is_no_comparison():
    kinds = {"a": "name|price", "b": "name|price"}
    assert compared({"a": "a 3 gp", "b": "b 4 gp"}, kinds).alike
    assert not compared({"a": "a and b 3 gp", "b": "b 4 gp"}, kinds).alike


def test_rows_whose_keys_the_parts_ask_are_compared_though_one_speaks_of_the_other():
    kinds = {"a": "name|price", "b": "name|price"}
    spoken_of = {"a": "a, which is more than b", "b": "b 4 gp"}
    assert compared(spoken_of, kinds, row_keys={"a": "a", "b": "b (small)"}).alike
    assert not compared(spoken_of, kinds, row_keys={"a": "a", "b": "c"}).alike


def alike(*queries):
    parts = [found_alone(query, f"row {number}") for number, query in enumerate(queries)]
    return deal(Retrieval("all of it", "default", (), Receipt("")), parts, 4).alike


def test_parts_that_have_numbers_of_different_things_are_conditions():
    assert not alike("clerics 5: roll", "level 4: roll", "armor class 5: roll")
    assert not alike("druid of level 3 to hit", "to hit armour class 4")
    assert alike("level 4 fighter AC 3", "level 7 druid AC 9")
    assert alike("the level 4 fighter", "the druid")
    assert alike("a dagger", "a sword")
