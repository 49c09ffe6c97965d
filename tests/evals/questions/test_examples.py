"""Which questions are shown to a newcomer."""

from __future__ import annotations

from evals.questions.anchors import Anchor
from evals.questions.examples import examples
from evals.questions.questions import GENERATED, Question

GOLD = (Anchor(document="01.md"),)


def question(query: str, kind: str, *tags: str, gold: tuple[Anchor, ...] = GOLD) -> Question:
    return Question(query, query, kind=kind, tags=tags, gold=gold)


def test_those_of_people_that_are_answered_come_first_one_of_each_kind() -> None:
    found = examples(
        [
            question("by a program", "lookup", GENERATED),
            question("by a person", "lookup"),
            question("not in the books", "lookup", "example", gold=()),
            question("to be shown", "list", "example"),
            question("of the same kind", "list", "example"),
            question("rare", "count", GENERATED),
        ]
    )
    assert found == ("to be shown", "by a person", "rare")


def test_fewer_kinds_are_filled_up_and_no_question_is_shown_twice() -> None:
    asked = [question(query, "lookup") for query in ("a", "b", "b", "c", "d")]
    assert examples(asked) == ("a", "b", "c")
    assert examples([]) == ()
