"""Values of one list, and which of several fields that have the same value is meant."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.grammar import ADVERBS, CONJUNCTIONS, NEGATIONS
from retrieval.understand.reading.people import People
from retrieval.understand.reading.phrases import SORTS
from retrieval.understand.reading.values.mention import Mention


def chained(found: Sequence[Mention], said: Sequence[Word]) -> Iterator[list[Mention]]:
    """Mentions of one field that stand in one list: `superseded, rejected or still draft`."""
    waiting = list(found)
    while waiting:
        chain = [waiting.pop(0)]
        for each in list(waiting):
            last = chain[-1]
            between = said[last.stop : each.first]
            turns = any(word.key in ("but", "not") for word in between)
            listed = each.field is last.field and each.first >= last.stop and _joins(between, each.field.words)
            if listed and not turns:
                chain.append(each)
                waiting.remove(each)
        yield chain


def _joins(between: Sequence[Word], called: Collection[str]) -> bool:
    links = CONJUNCTIONS | ADVERBS | NEGATIONS | {"by", "the", "a", "in", "from", *called}
    return all(word.key in links for word in between) and any(word.key in CONJUNCTIONS for word in between)


def are_alternatives(chain: Sequence[Mention], said: Sequence[Word]) -> bool:
    """Whether `or` stands between two of a list."""
    between = [word.key for one, other in pairwise(chain) for word in said[one.stop : other.first]]
    return bool({"or", "nor", "/"} & set(between))


def or_between(between: Sequence[Word], called: Collection[str]) -> bool:
    """`critical or from Ann`, `of low priority or of high urgency`: the words of the fields' names may stand there."""
    linking = {"or", "the", "a", "an", "either", ",", "of", "in", "with", "for", "by", "from", "on", "at", *called}
    return "or" in [word.key for word in between] and all(word.key in linking for word in between)


def without_rivals(chains: Sequence[list[Mention]], people: People) -> Iterator[list[Mention]]:
    """Of fields that have the same value, the one that is nearby or has the rest of a list, a sort, else the first."""
    taken: dict[tuple[int, int], list[Mention]] = {}

    def rank(chain: Sequence[Mention]) -> tuple[int, bool]:
        plural = people.words[chain[-1].stop - 1].is_plural
        return people.closeness(chain[0]), plural and not SORTS.isdisjoint(chain[0].field.words)

    for chain in chains:
        place = (chain[0].first, chain[-1].stop)
        rival = taken.get(place)
        if rival is None or rank(chain) > rank(rival):
            taken[place] = chain
    for (first, stop), chain in taken.items():
        if not any(len(other) > len(chain) and at <= first and stop <= end for (at, end), other in taken.items()):
            yield chain
