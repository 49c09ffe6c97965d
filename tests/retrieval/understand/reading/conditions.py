"""Conditions as tests write them: `-ward=surgery`, `seats>=300`."""

from retrieval.understand.reading.reader import QuestionConditions

_SIGNS = {"$eq": "=", "$contains": "=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def groups_of(found: QuestionConditions) -> list[list[str]]:
    """The conditions of a question, those of one group together, as they were read."""
    groups: dict[int, list[str]] = {}
    for entity in found.entities:
        output = f"{'-' if entity.negated else ''}{entity.field}{_SIGNS[entity.operator.value]}{entity.value}"
        groups.setdefault(entity.group, []).append(output)
    return list(groups.values())
