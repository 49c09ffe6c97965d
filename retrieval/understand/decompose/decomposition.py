"""A decomposition (seed 004), and the rankings of its parts merged."""

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Protocol

from retrieval.errors import QueryAnalysisError
from retrieval.language.canonical import canonical
from retrieval.types import Chunk, Hit, Retrieval
from retrieval.understand.catalog.words import keys

COMPARE, LOOK_UP = "compare", "look up"
"""What rules say is wanted."""


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A question as the questions that it is made of, and where their answers may be."""

    main_intent: str
    """What is wanted, in a few words."""
    sub_queries: tuple[str, ...]
    """One or more; the question itself where it asks one thing."""
    search_keywords: tuple[str, ...] = ()
    category_hints: tuple[str, ...] = ()
    """Categories that may hold the answer. They raise what they hold and exclude nothing."""
    category_weights: Mapping[str, float] = field(default_factory=dict)
    """By category: how much more it counts than others, 1.0 as much."""
    tokens: int = 0
    """That a model was paid for."""
    tentative: bool = False
    """Whether the parts are undone where their answers are not alike: words alone cannot tell a comparison."""

    def whole(self, query: str) -> "Decomposition":
        """The question as its own only part."""
        return replace(self, main_intent=LOOK_UP, sub_queries=(query,), tentative=False)

    @classmethod
    def of(cls, record: Mapping[str, object], categories: Collection[str], tokens: int = 0) -> "Decomposition":
        """From the JSON object of seed 004. Categories that the library does not have are left out.

        `potential_filters` is accepted, warned of and not used: a wrong guess of a category hid documents.

        Raises:
            QueryAnalysisError: there is no sub-query, or a weight is no number above 0.
        """
        if record.get("potential_filters"):
            warnings.warn(
                "potential_filters excludes what a guess forgot; it is ignored, give category_hints",
                DeprecationWarning,
                stacklevel=2,
            )
        texts = [text for entry in _list(record, "sub_queries") if (text := str(entry).strip())]
        if not texts:
            raise QueryAnalysisError("a decomposition has no sub_queries; give the question itself at least")
        given = record.get("category_weights") or {}
        weights = {str(name): weight for name, weight in given.items()} if isinstance(given, Mapping) else {}
        bad = {name: weight for name, weight in weights.items() if not _is_weight(weight)}
        if bad:
            raise QueryAnalysisError(f"category_weights holds {bad!r:.80}; give numbers above 0, 1.0 for as much")
        return cls(
            str(record.get("main_intent") or texts[0]),
            tuple(dict.fromkeys(texts)),
            tuple(dict.fromkeys(str(entry) for entry in _list(record, "search_keywords"))),
            tuple(dict.fromkeys(str(entry) for entry in _list(record, "category_hints") if str(entry) in categories)),
            {name: float(weight) for name, weight in weights.items() if name in categories},
            tokens,
        )


class Decomposer(Protocol):
    """Whoever takes questions apart."""

    def decompose(self, query: str) -> Decomposition:
        """What a question is made of.

        Raises:
            QueryAnalysisError: it cannot be said.
        """


def _list(record: Mapping[str, object], name: str) -> list[object]:
    given = record.get(name)
    return list(given) if isinstance(given, list | tuple) else []


def _is_weight(weight: object) -> bool:
    return isinstance(weight, int | float) and not isinstance(weight, bool) and 0 < weight < float("inf")


_WHOLE = 0.3
"""What the score for the whole question counts beside that for the part."""
_TWIN = 2.0
"""What two answers gain by being rows of one table; what is compared mostly stands together."""
_BESIDE = 0.5
"""Share of what the better answers of the other part are ahead that this gain loses."""
_N_CANDIDATES = 8
"""Answers of each part that may be a twin."""
_MISSED = 0.5
"""How far below its last a ranking is taken to put what it does not hold."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """Hits of all parts, in turn."""

    hits: tuple[Hit, ...]
    """Their scores fall within the hits of one part, and not from hit to hit."""
    parts: Mapping[str, str]
    """By chunk id: the part that it answers."""
    alike: bool
    """Whether the first answers of all parts are rows of equal tables or sections side by side, and no row answers for
    all. `clerics, level 4, armor class 5` looks like a list of three things; the best answers of its parts have
    nothing in common. Where one row says everything in which they differ, they are conditions on it."""


def deal(whole: Retrieval, parts: Sequence[Retrieval], k: int) -> Allocation:
    """The best of the first part, the best of the second, and so on; then the second best of each.

    Args:
        whole: what the question itself found; its chunks are candidates for every part.
        parts: what its parts found, with the same strategy.
        k: how many hits at most.
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
    alike = alike and (_are_named(firsts, parts) or not _says_all(whole, parts)) and not _number_apart(parts)
    kept = dict(islice(dealt.items(), k))
    return Allocation(tuple(replace(hits[chunk], rank=rank) for rank, chunk in enumerate(kept, start=1)), kept, alike)


