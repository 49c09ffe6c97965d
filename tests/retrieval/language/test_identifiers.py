import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.language.identifiers import (
    MARK,
    identifier_keys,
    identifiers,
    key_of,
    known_identifiers,
    words_of_question,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how many interfaces does a c5d.xlarge take", ["c5d.xlarge", "c5d"]),
        ("c5d.2xlarge", ["c5d.2xlarge", "c5d", "2xlarge"]),
        ("set NAV_WAYPOINT to 1", ["NAV_WAYPOINT"]),
        ("`http.request.method`, required", ["http.request.method"]),
        ("mode 0x1F", ["0x1F"]),
        ("rule R-1 and M12", ["R-1", "M12"]),
        ("192.168.0.0/16 is private", ["192.168.0.0/16"]),
        ("pass --max-count=3", ["--max-count"]),
        ("SetOption65 or maxConnections", ["SetOption65", "maxConnections"]),
        ("std::vector", ["std::vector"]),
        ("the L54-30-S400 motor", ["L54-30-S400", "L54", "S400"]),
        ("UTF-8", ["UTF-8"]),
        ("version 1.2.3", ["1.2.3"]),
        ("what does $27 do", ["$27"]),
        ("the TGR-D-560-3/9 drive", ["TGR-D-560-3/9"]),
        ("types R-1/R-2 and GPIO2/ADC1", ["R-1", "R-2", "GPIO2/ADC1", "GPIO2", "ADC1"]),
        ("https://levy.example/nl/DG_1001/a", ["levy.example/nl/DG_1001/a"]),
        ("drives/TGR-D-560-3_9/values", ["drives/TGR-D-560-3_9/values", "TGR-D-560-3_9"]),
        (r"`\dt` lists #tables for @Anna, 100 % of %1", [r"\dt", "#tables", "@Anna", "%1"]),
    ],
)
def test_a_name_without_a_blank_is_one_identifier(text: str, expected: list[str]) -> None:
    assert list(identifiers(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "e.g. this, i.e. that, in the U.S.A.",
        "2.5kg, 10mm, 4.096v and 3.5ft on the 7th",
        "2d6, d20 and 1d6+2",
        "level-3 and a 10-foot pole",
        "and/or, either/or, his/her and km/h",
        "2024-01-02 at 10:30",
        "twenty-one",
        "5,000 of 3.14",
        "a pause -- then more --and more",
        "the iN and the mRNA",
        "1-1",
        "_emphasis_",
        "R&D for $2.50, not $1,000; @2x and 50%",
        "name ____-____ and date __/__/____ and ___.___",
    ],
)
def test_amounts_dates_and_words_with_hyphens_are_no_identifiers(text: str) -> None:
    assert identifiers(text) == ()


@pytest.mark.parametrize(
    "question", ["c5d.xlarge", "how big is c5d xlarge?", "C5D-XLARGE", "a c5d_xlarge", "the c 5 d xlarge"]
)
def test_every_way_to_separate_the_parts_finds_the_same_identifier(question: str) -> None:
    known = {key_of("c5d.xlarge"), key_of("c5d.2xlarge"), key_of("c5d")}
    found = known_identifiers(
        words_of_question(question), identifier_keys(question), lambda keys: [key in known for key in keys]
    )
    assert [key for _, _, key in found] == ["~c5dxlarge"]


def test_only_the_same_sign_finds_an_identifier_with_a_sign() -> None:
    known = {key_of("$2"), key_of("#set")}

    def spans_of(question: str) -> list[tuple[int, int, str]]:
        return known_identifiers(
            words_of_question(question), identifier_keys(question), lambda keys: [key in known for key in keys]
        )

    assert spans_of("is $2 the #SET?") == [(1, 2, "~$2"), (3, 4, "~#set")]
    assert spans_of("set 2, %2 or $3") == []


def test_numbers_that_stand_side_by_side_are_no_version() -> None:
    known = {key_of("1.1.0"), key_of("10.0.0.1")}

    def keys_in(question: str) -> list[str]:
        found = known_identifiers(
            words_of_question(question), identifier_keys(question), lambda keys: [key in known for key in keys]
        )
        return [key for _, _, key in found]

    assert keys_in("1 1 0 of 110") == []
    assert keys_in("10.0.0 1") == []
    assert keys_in("is 10.0.0.1 in 1.1.0?") == ["~10.0.0.1", "~1.1.0"]


NAMES = st.lists(st.sampled_from(["nav", "way", "7", "c5d", "x1", "request"]), min_size=2, max_size=5).filter(
    lambda parts: any(part.isalpha() for part in parts)
)


@given(NAMES, st.sampled_from("._"), st.lists(st.sampled_from(["what", "is", "of", "12"]), max_size=4))
def test_an_identifier_that_is_known_is_found_whole_among_other_words(parts, separator, before):
    name = separator.join(parts)
    known = {key_of(name), *map(key_of, parts)}
    question = " ".join([*before, "the", name, "please"])
    found = known_identifiers(
        words_of_question(question), identifier_keys(question), lambda keys: [key in known for key in keys]
    )
    assert key_of(name) in [key for _, _, key in found]


@given(st.text(max_size=200) | st.text("aA1_-./: ", max_size=40))
def test_any_text_has_identifiers_that_are_in_it(text: str) -> None:
    for identifier in identifiers(text):
        assert identifier in text
        assert key_of(identifier).startswith(MARK)


def test_words_of_letters_with_blanks_between_them_need_not_be_an_identifier() -> None:
    def find_keys(question: str) -> list[str]:
        words, written = words_of_question(question), identifier_keys(question)
        return [
            key for _, _, key in known_identifiers(words, written, lambda keys: [key == "~jobname" for key in keys])
        ]

    assert find_keys("which job name did it run under") == []
    assert find_keys("what is job_name") == find_keys("what is jobName") == ["~jobname"]
