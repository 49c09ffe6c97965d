"""From chunks and their vectors to the graph."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from retrieval.index.graph.graph import RELATIONS, Graph, node_key
from retrieval.index.graph.mentions import mentions
from retrieval.index.graph.names import plain_heading
from retrieval.index.graph.similarity import similar_pairs
from retrieval.index.term_table import TermTable
from retrieval.index.words.lexical_index import fingerprint
from retrieval.index.words.tokenizer import Tokenize, tokenizer
from retrieval.ingest.references import references, shortened
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.ragged import RaggedArray
from retrieval.strategy import Relation
from retrieval.types import Chunk, Section, Vector

DESCRIBED_BY = 16
"""A name that more chunks bear does not name a thing: "Actions", "Benefit"."""
SEE_TARGETS = 3
"""Chunks at most that one reference leads to."""

Node = int | bytes
"""A chunk's position, or the key of another node."""
Numbers = npt.NDArray[np.int32]
Triple = tuple[Node, Node, Relation]


def build_graph(
    chunks: Sequence[Chunk], vectors: Vector, vocabulary: Vocabulary, tokenize: Tokenize | None = None
) -> Graph:
    """The graph of chunks in the order of their ids.

    Args:
        chunks: node i is the i-th.
        vectors: (n, dimensions), aligned, normalised.
        vocabulary: by which names are distinguished, as questions are.
        tokenize: cuts names into words; None: as the vocabulary does.
    """
    tokenize = tokenize or tokenizer(vocabulary)
    tables = np.asarray(_numbered(chunk.table_id for chunk in chunks), dtype=np.int32)
    described = _described(chunks, tokenize)
    order = _reading_order(chunks)
    triples = [
        *_contains(chunks),
        *_next(chunks, order),
        *((position, node_key("entity", name), "describes") for name, at in described.items() for position in at),
        *_has_trait(chunks),
        *_see(chunks, described, tokenize),
        *((position, _section_key(of), "mentions") for position, of in mentions(chunks, tokenize)),
    ]
    pairs = similar_pairs(vectors, tables)
    triples += [(left, right, "similar") for left, right in pairs.tolist()]
    reading = np.argsort(order).astype(np.int32)
    return _assembled(chunks, list(dict.fromkeys(triples)), tables, reading)


def chunks_fingerprint(chunks: Iterable[Chunk]) -> str:
    """SHA-256 of the chunks' ids in their order."""
    return fingerprint(chunk.id for chunk in chunks)


def _assembled(
    chunks: Sequence[Chunk],
    triples: Sequence[Triple],
    tables: Numbers,
    reading: Numbers,
) -> Graph:
    names = sorted({node for triple in triples for node in triple[:2] if isinstance(node, bytes)})
    number: dict[Node, int] = {name: len(chunks) + place for place, name in enumerate(names)}
    number |= {position: position for position in range(len(chunks))}
    ends = np.asarray([[number[s], number[t]] for s, t, _ in triples], dtype=np.int64).reshape(-1, 2)
    kinds = np.asarray([RELATIONS.index(relation) for *_, relation in triples], dtype=np.int8)
    sources, targets = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])
    forward = np.repeat([True, False], len(ends))
    relations = np.tile(kinds, 2)
    order = np.lexsort((~forward, relations, targets, sources))
    sizes = np.bincount(sources, minlength=len(chunks) + len(names))
    return Graph(
        chunks_fingerprint(chunks),
        TermTable.build(names),
        RaggedArray.of_sizes(sizes, targets[order].astype(np.int32)),
        relations[order],
        forward[order],
        tables,
        reading,
    )


def _numbered(keys: Iterable[object]) -> list[int]:
    """Each key's number in the order in which they first come; -1 for None."""
    numbers: dict[object, int] = {}
    return [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys]


def _contains(chunks: Sequence[Chunk]) -> Iterator[Triple]:
    for position, chunk in enumerate(chunks):
        path = [_section_key(chunk.section[: 2 + depth]) for depth in range(len(chunk.heading_path) + 1)]
        yield from ((above, below, "contains") for above, below in pairwise(path))
        yield path[-1], position, "contains"


def _section_key(section: Section) -> bytes:
    return node_key("section", "\x1f".join(section))


def _reading_order(chunks: Sequence[Chunk]) -> list[int]:
    return sorted(
        range(len(chunks)), key=lambda at: (chunks[at].book, chunks[at].document, chunks[at].position, chunks[at].id)
    )


def _next(chunks: Sequence[Chunk], order: Sequence[int]) -> Iterator[Triple]:
    for one, other in pairwise(order):
        if (chunks[one].book, chunks[one].document) == (chunks[other].book, chunks[other].document):
            yield one, other, "next"


def _described(chunks: Sequence[Chunk], tokenize: Tokenize) -> dict[str, list[int]]:
    """Positions of the chunks that bear a name, by the name's tokens; those right under it as a heading come first."""
    headed: dict[str, list[int]] = defaultdict(list)
    called: dict[str, list[int]] = defaultdict(list)
    for position, chunk in enumerate(chunks):
        if chunk.kind == "row":
            called[" ".join(tokenize(chunk.row_key or ""))].append(position)
            continue
        heading = " ".join(tokenize(plain_heading(chunk)))
        headed[heading].append(position)
        for name in dict.fromkeys(" ".join(tokenize(name)) for name in chunk.names):
            if name != heading:
                called[name].append(position)
    bearers = {name: headed.get(name, []) + called.get(name, []) for name in {**headed, **called}}
    return {
        name: at for name, at in bearers.items() if len(at) <= DESCRIBED_BY and any(letter.isalpha() for letter in name)
    }


def _has_trait(chunks: Sequence[Chunk]) -> Iterator[Triple]:
    for position, chunk in enumerate(chunks):
        traits = chunk.metadata.get("traits", ())
        for trait in traits if isinstance(traits, tuple) else ():
            yield position, node_key("trait", trait), "has_trait"


def _see(chunks: Sequence[Chunk], described: dict[str, list[int]], tokenize: Tokenize) -> Iterator[Triple]:
    for position, chunk in enumerate(chunks):
        for written in references(chunk.text):
            name = next((name for name in shortened(list(tokenize(written))) if name in described), None)
            if name is not None:
                targets = [at for at in described[name] if at != position]
                # Stable: within a book those under that heading stay first.
                targets.sort(key=lambda at: chunks[at].book != chunk.book)
                yield from ((position, target, "see") for target in targets[:SEE_TARGETS])
