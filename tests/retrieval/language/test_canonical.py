"""The cases that canonical text must hold, in the question and in the term."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.language import canonical as canonical_module
from retrieval.query_must import Vocabulary, canonical, canonical_term, literal

# question, terms it has, terms it has not
CASES = [
    (
        "What does a 7th level cleric need to roll to hit AC 6?",
        ["level 7", "ac 6", "cleric", "7th level"],
        ["7", "ac 7"],
    ),
    (
        "a roll with an AC of 6",
        ["ac 6", "armor class 6", "a.c. 6", "armour class 6", "opponent armor class 6"],
        ["ac 60"],
    ),
    ("hit it (AC6)", ["ac 6", "armor class 6", "AC6"], ["ac 60"]),
    ("ARMOR CLASS: 6", ["ac 6", "armor class 6", "Armour Classes 6"], ["ac 60"]),
    ("A.C. 6", ["ac 6", "armor class 6", "a.c. 6"], ["ac 60"]),
    ("armor class = 6", ["ac 6"], []),
    ("Armor Class (AC) of 6", ["ac 6"], []),
    ("AC 60", ["ac 60"], ["ac 6"]),
    ("AC -6", ["ac -6"], ["ac 6"]),
    ("mac 6", [], ["ac 6"]),
    (
        "4th level fighter (AC 3) vs 7th level fighter (AC 9)",
        ["ac 3", "ac 9", "level 4", "level 7", "fighter"],
        ["ac 4", "ac 7", "level 3", "level 9"],
    ),
    ("AC 6 and 7th level", ["ac 6", "level 7"], ["ac 7", "level 6"]),
    ("orc (AC 6, 5 hp)", ["ac 6", "hp 5", "5 hp", "hit points 5"], ["ac 5", "hp 6"]),
    ("AC 6 and two orcs", ["ac 6", "two orcs", "2 orcs"], ["ac 2"]),
    ("AC 3, 12 goblins", ["ac 3", "12 goblins"], ["ac 12"]),
    ("armor classes 3 and 4", ["armor class 3", "armor class 4", "ac 3"], ["ac 5"]),
    ("ac 3, 4 and 9", ["ac 3", "ac 4", "ac 9"], ["ac 5"]),
    ("ac 2-4", ["ac 2", "ac 3", "ac 4"], ["ac 5", "ac -4"]),
    ("ac 2 to 4", ["ac 2", "ac 3", "ac 4"], ["ac 5"]),
    ("between AC 2 and AC 4", ["ac 2", "ac 3", "ac 4"], ["ac 5"]),
    ("between levels 2 and 4", ["level 2", "level 3", "level 4"], ["level 5"]),
    ("level between 2 and 4", ["level 2", "level 3", "level 4"], ["level 5"]),
    ("levels 1 – 3", ["level 1", "level 2", "level 3"], ["level -3"]),
    ("levels 1 –3", ["level 1", "level 2", "level 3"], ["level -3"]),
    ("3rd to 5th level", ["level 3", "level 4", "level 5"], ["level 6"]),
    ("between 3rd and 5th level", ["level 3", "level 4", "level 5"], ["level 6"]),
    ("7th or 8th level", ["level 7", "level 8"], ["level 9"]),
    ("1st-, 2nd- and 5th-level spells", ["level 1", "level 2", "level 5"], ["level 3"]),
    ("AC -2 to -5", ["ac -2", "ac -3", "ac -4", "ac -5"], ["ac 2", "ac -6"]),
    ("AC 10 to -10", ["ac 10", "ac 0", "ac -10"], ["ac 11", "ac -11"]),
    ("AC −2", ["ac -2"], ["ac 2"]),
    ("AC-2", ["ac -2", "ac 2"], ["ac 22"]),
    ("a 6 foot ogre with AC 4", ["ac 4", "6 foot ogre"], ["ac 6"]),
    ("a 10-foot pole", ["10 foot pole", "10"], []),
    ("what AC is a 6 HD ogre", ["hd 6", "hit dice 6", "ac"], ["ac 6"]),
    ("AC of 6 HD ogres", ["hd 6"], ["ac 6"]),
    ("AC of 12 goblins", ["12 goblins"], ["ac 12"]),
    ("level-3 spell", ["level 3", "3rd level spell"], ["level -3"]),
    ("STS-87", ["sts 87", "STS-87"], ["sts -87"]),
    ("2d6 damage", ["2d6"], ["2", "6", "d6"]),
    ("CR 1/4", ["cr 1/4", "challenge rating 1/4"], ["cr 1", "cr 4", "4"]),
    ("5,000,000 people", ["5000000 people", "5,000,000"], ["5", "0"]),
    ("+3 sword", ["+3 sword"], ["3", "3 sword"]),
    ("steel weighs 2.65", ["2.65"], ["2", "65"]),
    ("at 10:30 sharp", ["10:30"], ["10", "30"]),
    ("it scored 7-3", ["7-3"], ["7", "3"]),
    ("d% roll under d20", ["d%", "d20"], ["20"]),
    ("third level spell slots of a 7th level bard", ["level 3", "level 7", "bard"], ["3", "7"]),
    ("psionic blast, int 8 wis 15", ["int 8", "wis 15", "intelligence 8", "wisdom 15"], ["int 15", "10", "13"]),
    ("seventh level wizard", ["level 7"], ["7"]),
    ("level seven wizard", ["level 7", "level seven"], []),
    ("twenty-first level", ["level 21"], ["level 20", "level 1"]),
    ("AC six", ["ac 6"], []),
    ("zero level fighter", ["level 0", "0 level"], []),
    ("which one of ten seconds", ["which one", "ten seconds"], ["1", "10"]),
    ("6 AC", ["ac 6"], []),
    ("6 HD, 5 AC, 30 hp", ["hd 6", "ac 5", "hp 30"], ["hd 5", "ac 30"]),
    ("HD: 6, AC: 5, hp: 30", ["hd 6", "ac 5", "hp 30"], ["hd 5", "ac 30", "ac 6"]),
    ("HD 6 AC 5 hp 30", ["hd 6", "ac 5", "hp 30"], ["hd 5", "ac 30", "ac 6"]),
    ("5+3 hit dice", ["hd 5+3", "5+3 HD"], ["hd 3", "hd 5"]),
    ("lvl. 7 thief", ["level 7", "lvl 7"], []),
    ("does the capn fight", ["Cap'n"], ["cap"]),
    ("the cleric's AC? 6 orcs attack", ["cleric", "6 orcs"], ["ac 6"]),
    ("three chapters on magic", ["magic"], ["chapter 3"]),
    ("the 3rd chapter", ["chapter 3"], []),
    ("spell level 3", ["spell level 3", "level 3"], []),
    ("strength 18/50", ["str 18/50"], ["str 18", "str 50"]),
    ("AC 3 or 4 cleric", ["ac 3", "ac 4"], []),
    ("AC 3 or 12 goblins", ["ac 3"], ["ac 12"]),
    ("HD 1 to 3 monsters", ["hd 1", "hd 2", "hd 3"], ["hd 4"]),
    ("levels 3 and 4 clerics", ["level 3", "level 4", "cleric"], ["level 5"]),
    ("between the 2nd and 4th level", ["level 2", "level 3", "level 4"], ["level 5"]),
    ("between an AC of 2 and an AC of 4", ["ac 2", "ac 3", "ac 4"], ["ac 5"]),
    ("level 5 to 10 feet", ["level 5"], ["level 10"]),
    ("AC of minus 2", ["ac -2"], ["ac 2"]),
    ("AC minus two", ["ac -2"], ["ac 2"]),
    ("10 minus 2", ["10", "2"], ["-2"]),
    ("a level 7/8 fighter", ["level 7", "level 8", "level 7/8"], ["level 9"]),
    ("CR 1/8, 1/4 and 1/2", ["cr 1/8", "cr 1/4", "cr 1/2"], ["cr 1", "cr 8"]),
    ("hp 2d6", ["hp 2d6"], ["hp 2", "hp 6"]),
    ("AC is 2d6", ["2d6"], ["ac 2d6"]),
    ("+1 level", ["+1 level"], ["level 1"]),
    ("hit 3 AC 6 orcs", ["ac 6"], ["ac 3"]),
    ("a 7th level 3 HD monster", ["level 7", "hd 3"], ["level 3"]),
    ("the second AC 6 attack", ["ac 6"], []),
    ("AC (3)", ["ac 3"], []),
    ("save vs. spells at level 9", ["save", "level 9"], ["save 9"]),
    ("twenty one level", ["level 21"], []),
    ("the 12th, 13th, and 14th levels", ["level 12", "level 13", "level 14"], ["level 15"]),
    ("articles 3, 5 & 7", ["article 3", "article 5", "article 7"], ["article 4"]),
    ("AC: 6, 7, or 8?", ["ac 6", "ac 7", "ac 8"], []),
    ("from level 2 up to 5", ["level 2", "level 3", "level 4", "level 5"], ["level 6"]),
    ("an AC of 6 HD: 4", ["ac 6", "hd 4"], ["ac 4", "hd 6"]),
    ("AC is one of the best", ["ac"], ["ac 1"]),
    ("hp 1 to " + "9" * 400, ["hp 1"], ["hp 2"]),
    ("rooms 7 - 3 apart from 5 - 2", ["7-3", "5-2"], ["7"]),
    ("the fourth orc of twenty-second chapter", ["4th orc", "chapter 22"], ["4"]),
]


@pytest.mark.parametrize(("question", "has", "has_not"), CASES, ids=[case[0] for case in CASES])
def test_a_question_has_its_terms_and_no_others(question, has, has_not):
    query = canonical(question)
    assert [term for term in has if not query.has(term)] == []
    assert [term for term in has_not if query.has(term)] == []


# A number with two readings is in the question twice, so words on both sides of it are no longer neighbours.
TWO_READINGS = {"AC-2", "a level 7/8 fighter"}


@pytest.mark.parametrize("question", [case[0] for case in CASES if case[0] not in TWO_READINGS])
def test_a_question_used_as_a_term_is_in_itself(question):
    assert canonical(question).has(question)


@pytest.mark.parametrize(
    ("term", "form"),
    [
        ("a.c. 6", "ac 6"),
        ("opponent armor class 6", "ac 6"),
        ("Armour Classes 6", "ac 6"),
        ("7th level", "level 7"),
        ("Clerics", "cleric"),
        ("int", "int"),
        ("wis", "wis"),
        ("wisdom", "wis"),
        ("magic-users", "magic user"),
        ("hit points", "hp"),
        ("AC-2", "ac -2"),
        ("7th", "7th"),
        ("13+", "13"),
        ("51-70", "51-70"),
        ("51 – 70", "51-70"),
        ("007", "7"),
        ("  ", ""),
        ("—*—", ""),
    ],
)
def test_a_term_has_one_form(term, form):
    assert canonical_term(term) == form


def test_in_is_a_unit_only_where_nothing_follows_that_it_could_join():
    assert canonical("an AC of 3 in plate").bound == {"ac": (3,)}
    assert canonical("an AC of 3 in.").bound == {}


def test_numbers_are_bound_to_their_labels():
    query = canonical("7th level cleric, int 12, CR 1/4, AC 6 and 7")
    assert dict(query.bound) == {"level": (7,), "int": (12,), "cr": (0.25,), "ac": (6, 7)}
    assert query.free_numbers == (12, 6, 7)


def test_a_longer_label_is_bound_by_its_tail_too():
    assert dict(canonical("spell level 3").bound) == {"spell level": (3,), "level": (3,)}


@pytest.mark.parametrize("text", ["7th place", "2d6", "1/4 mile", "+3", "10:30", "x86", "covid-19", "7-3"])
def test_ordinals_and_whole_tokens_are_no_free_numbers(text):
    assert canonical(text).free_numbers == ()


@pytest.mark.parametrize(
    ("question", "covered", "not_covered"),
    [
        ("level 7 or higher", ["level 7", "level 8", "level 99"], ["level 6"]),
        ("clerics of at least 7th level", ["level 7", "level 12"], ["level 6"]),
        ("13+ level", ["level 13", "level 20"], ["level 12"]),
        ("int 13+", ["int 13", "int 18"], ["int 12"]),
        ("level 3 or less", ["level 3", "level 0"], ["level 4"]),
        ("at most 3rd level", ["level 3", "level 1"], ["level 4"]),
        ("5 or more HD", ["hd 5", "hd 9"], ["hd 4"]),
        ("AC 3 or better", ["ac 3"], ["ac 2", "ac 4"]),
    ],
)
def test_an_open_bound_covers_values_where_the_label_says_which_way_is_better(question, covered, not_covered):
    query = canonical(question)
    assert all(query.has(term) for term in covered)
    assert not any(query.has(term) for term in not_covered)


def test_a_descending_label_opens_downwards():
    descending = Vocabulary.from_json({"labels": {"ac": {"negative": True, "better": "lower"}}})
    query = canonical("AC 3 or better", Vocabulary.default().merge(descending))
    assert query.has("armour class 2")
    assert not query.has("armour class 4")


def test_hit_dice_with_a_bonus_lie_between_their_numbers():
    query = canonical("equivalent level of a monster with 5+3 hit dice")
    (value,) = query.bound["hd"]
    assert canonical("HD 5+1").bound["hd"][0] < value < 6
    assert canonical("HD 5+1 to 6").intervals[0].low < value < canonical("HD 5+1 to 6").intervals[0].high


def test_a_long_range_keeps_its_ends_and_an_interval():
    query = canonical("from xp 1000-5000")
    assert query.bound["xp"] == (1000, 5000)
    assert [(span.low, span.high) for span in query.intervals] == [(1000, 5000)]
    assert query.has("xp 3000")
    assert len(canonical("levels 1-100").bound["level"]) == 100


def test_the_literal_form_neither_binds_nor_spells_out():
    assert literal("Armour Classes: 2-4, 7th level") == "ac 2-4 7th level"
    assert literal("level seven") == "level 7"


def test_compatibility_forms_fold():
    assert canonical_term("ＡＣ　６") == "ac 6"
    assert canonical_term("AC 6²") == "ac 6"
    assert canonical_term("cleric’s") == "cleric"
    assert canonical_term("level ٣") == "level 3"
    assert canonical_term("1½ miles") == canonical_term("1 1/2 mile")


@pytest.mark.parametrize("figure", ["➁", "፯", "level ➆"])
def test_a_figure_that_is_no_decimal_is_a_word(figure):
    query = canonical(f"what is {figure} here")
    assert query.has(figure)
    assert query.free_numbers == ()


def test_a_library_brings_labels_that_bind():
    tariff = Vocabulary.default().merge(Vocabulary.from_json({"labels": {"duty rate": {"forms": ["rate of duty"]}}}))
    assert canonical("what goods have a rate of duty of 12?", tariff).has("duty rate 12")


PIECES = ["6", "7th", "AC", "level", "of", "is", "-", "–", ",", ";", "and", "to", "between", "or", "2d6", "1/4", "orcs"]
PIECES += ["hp", "(", ")", "at", "least", "+", "%", "10,000", "seven", "'s"]
TEXT = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)


@given(TEXT)
def test_every_text_has_a_canonical_form(text):
    query = canonical(text)
    assert query.text == f" {' '.join(query.tokens)} "
    assert all(token and " " not in token for token in query.tokens)
    assert canonical(text) == query
    assert canonical_term(text) == " ".join(canonical_term(text).split())
    assert isinstance(literal(text), str)


@given(TEXT)
def test_a_text_without_a_doubtful_sign_is_in_itself(text):
    query = canonical(text)
    if query.tokens == tuple(canonical_term(text).split()) and query.tokens and not canonical_term(text)[-1].isdigit():
        assert query.has(text)


@given(st.integers(-30, 30), st.sampled_from(["AC {}", "an AC of {}", "armour class: {}", "(A.C. {})", "ac is {}"]))
def test_every_spelling_of_a_label_and_its_number_meets(number, pattern):
    question = canonical(pattern.format(number))
    assert question.has(f"armor class {number}")
    assert not question.has(f"armor class {number + 1}")
    assert not question.has(f"armor class {number}5")


def test_a_question_is_read_once_for_a_search_and_its_embedder() -> None:
    question, other = "What does a cleric need to hit AC 6, once?", Vocabulary.from_json({})
    before = canonical_module._read.cache_info().misses
    assert canonical(question) is canonical(question, Vocabulary.default())
    WordllamaEmbedder().embed_query(question)
    assert canonical_module._read.cache_info().misses == before + 1
    assert canonical(question, other).vocabulary is other
