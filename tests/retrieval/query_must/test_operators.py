"""The published operators, by their published test names, with the repairs that the operators' meaning needs."""



from retrieval.query_must import (
    satisfies_query_must,
)

CLERIC_QUESTION = "What does a 7th level cleric need to roll to hit armor class 6?"


def test_satisfy_single_group():
    assert satisfies_query_must("cleric", [["cleric"]])


def test_satisfy_multiple_groups():
    assert satisfies_query_must("cleric ac 6", [["cleric"], ["ac 6"]])


def test_fail_missing_group():
    assert not satisfies_query_must("cleric", [["cleric"], ["ac 6"]])


def test_case_insensitive():
    assert satisfies_query_must("CLERIC", [["cleric"]])
    assert satisfies_query_must("cleric", [["CLERIC"]])


def test_substring_match():
    assert satisfies_query_must("attacking ac 6", [["ac 6"]])
    # A term is found inside the question, but on word boundaries.
    assert not satisfies_query_must("attacking ac 60", [["ac 6"]])
    assert not satisfies_query_must("a mac 6", [["ac 6"]])


def test_contain_all_of():
    assert satisfies_query_must("psionic blast attack", {"contain_all_of": ["psionic", "attack"]})


def test_contain_all_of_fail():
    assert not satisfies_query_must("psionic defense", {"contain_all_of": ["psionic", "attack"]})


def test_contain_single():
    assert satisfies_query_must("psionic blast", {"contain": "psionic"})


def test_contain_single_fail():
    assert not satisfies_query_must("magic missile", {"contain": "psionic"})


def test_contain_range_single():
    assert satisfies_query_must("intelligence 12", {"contain_range": {"min": 10, "max": 13}})


def test_contain_range_multiple():
    assert not satisfies_query_must("int 8 wis 15", {"contain_range": {"min": 10, "max": 13}})


def test_contain_range_edge():
    assert satisfies_query_must("wisdom 10", {"contain_range": {"min": 10, "max": 13}})
    assert satisfies_query_must("wisdom 13", {"contain_range": {"min": 10, "max": 13}})


def test_no_query_must():
    assert satisfies_query_must("anything", None)


def test_empty_term_group():
    assert satisfies_query_must("cleric", [[]])


def test_special_characters():
    assert satisfies_query_must("a.c. 6", [["a.c. 6"]])
