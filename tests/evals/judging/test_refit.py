from evals.judging.refit import worse_groups


def test_a_group_that_loses_more_than_the_gate_lets_through_is_named() -> None:
    same = ([1, 2, None], [1, 2, None])
    one_of_twenty = ([2, *[1] * 19], [1] * 20)
    assert worse_groups({"same": same, "little": one_of_twenty, "better": ([1] * 9, [3] * 9)}) == ()
    (sentence,) = worse_groups({"same": same, "lost": ([None] * 3 + [1] * 17, [1] * 20)})
    assert sentence.startswith("lost: mrr is below that of what ships, -0.150 (-0.3")
    assert sentence.endswith("over 20 questions")
