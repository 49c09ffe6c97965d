"""Questions that show a newcomer what can be asked."""

from collections.abc import Sequence

from evals.questions.questions import Question

EXAMPLE = "example"
"""Tag of questions that their author wants to be shown."""
COUNT = 3


def examples(questions: Sequence[Question]) -> tuple[str, ...]:
    """At most three questions that the library answers, each of another kind where there are such.

    Those tagged `example` come first, then those of people, then those that a program wrote; each in the order given.
    """
    answered = [each for each in questions if each.gold]
    ranked = sorted(answered, key=lambda each: (EXAMPLE not in each.tags, each.generated))
    first_of_kind = {each.kind: each for each in reversed(ranked)}
    chosen = sorted(ranked, key=lambda each: first_of_kind[each.kind] is not each)
    return tuple(dict.fromkeys(each.query for each in chosen))[:COUNT]
