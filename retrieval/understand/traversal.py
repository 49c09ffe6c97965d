"""From the names in a question to chunks, by the graph alone: no vectors, no word scores."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from retrieval.errors import IndexCorruptError
from retrieval.index.graph.building import chunks_fingerprint
from retrieval.index.graph.graph import Graph, Nodes
from retrieval.index.graph.names import longest_names, plain_heading
from retrieval.index.words.tokenizer import Tokenize, tokens
from retrieval.query_must.vocabulary.plurals import singular
from retrieval.search.graph_boost import named_entities
from retrieval.search.query import Query
from retrieval.types import Chunk
from retrieval.understand.traversal_config import Policy, TraversalConfig

_LAYER = 4
"""Chunks looked at of one distance, as a multiple of the candidates; a section can hold thousands."""

Audience = Literal["player", "gm", ""]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that the walk met. Key: chunk_id."""

    chunk_id: str
    name: str
    """The named thing that it was met from first."""
    distance: int
    """Edges from there."""


@dataclass(frozen=True, slots=True)
class Traversal:
    """What a question led to."""

    candidates: tuple[Candidate, ...]
    """Names of the config first, then the nearest, then those for the question's audience, then by id."""
    names: tuple[str, ...]
    """Tokens of the things that the question names."""
    intent: str
    audience: Audience


@dataclass(frozen=True, slots=True, eq=False)
class TraversalIndex:
    """A graph and what a walk must know of its chunks; in memory."""

    graph: Graph
    ids: tuple[str, ...]
    places: tuple[str, ...]
    """Document and headings of each chunk, lower case: they say for which audience a chapter is."""
    tokenize: Tokenize
    aliases: Mapping[str, str]
    """By tokens of another name, or of a name written as one word: the name that the graph has. `long sword` and
    `longsword` are the `Sword, long`."""

    @classmethod
    def build(cls, graph: Graph, chunks: Sequence[Chunk], tokenize: Tokenize = tokens) -> "TraversalIndex":
        """From a graph and its chunks, in any order.

        Args:
            graph: of a snapshot, or built from the chunks.
            chunks: all of the graph's.
            tokenize: what the graph was built with; of a snapshot, `snapshot.lexical.tokenize`.

        Raises:
            IndexCorruptError: the graph is over other chunks.
        """
        ordered = sorted(chunks, key=lambda chunk: chunk.id)
        if graph.fingerprint != chunks_fingerprint(ordered):
            raise IndexCorruptError(f"the graph is over other chunks than these {len(ordered)}; build it again")
        places = tuple(" ".join((chunk.document, *chunk.heading_path)).casefold() for chunk in ordered)
        ids = tuple(chunk.id for chunk in ordered)
        return cls(graph, ids, places, tokenize, _aliases(ordered, tokenize))

    def named(self, question: str) -> Nodes:
        """The things that a question names, rising."""
        said = longest_names(self.tokenize(question), self.aliases)
        others = self.graph.entities([self.aliases[name] for name in said]).values()
        return np.union1d(named_entities(self.graph, question, self.tokenize), np.asarray([*others], dtype=np.int64))


def retrieve_candidates(query: str, index: TraversalIndex, config: TraversalConfig) -> Traversal:
    """Chunks that the graph connects with what a question names, as its intent's policy says.

    Args:
        query: 1 to 2,000 characters.
        index: where to walk.
        config: names, intents and policies.

    Raises:
        InvalidQueryError: the question is empty or too long.
    """
    question = Query.ask(query)
    nodes = index.named(question.text)
    names = [index.graph.name_of(node) for node in nodes.tolist()]
    priority = _said(config.names, index.tokenize)
    intent, audience = config.intent(query), _audience(query, config)
    found: dict[int, tuple[bool, int, bool, int, str]] = {}
    for node, name in zip(nodes, names, strict=True):
        for distance, positions in _walk(index.graph, np.asarray([node]), intent.policy):
            for position in positions[: _LAYER * intent.policy.candidates].tolist():
                foreign = _is_foreign(index.places[position], audience, config)
                place = (name not in priority, distance, foreign, position, name)
                found[position] = min(found.get(position, place), place)
    ordered = sorted(found.values())[: intent.policy.candidates]
    candidates = tuple(Candidate(index.ids[position], name, distance) for _, distance, _, position, name in ordered)
    return Traversal(candidates, tuple(names), intent.name, audience)


def _aliases(chunks: Sequence[Chunk], tokenize: Tokenize) -> dict[str, str]:
    found: dict[str, str] = {}
    for chunk in chunks:
        own = (chunk.row_key or "") if chunk.kind == "row" else plain_heading(chunk)
        name = " ".join(tokenize(own))
        for other in (own, *chunk.names) if chunk.kind == "row" else (own,):
            words = tokenize(other)
            # One word alone is the name of many things: `long` of `Sword, long`.
            for alias in (" ".join(words), "".join(words)) if len(words) > 1 else ():
                found.setdefault(alias, name)
    return {alias: name for alias, name in found.items() if alias != name}


@lru_cache(maxsize=8)
def _said(names: tuple[str, ...], tokenize: Tokenize) -> frozenset[str]:
    return frozenset(" ".join(tokenize(name)) for name in names)


def _walk(graph: Graph, start: Nodes, policy: Policy) -> Iterator[tuple[int, Nodes]]:
    layer = seen = start
    for distance in range(1, policy.depth + 1):
        layer = np.setdiff1d(graph.neighbours(layer, policy.relations)[1], seen)
        seen = np.union1d(seen, layer)
        yield distance, layer[layer < graph.n_chunks]


def _audience(query: str, config: TraversalConfig) -> Audience:
    player, gm = (sum(_says(query, word) for word in words) for words in (config.player_keywords, config.gm_keywords))
    return "" if player == gm else "player" if player > gm else "gm"


def _is_foreign(place: str, audience: Audience, config: TraversalConfig) -> bool:
    """Whether a chunk is in a chapter for the other audience."""
    mine, theirs = config.player_keywords, config.gm_keywords
    if audience == "gm":
        mine, theirs = theirs, mine
    return (
        bool(audience) and any(_says(place, word) for word in theirs) and not any(_says(place, word) for word in mine)
    )


def _says(text: str, phrase: str) -> bool:
    """Whether the words of a phrase follow one another in a text; singular and plural are the same."""
    return f" {_words(phrase)} " in f" {_words(text)} "


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> str:
    return " ".join(singular(word, {}) for word in re.findall(r"[^\W_]+", text.casefold()))
