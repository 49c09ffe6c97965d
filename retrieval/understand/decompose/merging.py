"""The rankings of the parts of a question as one: the answers of all parts come first, in turn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from retrieval.query_must.canonical.canonical import canonical
from retrieval.types import Chunk, Hit, Retrieval
from retrieval.understand.catalog.words import keys

_WHOLE = 0.3
"""What the score for the whole question counts beside that for the part."""
_TWIN = 2.0
"""What two answers gain by being rows of one table; what is compared mostly stands together."""
_BESIDE = 0.5
"""Share of what the better answers of the other part are ahead that this gain loses."""
_LOOKED_AT = 8
"""Answers of each part that may be a twin."""
_MISSED = 0.5
"""How far below its last a ranking is taken to put what it does not hold."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """Hits of all parts, in turn."""

    hits: tuple[Hit, ...]
    """Their scores fall within the hits of one part, and not from hit to hit."""
    parts: Mapping[str, str]
    """By chunk id: the part that it answers."""
    alike: bool
    """Whether the first answers of all parts are rows of equal tables or sections side by side, and no row answers for
    all. `clerics, level 4, armor class 5` looks like a list of three things; the best answers of its parts have
    nothing in common. Where one row says everything in which they differ, they are conditions on it."""


def deal(whole: Retrieval, parts: Sequence[Retrieval], k: int) -> Dealt:
    """The best of the first part, the best of the second, and so on; then the second best of each.

    Args:
        whole: what the question itself found; its chunks are candidates for every part.
        parts: what its parts found, with the same strategy.
        k: how many hits at most.
    """
    hits = {hit.chunk.id: hit for found in (whole, *parts) for hit in found.hits}
    scores = [_scores(whole, part) for part in parts]
    ranked = [_ranked(number, scores, hits) for number in range(len(parts))]
    dealt: dict[str, str] = {}
    for chunk, number in _in_turn(ranked):
        dealt.setdefault(chunk, parts[number].query)
        if len(dealt) >= max(k, len(parts)):
            break
    firsts = {part: hits[chunk].chunk for chunk, part in reversed(dealt.items())}
    alike = len(firsts) == len(parts) and _of_a_kind(firsts.values())
    alike = alike and not _says_all(whole, parts) and not _number_apart(parts)
    kept = dict(islice(dealt.items(), k))
    return Dealt(tuple(replace(hits[chunk], rank=rank) for rank, chunk in enumerate(kept, start=1)), kept, alike)


def _of_a_kind(chunks: Iterable[Chunk]) -> bool:
    return len({chunk.signature or chunk.heading_path[:-1] for chunk in chunks}) == 1


def _says_all(whole: Retrieval, parts: Sequence[Retrieval]) -> bool:
    """A row that the question and one of its parts find first, and that says all that the others ask about."""
    firsts = [part.hits[0].chunk.id for part in parts if part.hits]
    if not whole.hits or whole.hits[0].chunk.kind != "row" or whole.hits[0].chunk.id not in firsts:
        return False
    said = [frozenset(keys(part.query)) for part in parts]
    differing = frozenset.union(*said) - frozenset.intersection(*said)
    return differing <= set(keys(whole.hits[0].chunk.search_text))


def _number_apart(parts: Sequence[Retrieval]) -> bool:
    """Whether two parts each have a number of something that no other part has one of: a level here, a class there.

    What is compared has the same of both: `fighter (AC 3) or druid (AC 9)`.
    """
    labels = [frozenset(canonical(part.query).bound) for part in parts]
    spread = Counter(label for each in labels for label in each)
    return sum(any(spread[label] == 1 for label in each) for each in labels) > 1


def _scores(whole: Retrieval, part: Retrieval) -> dict[str, float]:
    """By chunk id: the score for the part with a share of that for the whole question."""
    own, other = _by_chunk(part), _by_chunk(whole)
    least, least_of_whole = min(own.values(), default=0.0) - _MISSED, min(other.values(), default=0.0) - _MISSED
    return {
        chunk: own.get(chunk, least) + _WHOLE * other.get(chunk, least_of_whole)
        for chunk in dict.fromkeys([*own, *other])
    }


def _by_chunk(found: Retrieval) -> dict[str, float]:
    return {hit.chunk.id: hit.score for hit in found.hits}


def _ranked(number: int, scores: Sequence[Mapping[str, float]], hits: Mapping[str, Hit]) -> list[str]:
    """Chunks for one part, best first, each with what its best twin among the answers of another part gives it."""
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
    """The best answers of a part, and how far each is behind the best."""
    first = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:_LOOKED_AT]
    return [(chunk, scores[first[0]] - scores[chunk]) for chunk in first]


def _in_turn(ranked: Sequence[Sequence[str]]) -> Iterator[tuple[str, int]]:
    """Each part's next chunk that no part has had."""
    places, taken = [0] * len(ranked), set[str]()
    while any(place < len(each) for place, each in zip(places, ranked, strict=True)):
        for number, chunks in enumerate(ranked):
            while places[number] < len(chunks) and chunks[places[number]] in taken:
                places[number] += 1
            if places[number] < len(chunks):
                taken.add(chunks[places[number]])
                yield chunks[places[number]], number
