from math import nan

import pytest

from retrieval.language.terms import tokens
from retrieval.language.tokens import lone_sign, names_of_sign, normalise, plain, tokenize, with_signs_spelled
from retrieval.query_must import canonical


def kinds(text):
    return [(token.kind, token.text) for token in tokenize(text)]


@pytest.mark.parametrize("whole", ["2d6", "d20", "d%", "1/4", "4/3/3/1", "10:30", "+3", "5+3", "5.4.1", "2024-01-05"])
def test_whole_tokens_stay_whole(whole):
    assert kinds(f"a {whole} b")[1:-1] == [("whole", whole)]


@pytest.mark.parametrize(
    ("figure", "text"),
    [("5,000", "5000"), ("12 500 000", "12500000"), ("007", "7"), (".5", "0.5"), ("2.65", "2.65"), ("-0", "0")],
)
def test_a_figure_has_one_spelling(figure, text):
    assert plain(figure) == text
    assert kinds(figure) == [("number", text)]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("level 3 500 gp", ["3", "500"]),
        ("room 7 1 000 gp", ["7", "1000"]),
        ("10 000 20 000", ["10", "0", "20000"]),
        ("5 000.5", ["5", "0.5"]),
        ("010 000", ["10", "0"]),
        ("2\u202f500 gp", ["2500"]),
        ("1\u00a050", ["1", "50"]),
    ],
)
def test_thousands_after_a_blank_are_one_number_where_nothing_else_is_meant(text, figures):
    assert [token.text for token in tokenize(text) if token.kind == "number"] == figures


def test_a_dash_is_a_sign_a_range_or_a_separator():
    assert kinds("AC -2") == [("word", "ac"), ("number", "-2")]
    assert kinds("(-2") == [("mark", "("), ("number", "-2")]
    assert kinds("2-4") == [("number", "2"), ("mark", "-"), ("number", "4")]
    assert kinds("7th-9th") == [("ordinal", "7th"), ("mark", "-"), ("ordinal", "9th")]
    assert kinds("level-3") == [("word", "level"), ("number", "3")]
    assert kinds("10-foot") == [("number", "10"), ("word", "foot")]
    assert kinds("7th-level") == [("ordinal", "7th"), ("word", "level")]
    assert kinds("-2--5") == [("number", "-2"), ("mark", "-"), ("number", "-5")]
    assert kinds("man-at-arms") == [("word", "man"), ("word", "at"), ("word", "arms")]


@pytest.mark.parametrize("text", ["默认端口", "サーバーの値", "พอร์ต"])
def test_a_script_without_blanks_is_cut_into_its_letters(text):
    assert [token for _, token in kinds(f"the {text} 6667")] == ["the", *text, "6667"]


def test_a_number_remembers_the_letters_it_hangs_on():
    assert [token.glue for token in tokenize("ac6 ac-6 ac 6")] == ["", "letters", "", "hyphen", "", ""]


def test_suits_and_chess_pieces_are_words():
    assert kinds("2♠ ♛e4") == [("number", "2"), ("word", "spade"), ("word", "queen"), ("word", "e"), ("number", "4")]


def test_the_places_of_a_code_are_no_decimal_and_dotted_abbreviations_lose_their_dots():
    assert [text for kind, text in kinds("hpx.4.80core") if kind != "mark"] == ["hpx", "4", "80", "core"]
    assert kinds("v1.4beta") == [("word", "v"), ("number", "1.4"), ("word", "beta")]
    assert kinds("A.C. 6") == [("word", "ac"), ("number", "6")]
    assert kinds("e.g. U.S.A") == [("word", "eg"), ("word", "usa")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2", 0.5),
        ("15/16", 0.9375),
        ("1/33", None),
        ("18/50", None),
        ("4/2", None),
        ("1/1", None),
        ("10/12/2024", None),
    ],
)
def test_a_fraction_below_two_with_a_small_denominator_has_a_value(text, value):
    (token,) = tokenize(text)

    assert token.value == pytest.approx(nan if value is None else value, nan_ok=True)


def test_a_figure_beyond_floats_is_no_number():
    (token,) = tokenize("9" * 400)
    assert token.value != token.value


def test_normalising_folds_quotes_dashes_digits_and_footnotes_and_keeps_the_case():
    assert normalise("“ＡＣ” ‑2 ’s ½ 12¹ ٣ ß") == '"AC" -2 \'s 1/2 12  3 ß'


@pytest.mark.parametrize(
    ("sign", "names"),
    [
        ("%", ("percent sign",)),
        (";", ("semicolon",)),
        ("_", ("underscore",)),
        ("#", ("hash", "pound sign", "number sign")),
        ("♠", ("spade",)),
        ("★", ("star",)),
        ("\ue000", ()),
    ],
)
def test_a_sign_has_the_names_that_people_say(sign, names):
    assert names_of_sign(sign) == names


def test_a_sign_stands_alone_or_in_quotes():
    assert [lone_sign(text) for text in ("%", "'%'", "'''", "“=”", "☠\ufe0f")] == ["%", "%", "'", "=", "☠"]
    assert [lone_sign(text) for text in ("", "a", "'a'", "++", "'%\"", "% x")] == [None] * 6


def test_a_sign_in_quotes_is_said_by_its_name():
    assert with_signs_spelled("what does ';' do") == "what does ';' semicolon  do"
    assert canonical("what is '%' on the map").tokens == ("what", "is", "percent", "sign", "on", "the", "map")
    assert tokens('press "~" or `|`') == ["press", "tild", "or", "pipe"]


@pytest.mark.parametrize(
    "text", ["5'10\"", "the 3's and the 4's", "rock 'n' roll", "a & b", 'don\'t "stop"', '"a"+"b"', "```\nx\n```"]
)
def test_quotes_of_words_and_measures_say_no_sign(text):
    assert with_signs_spelled(text) == text
