"""The hits of a question in several parts, allocated to its parts in turn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from retrieval.language.canonical import canonical
from retrieval.types import Chunk, Hit, Retrieval
from retrieval.understand.catalog.words import keys

_WHOLE = 0.3
"""Weight of the score for the whole question, relative to that for the part."""
_TWIN = 2.0
"""Score gain of two answers that are rows of one table; compared things are usually in one place."""
_BESIDE = 0.5
"""Share of the lead of better answers of the other part that is subtracted from this gain."""
_N_CANDIDATES = 8
"""Answers of each part that are considered as twins."""
_MISSED = 0.5
"""Chunks missing from a ranking are assumed to score this much below its last."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """Hits of all parts, taken in turn."""

    hits: tuple[Hit, ...]
    """Their scores are descending within the hits of one part, but not from hit to hit."""
    parts: Mapping[str, str]
    """The part that each chunk id answers."""
    alike: bool
    """Whether the first answers of all parts are rows of equal tables or adjacent sections, and no single row answers
    all parts. `clerics, level 4, armor class 5` looks like a list of three things, but the best answers of its parts
    have nothing in common. If one row contains everything in which the parts differ, they are conditions on it."""


def deal(whole: Retrieval, parts: Sequence[Retrieval], k: int) -> Allocation:
    """Allocate hits to the parts in turn: the best of each part, then the second best of each.

    Args:
        whole: the retrieval of the whole question; its chunks are candidates for every part.
        parts: the retrievals of its parts, with the same strategy.
    """
    hits = {hit.chunk.id: hit for part in (whole, *parts) for hit in part.hits}
    scores = [_scores(whole, part) for part in parts]
    ranked = [_ranked(number, scores, hits) for number in range(len(parts))]
    dealt: dict[str, str] = {}
    for chunk, number in _in_turn(ranked):
        dealt.setdefault(chunk, parts[number].query)
        if len(dealt) >= max(k, len(parts)):
            break
    firsts = {part: hits[chunk].chunk for chunk, part in reversed(dealt.items())}
    alike = len(firsts) == len(parts) and _of_a_kind(firsts.values())
    alike = alike and (_are_named(firsts, parts) or not _says_all(whole, parts))
    alike = alike and not have_own_numbers([part.query for part in parts])
    kept = dict(islice(dealt.items(), k))
    return Allocation(tuple(replace(hits[chunk], rank=rank) for rank, chunk in enumerate(kept, start=1)), kept, alike)


def _of_a_kind(chunks: Iterable[Chunk]) -> bool:
    return len({chunk.signature or chunk.heading_path[:-1] for chunk in chunks}) == 1


def _are_named(firsts: Mapping[str, Chunk], parts: Sequence[Retrieval]) -> bool:
    """Whether the key of each part's first row covers all words in which the part differs from the others: `angle`,
    `horizon`."""
    terms = {part.query: frozenset(keys(part.query)) for part in parts}
    same = frozenset.intersection(*terms.values())
    own = {query: words - same for query, words in terms.items()}
    return all(own[query] and own[query] <= set(keys(chunk.row_key or "")) for query, chunk in firsts.items())


def _says_all(whole: Retrieval, parts: Sequence[Retrieval]) -> bool:
    """Whether the row that the question and one of its parts find first contains everything in which the parts
    differ."""
    firsts = [part.hits[0].chunk.id for part in parts if part.hits]
    if not whole.hits or whole.hits[0].chunk.kind != "row" or whole.hits[0].chunk.id not in firsts:
        return False
    terms = [frozenset(keys(part.query)) for part in parts]
    differing = frozenset.union(*terms) - frozenset.intersection(*terms)
    return differing <= set(keys(whole.hits[0].chunk.search_text))


def have_own_numbers(parts: Sequence[str]) -> bool:
    """Whether two parts each have a number with a label that no other part has: a level here, a class there.

    Compared things have the same labels: `fighter (AC 3) or druid (AC 9)`.
    """
    labels = [frozenset(canonical(part).bound) for part in parts]
    spread = Counter(label for part_labels in labels for label in part_labels)
    return sum(any(spread[label] == 1 for label in part_labels) for part_labels in labels) > 1


def _scores(whole: Retrieval, part: Retrieval) -> dict[str, float]:
    """Return the score for the part plus a share of that for the whole question, by chunk id."""
    own, other = _by_chunk(part), _by_chunk(whole)
    least, least_of_whole = min(own.values(), default=0.0) - _MISSED, min(other.values(), default=0.0) - _MISSED
    return {
        chunk: own.get(chunk, least) + _WHOLE * other.get(chunk, least_of_whole)
        for chunk in dict.fromkeys([*own, *other])
    }


def _by_chunk(retrieval: Retrieval) -> dict[str, float]:
    return {hit.chunk.id: hit.score for hit in retrieval.hits}


def _ranked(number: int, scores: Sequence[Mapping[str, float]], hits: Mapping[str, Hit]) -> list[str]:
    """Return the chunks for one part, best first, each with the gain from its best twin among the answers of another
    part."""
    others = [_best(scores[other]) for other in range(len(scores)) if other != number]
    table = {chunk: hit.chunk.table_id for chunk, hit in hits.items()}
    gained = {
        chunk: max(
            (
                max(0.0, _TWIN - _BESIDE * behind)
                for best in others
                for twin, behind in best
                if twin != chunk and table[chunk] and table[chunk] == table[twin]
            ),
            default=0.0,
        )
        for chunk in scores[number]
    }
    return sorted(gained, key=lambda chunk: (-(scores[number][chunk] + gained[chunk]), chunk))


def _best(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the best answers of a part, and how far each is behind the best."""
    first = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:_N_CANDIDATES]
    return [(chunk, scores[first[0]] - scores[chunk]) for chunk in first]


def _in_turn(ranked: Sequence[Sequence[str]]) -> Iterator[tuple[str, int]]:
    """Yield each part's next chunk that no part has had."""
    places, taken = [0] * len(ranked), set[str]()
    while any(position < len(chunks) for position, chunks in zip(places, ranked, strict=True)):
        for number, chunks in enumerate(ranked):
            while places[number] < len(chunks) and chunks[places[number]] in taken:
                places[number] += 1
            if places[number] < len(chunks):
                taken.add(chunks[places[number]])
                yield chunks[places[number]], number
