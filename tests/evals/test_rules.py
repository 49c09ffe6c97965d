import pytest

from evals.rules import Objection, Rule


@pytest.fixture
def odd():
    def judge(numbers):
        return [Objection(f"{each} is odd", only_warns=each == 1) for each in numbers if each % 2]

    return judge


def test_a_rule_says_what_stands_against_it_under_its_name(odd):
    rule = Rule("numbers_are_even", "Every number is even.", "numbers", odd)
    assert rule.reasons([2, 4]) == ()
    assert [(str(each), each.blocks) for each in rule.reasons([1, 2, 3])] == [
        ("numbers_are_even: 1 is odd", False),
        ("numbers_are_even: 3 is odd", True),
    ]


def test_a_rule_that_warns_never_blocks(odd):
    rule = Rule("numbers_are_even", "Every number is even.", "numbers", odd, blocks=False)
    assert [each.blocks for each in rule.reasons([3])] == [False]


def test_an_objection_names_its_strategy_and_the_first_questions():
    objection = Objection("is worse", "dense", tuple(f"q{n}" for n in range(12)))
    assert str(objection) == f"dense: is worse ({', '.join(f'q{n}' for n in range(10))} and 2 more)"
