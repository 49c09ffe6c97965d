"""Plurals that the stemmer leaves alone, and words that belong to the label before them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.lexicon import singular
from retrieval.query_must import Vocabulary, canonical, canonical_term, literal


@pytest.mark.parametrize(
    ("question", "has", "has_not"),
    [
        ("ACs 5 and 6", ["ac 5", "ac 6"], ["ac 56"]),
        ("A.C.s 5 and 6", ["ac 5", "ac 6"], []),
        ("opponent ACs of 5 to 7", ["ac 5", "ac 6", "ac 7"], ["ac 8"]),
        ("DCs 12, 13", ["dc 12", "dc 13"], []),
        ("HDs 3-5", ["hd 3", "hd 4", "hd 5"], ["hd 6"]),
        ("CRs 1/4 and 1/2", ["cr 1/4", "cr 1/2"], ["cr 1"]),
        ("ACs 5 and 6 clerics", ["ac 5", "ac 6", "cleric"], []),
    ],
)
def test_the_plural_of_a_short_label_is_the_label(question, has, has_not):
    query = canonical(question)
    assert [term for term in (*has, question) if not query.has(term)] == []
    assert [term for term in has_not if query.has(term)] == []


def test_a_short_label_of_a_library_has_a_plural_too():
    library = Vocabulary.default().merge(Vocabulary.from_json({"labels": {"kv": {}, "pp.": {}}}))
    assert dict(canonical("kVs 5 and 6", library).bound) == {"kv": (5, 6)}
    assert library.lexicon.fold("pps") == "pp"


def test_no_word_of_its_own_becomes_the_plural_of_a_label():
    library = Vocabulary.default().merge(Vocabulary.from_json({"labels": {"a": {}, "i": {}, "ha": {}}}))
    assert canonical("as 5 is 6 has 7", library).text == canonical("as 5 is 6 has 7").text == " as 5 is 6 has 7 "
    listed = Vocabulary.from_json({"labels": {"ax": {}}, "plurals": {"axs": "axis"}})
    assert listed.lexicon.fold("axs") == "axis"


@pytest.mark.parametrize(
    ("question", "has"),
    [
        ("an intelligence score of 12", ["int 12", "intelligence score of 12", "intelligence score", "int"]),
        ("hit an AC score of 6", ["ac 6"]),
        ("AC value 6", ["ac 6", "ac"]),
        ("an Armor Class (AC) value of 6", ["ac 6"]),
        ("a strength rating of 18/50", ["str 18/50"]),
        ("wisdom scores of 12 and 13", ["wis 12", "wis 13"]),
        ("a wisdom score of at least 12", ["wis 12", "wis 15"]),
        ("a challenge rating of 3", ["cr 3"]),
    ],
)
def test_score_after_a_label_changes_nothing(question, has):
    query = canonical(question)
    assert [term for term in (*has, question) if not query.has(term)] == []


@pytest.mark.parametrize(
    ("question", "has_not", "text"),
    [
        ("the score is 6", ["ac 6"], "the score is 6"),
        ("a rating of 5, a score of 12", ["ac 12"], "a rating of 5 a score of 12"),
        ("which model score is 85", ["model 85"], "which model score is 85"),
        ("what class rating has 3 crews", ["class 3"], "what class rating has 3 crew"),
        ("the AC, a score of 6", ["ac 6"], "the ac a score of 6"),
        ("the XP value of 6 orcs", ["xp 6"], "the xp of 6 orc"),
        ("the value of AC, 6 orcs", ["ac 6"], "the value of ac , 6 orc"),
    ],
)
def test_score_without_a_label_that_measures_is_a_word(question, has_not, text):
    query = canonical(question)
    assert [term for term in has_not if query.has(term)] == []
    assert query.text == f" {text} "


def test_a_label_with_its_score_is_the_label_in_every_form():
    label = Vocabulary.default().label("Intelligence Scores")
    assert label.name == "int"
    assert Vocabulary.default().label("class rating") is None
    assert canonical_term("Intelligence score 12") == literal("Intelligence score 12") == "int 12"


def test_what_is_remembered_of_questions_is_bounded():
    query = Vocabulary.from_json({"labels": {"ac": {}}})
    for start in range(0, 40_000, 100):
        canonical(" ".join(_letters(number) for number in range(start, start + 100)), query)
    for number in range(9_000):
        query.label(_letters(number))
    for remembered, most in ((query.lexicon.fold, 40_000), (query.lexicon.label, 9_000)):
        assert 0 < remembered.cache_info().currsize < most / 2


def _letters(number):
    return "".join(chr(ord("a") + int(figure)) for figure in str(number))


PAIRS = [
    ("class", "classes"), ("torch", "torches"), ("wolf", "wolves"), ("cleric", "clerics"), ("box", "boxes"),
    ("axe", "axes"), ("cache", "caches"), ("lady", "ladies"), ("zombie", "zombies"), ("bush", "bushes"),
    ("bonus", "bonuses"), ("hero", "heroes"), ("cave", "caves"), ("glove", "gloves"), ("dwarf", "dwarves"),
    ("thief", "thieves"), ("staff", "staves"), ("man", "men"), ("die", "dice"), ("shoe", "shoes"), ("axis", "axis"),
    ("horse", "horses"), ("use", "uses"), ("house", "houses"), ("knife", "knives"), ("gas", "gases"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "many"), PAIRS)
def test_a_singular_and_its_plural_meet(one, many):
    irregular = Vocabulary.default().plurals
    assert singular(one, irregular) == singular(many, irregular)


@pytest.mark.parametrize(
    ("left", "right"), [("wolf", "wolfe"), ("elf", "eel"), ("gas", "ga"), ("axis", "axi"), ("bus", "bu")]
)
def test_different_words_stay_different(left, right):
    irregular = Vocabulary.default().plurals
    assert singular(left, irregular) != singular(right, irregular)


@given(st.text("abcdehiorsuvxyz", min_size=1, max_size=8))
def test_folding_a_folded_word_keeps_it_short_of_nothing(word):
    folded = singular(word, {})
    assert folded
    assert len(folded) <= len(word)
