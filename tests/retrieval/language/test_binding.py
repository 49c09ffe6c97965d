"""What a label and its number meet across, and what they do not."""

import pytest

from retrieval.query_must import canonical


@pytest.mark.parametrize(
    ("question", "bound"),
    [
        ("AC equals 6", {"ac": (6,)}),
        ("an AC equal to 6", {"ac": (6,)}),
        ("the AC is equal to 6", {"ac": (6,)}),
        ("the cleric whose AC was 6", {"ac": (6,)}),
        ("if the levels were 3 and 4", {"level": (3, 4)}),
        ("the armor classes are 3 and 4", {"ac": (3, 4)}),
        ("a thief whose level was at least 7", {"level": (7,)}),
        ("AC [6]", {"ac": (6,)}),
        ("AC = [6]", {"ac": (6,)}),
        ("AC score [6]", {"ac": (6,)}),
    ],
)
def test_a_label_and_its_number_meet_across_verbs_and_brackets(question, bound):
    query = canonical(question)
    assert dict(query.bound) == bound
    assert query.has(question)


@pytest.mark.parametrize(
    ("question", "bound"),
    [
        ("level of detail 7", {}),
        ("what levels are 6 ogres on", {}),
        ("which levels are the 3 best", {}),
        ("the levels were 10 feet apart", {}),
        ("the armor classes were 20 percent better", {}),
        ("what AC was a 6 HD ogre", {"hd": (6,)}),
        ("the AC was 6 HD 4", {"ac": (6,), "hd": (4,)}),
        ("all levels are equal, 7 spells each", {}),
        ("the AC to 6", {}),
        ("a level equal to one half of its age", {}),
        ("its level is one-half", {}),
        ("AC [6 orcs]", {}),
        ("AC [6)", {}),
        ("[AC] 6 orcs", {}),
    ],
)
def test_a_verb_or_a_bracket_does_not_bind_what_is_not_the_labels(question, bound):
    assert dict(canonical(question).bound) == bound


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("level 6, 7, & 8", (6, 7, 8)),
        ("level 6 & 7", (6, 7)),
        ("the 6th, 7th, & 8th levels", (6, 7, 8)),
        ("between levels 2 & 4", (2, 3, 4)),
        ("level 6, & 7 orcs", (6,)),
    ],
)
def test_an_ampersand_is_an_and(question, values):
    assert canonical(question).bound["level"] == values
