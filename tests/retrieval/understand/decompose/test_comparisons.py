from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.understand.catalog.words import keys
from retrieval.understand.decompose.comparisons import ComparedNames, compared, duel_sides, states_comparison
from tests.chunks import EMPTY

NAMES = {"iron boat", "reed boat", "oak raft", "sail", "oar", "copper nail", "brass nail", "anchor", "long rope"}
_KNOWN = {tuple(sorted(keys(name))) for name in NAMES}


def is_name(said) -> bool:
    return tuple(sorted(said)) in _KNOWN


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("iron boat vs reed boat: draught", ["iron boat: draught", "reed boat: draught"]),
        ("weight of a sail compared with an oar", ["weight of a sail", "weight of a oar"]),
        ("difference between an oar and a sail?", ["difference between an oar?", "difference between an sail?"]),
        ("is the oak raft cheaper than the reed boat?", ["is the oak raft cheaper?", "is the cheaper reed boat?"]),
        ("sail, oar or anchor, which is heavier", [f"{it}, which is heavier" for it in ("sail", "oar", "anchor")]),
        ("copper nail and brass nail prices", ["copper nail prices", "brass nail prices"]),
        ("sail, oar, anchor: prices", ["sail: prices", "oar: prices", "anchor: prices"]),
        ("cost: harbour pilot versus river pilot", ["cost: harbour pilot", "cost: river pilot"]),
        ("difference of oar rule and sail rule?", ["difference of oar rule?", "difference of sail rule?"]),
        ("difference of reed anchor and sail anchor?", ["difference of reed anchor?", "difference of sail anchor?"]),
        ("which is heavier, a sail or an oar?", ["which is heavier, a sail?", "which is heavier, a oar?"]),
        ("which is free, sail, oar or anchor?", [f"which is free, {it}?" for it in ("sail", "oar", "anchor")]),
        ("what is dearer, a keg or a vat", ["what is dearer, a keg", "what is dearer, a vat"]),
        ("size of HULL_TYPE against DECK_TYPE", ["size of HULL_TYPE", "size of DECK_TYPE"]),
        (
            "RT-1250-300 and RT-0750-050: which is wider?",
            [f"{it}: which is wider?" for it in ("RT-1250-300", "RT-0750-050")],
        ),
        ("draught of a cog at AC -2 versus AC -3", ["draught of a cog at AC -2", "draught of a cog at AC -3"]),
        ("draught of a cog vs. its pre-war twin", ["draught of a cog", "draught of a its pre-war twin"]),
        ("VM1768 vs STQ42F042 top speed", ["VM1768 top speed", "STQ42F042 top speed"]),
        ("ration of a two-year-old against a six-year-old", [f"ration of a {it}-year-old" for it in ("two", "six")]),
        (
            "is there more tar in oak pitch or in pine pitch?",
            [f"is there more tar in {it} pitch?" for it in ("oak", "pine")],
        ),
        ("keel depth at 20 and at 45 tons", ["keel depth at 20", "keel depth at 45 tons"]),
        ("fee for a tall mast and for a short-haul crane", ["fee for a tall mast", "fee for a short-haul crane"]),
    ],
)
def test_a_comparison_is_a_question_for_each_thing(question, parts):
    assert list(compared(question, is_name)) == parts


@pytest.mark.parametrize(
    "question",
    [
        "how heavy is an anchor, and what does one cost?",
        "the price of rope and tar",
        "may a boat carry more than three people?",
        "what does an oar cost other than in spring?",
        "which oar fits the Lugger V2 at sea?",
        "release date of v2.2",
        "lamp of the 240 V supply",
        "price of a pick-and-place crane",
        "",
        "than",
        "or or or",
    ],
)
def test_a_question_about_one_thing_is_left_whole(question):
    assert compared(question, is_name) == ()


