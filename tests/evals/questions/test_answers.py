from evals.questions.answers import answers_of, disjoint, whole_answers


def test_groups_that_share_a_chunk_are_one_answer():
    assert disjoint([("a", "b"), ("c", "d"), ("b", "c", "e"), ("f", "g")]) == (
        ("a", "b", "c", "d", "e"),
        ("f", "g"),
    )


def test_a_group_of_one_chunk_is_plain_gold():
    assert disjoint([("a", "a"), ("b",)]) == ()


def test_a_group_stands_under_its_first_chunk():
    assert answers_of((("a", "b"), ("c", "d"))) == {"a": "a", "b": "a", "c": "c", "d": "c"}


def test_a_group_is_lost_once_and_only_if_nothing_of_it_is_left():
    groups = (("b", "a", "x"), ("c", "d"))
    assert whole_answers(["b", "a", "c", "p"], groups, left=["d"]) == ("a", "p")
    assert whole_answers(["p"], groups, left=[]) == ("p",)
