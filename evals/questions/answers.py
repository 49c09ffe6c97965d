"""Gold chunks that are one answer together: any of them is enough."""

from collections.abc import Iterable, Mapping, Sequence

Groups = tuple[tuple[str, ...], ...]
"""Chunk ids of which any is enough, a tuple for each answer; no chunk is in two."""


def disjoint(groups: Iterable[Sequence[str]]) -> Groups:
    """The groups, those that share a chunk joined: a chunk that counted as two answers would lift ndcg above 1."""
    joined: list[tuple[str, ...]] = []
    for group in groups:
        shared = [each for each in joined if not set(each).isdisjoint(group)]
        joined = [each for each in joined if each not in shared]
        joined.append(tuple(dict.fromkeys(name for each in (*shared, group) for name in each)))
    return tuple(group for group in joined if len(group) > 1)


def answers_of(groups: Groups) -> Mapping[str, str]:
    """For every chunk of a group the chunk that stands for its answer: the group's first."""
    return {name: group[0] for group in groups for name in group}


def whole_answers(lost: Iterable[str], groups: Groups, left: Iterable[str]) -> tuple[str, ...]:
    """Of lost gold chunks those that are a lost answer, in id order.

    A group is lost if none of its chunks is `left`; it is one answer, so it counts once, by the least id that went.
    """
    gone, remaining = set(lost), set(left)
    for group in groups:
        members = gone.intersection(group)
        gone -= members
        if members and remaining.isdisjoint(group):
            gone.add(min(members))
    return tuple(sorted(gone))