def _of_a_kind(chunks: Iterable[Chunk]) -> bool:
    return len({chunk.signature or chunk.heading_path[:-1] for chunk in chunks}) == 1


def _are_named(firsts: Mapping[str, Chunk], parts: Sequence[Retrieval]) -> bool:
    """Whether the key of each part's first row is all that the part asks and no other does: `angle`, `horizon`."""
    terms = {part.query: frozenset(keys(part.query)) for part in parts}
    same = frozenset.intersection(*terms.values())
    own = {query: words - same for query, words in terms.items()}
    return all(own[query] and own[query] <= set(keys(chunk.row_key or "")) for query, chunk in firsts.items())


def _says_all(whole: Retrieval, parts: Sequence[Retrieval]) -> bool:
    """A row that the question and one of its parts find first, and that says all that the others ask about."""
    firsts = [part.hits[0].chunk.id for part in parts if part.hits]
    if not whole.hits or whole.hits[0].chunk.kind != "row" or whole.hits[0].chunk.id not in firsts:
        return False
    terms = [frozenset(keys(part.query)) for part in parts]
    differing = frozenset.union(*terms) - frozenset.intersection(*terms)
    return differing <= set(keys(whole.hits[0].chunk.search_text))


def _number_apart(parts: Sequence[Retrieval]) -> bool:
    """Whether two parts each have a number of something that no other part has one of: a level here, a class there.

    What is compared has the same of both: `fighter (AC 3) or druid (AC 9)`.
    """
    labels = [frozenset(canonical(part.query).bound) for part in parts]
    spread = Counter(label for part_labels in labels for label in part_labels)
    return sum(any(spread[label] == 1 for label in part_labels) for part_labels in labels) > 1


def _scores(whole: Retrieval, part: Retrieval) -> dict[str, float]:
    """By chunk id: the score for the part with a share of that for the whole question."""
    own, other = _by_chunk(part), _by_chunk(whole)
    least, least_of_whole = min(own.values(), default=0.0) - _MISSED, min(other.values(), default=0.0) - _MISSED
    return {
        chunk: own.get(chunk, least) + _WHOLE * other.get(chunk, least_of_whole)
        for chunk in dict.fromkeys([*own, *other])
    }


def _by_chunk(retrieval: Retrieval) -> dict[str, float]:
    return {hit.chunk.id: hit.score for hit in retrieval.hits}


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
    first = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:_N_CANDIDATES]
    return [(chunk, scores[first[0]] - scores[chunk]) for chunk in first]


def _in_turn(ranked: Sequence[Sequence[str]]) -> Iterator[tuple[str, int]]:
    """Each part's next chunk that no part has had."""
    places, taken = [0] * len(ranked), set[str]()
    while any(position < len(chunks) for position, chunks in zip(places, ranked, strict=True)):
        for number, chunks in enumerate(ranked):
            while places[number] < len(chunks) and chunks[places[number]] in taken:
                places[number] += 1
            if places[number] < len(chunks):
                taken.add(chunks[places[number]])
                yield chunks[places[number]], number
