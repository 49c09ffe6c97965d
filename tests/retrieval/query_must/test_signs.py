import pytest

from retrieval.index.words.tokenizer import tokens
from retrieval.query_must import canonical
from retrieval.query_must.signs import lone_sign, names_of_sign, with_signs_spelled


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
    "text",
    ["5'10\"", "the 3's and the 4's", "rock 'n' roll", "a & b", 'don\'t "stop"', '"a"+"b"', "```\nx\n```"],
)
def test_quotes_of_words_and_measures_say_no_sign(text):
    assert with_signs_spelled(text) == text
