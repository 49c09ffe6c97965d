import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.query_must import Vocabulary
from retrieval.query_must.vocabulary.plurals import singular

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
