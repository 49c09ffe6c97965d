"""Conditions as tests write them: `-ward=surgery`, `seats>=300`."""

from retrieval.understand.reading.reader import Reading

_SIGNS = {"$eq": "=", "$contains": "=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def groups_of(found: Reading) -> list[list[str]]:
    """The conditions of a question, those of one group together, as they were read."""
    groups: dict[int, list[str]] = {}
    for each in found.entities:
        said = f"{'-' if each.negated else ''}{each.field}{_SIGNS[each.operator.value]}{each.value}"
        groups.setdefault(each.group, []).append(said)
    return list(groups.values())