WORDS = "sail oar or and than vs , : ? the a which is cheaper iron boat 3"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("which port is for mail and which for news?", ["which port is for mail", "which port is for news"]),
        (
            "deck: what do I paint on a 5, and what on a 2",
            ["deck: what do I paint on a 5", "deck: what do I paint on a 2"],
        ),
        ("How do I write a range and how a list?", ["How do I write a range", "How do I write a list"]),
        ("how cold and how hot can ovens get?", ["how cold can ovens get", "how hot can ovens get"]),
        ("how many large and how many small hulls", ["how many large hulls", "how many small hulls"]),
        ("Which star is the crab and which Auriga?", ["Which star is the crab", "Which star is Auriga"]),
        ("what opens the hatch and what is still shut?", ["what opens the hatch", "what is still shut"]),
        ("what is tar made of, and what does it weigh?", []),
        ("how long is the keel, and what is tar?", []),
        ("what is it, and what?", []),
        ("what and what", []),
    ],
)
def test_a_repeated_question_word_asks_twice(question, parts):
    assert list(compared(question, is_name)) == parts


@given(st.lists(st.sampled_from(["what", "how", "and", ",", "?", "is", "it", "keel", "5"]), max_size=12).map(" ".join))
def test_the_clauses_of_a_question_are_two_of_its_words_or_none(question):
    parts = compared(question, lambda _: False)
    assert len(parts) in (0, 2)
    assert set(" ".join(parts).split()) <= set(question.split())


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
def test_parts_are_different_shorter_and_made_of_the_words_of_the_question(said):
    question = " ".join(said)

    parts = compared(question, is_name)

    assert len(set(parts)) == len(parts) != 1
    for part in parts:
        assert part.strip()
        assert set(keys(part)) <= set(keys(question))
        assert len(keys(part)) < len(keys(question))


def test_rows_captions_headings_and_spoken_names_are_names_in_any_order():
    names = ComparedNames(
        [
            replace(EMPTY, row_key="Horse, war, heavy", caption="Mounts", heading_path=("Book", "Animals")),
            replace(EMPTY, row_key="7", called="Level 7", names=("seventh level",)),
        ]
    )
    for output in ("heavy war horse", "mount", "animals", "level 7", "seventh level"):
        assert keys(output) in names
    for output in ("horse", "book", "7", ""):
        assert keys(output) not in names


def test_a_sentence_is_no_name():
    long = "what every captain must know before the first voyage begins"
    assert keys(long) not in ComparedNames([replace(EMPTY, heading_path=(long,))])


def test_names_are_noted_while_somebody_else_reads_the_chunks():
    chunks, names = [replace(EMPTY, row_key="Oar"), replace(EMPTY, row_key="Sail")], ComparedNames()
    assert list(names.noting(chunks)) == chunks
    assert keys("oar") in names
    assert keys("mast") not in names


def test_a_duel_is_one_question_a_side_with_what_the_other_brings():
    assert duel_sides("Who wins: 4th level fighter (AC 3) vs 7th level druid (AC 9)?") == (
        "4th level fighter against AC 9",
        "7th level druid against AC 3",
    )
    assert duel_sides("Who hits more easily, a 2nd level cleric with AC -3 or a 9th level monk with AC 0?") == (
        "2nd level cleric against AC 0",
        "9th level monk against AC -3",
    )


def test_things_with_values_that_do_not_fight_are_no_duel():
    assert duel_sides("Which costs more, plate mail (AC 3) or chain mail (AC 5)?") == ()
    assert duel_sides("Who wins, a fighter (AC 3) or a druid (HP 9)?") == ()


def test_a_name_keeps_the_number_before_it():
    names = {("fighter",), ("thief",)}
    question = "Who hits AC 4 more easily, a 5th level fighter or a 9th level thief?"
    assert compared(question, lambda said: tuple(said) in names) == (
        "Who hits AC 4 more easily, a 5th level fighter?",
        "Who hits AC 4 more easily, a 9th level thief?",
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("draught of a cog versus a hulk", True),
        ("difference between a cog and a hulk", True),
        ("fee for a mast and for a crane", True),
        ("Who wins: a cog (AC 3) vs a hulk (AC 9)?", True),
        ("sail and oar prices", False),
        ("does the count start at 0 or at 1?", False),
        ("which is cheaper, a sail or an oar?", False),
        ("which coat protects a cog against rot?", False),
    ],
)
def test_the_form_of_some_questions_shows_that_they_compare(question, expected):
    assert states_comparison(question) is expected
