"""The graph of a library, built from chunks, their vectors and their references."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import RaggedArray
from retrieval.index.graph import RELATIONS, Graph, node_key
from retrieval.index.term_table import TermTable
from retrieval.index.words.lexical_index import fingerprint
from retrieval.ingest.tables.pointers import references, shortened
from retrieval.language.terms import Tokenize, tokenizer
from retrieval.language.vocabulary import Vocabulary
from retrieval.strategy import Relation
from retrieval.types import Chunk, Section, Vector

MAX_WORDS = 6
"""The largest number of words in a name."""

_KIND = re.compile(r"\s*\[[^\]]*\]\s*$")
"""The bracketed kind after a heading: the name of `Prone [Condition]` is `Prone`."""


def plain_heading(chunk: Chunk) -> str:
    """Return the last heading above a chunk without its bracketed kind; empty if there is no heading."""
    return _KIND.sub("", chunk.heading_path[-1]) if chunk.heading_path else ""


def runs(words: Sequence[str]) -> Iterator[tuple[str, range]]:
    """Yield every run of words that may be a name, with the places of its words; the longest first, then in order."""
    for length in range(MAX_WORDS, 0, -1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length]), range(start, start + length)


def longest_names(words: Sequence[str], names: Container[str]) -> list[str]:
    """Return the given names that occur in a text, each once, in its order; names within longer names are ignored."""
    taken: set[int] = set()
    names_by_start: dict[int, str] = {}
    for name, span in runs(words):
        if name in names and taken.isdisjoint(span):
            taken.update(span)
            names_by_start[span.start] = name
    return list(dict.fromkeys(names_by_start[start] for start in sorted(names_by_start)))


MENTIONED_BY = 16
"""Paragraphs that mention a name at most: one in more of them is a common term ("armor class"), not a reference."""
LEVELS = 2
"""The number of heading levels above a table up to which a paragraph still introduces it."""


def mentions(chunks: Sequence[Chunk], tokenize: Tokenize) -> Iterator[tuple[int, Section]]:
    """Yield pairs of a paragraph and a section with a table that it names, by paragraph, in the order of the names.

    Only paragraphs that introduce a table are read. Only tables of the same book are found, by a heading or caption
    that no other section has.

    Args:
        chunks: by the positions that are yielded.
        tokenize: for names and texts.
    """
    tabled = {chunk.section: chunk.heading_path for chunk in chunks if chunk.kind == "row"}
    names = _names(chunks, tokenize)
    introducing = {
        section[: len(section) - above]
        for section, headings in tabled.items()
        for above in range(min(LEVELS + 1, len(headings)))
    }
    pairs = [
        (position, section)
        for position, chunk in enumerate(chunks)
        if chunk.kind == "prose" and chunk.section in introducing
        for section in _named(tokenize(chunk.source), names.get(chunk.book, {}))
        if not _is_within(chunk.section, section) and not _is_within(section, chunk.section)
    ]
    counter = Counter(section for _, section in pairs)
    yield from (pair for pair in pairs if counter[pair[1]] <= MENTIONED_BY)


def _is_within(section: Section, other: Section) -> bool:
    return section[: len(other)] == other


def _names(chunks: Sequence[Chunk], tokenize: Tokenize) -> Mapping[str, Mapping[str, Section]]:
    """Return, by book, the sections with a table by the names that no other section has."""
    bearers: dict[tuple[str, str], set[Section]] = defaultdict(set)
    for chunk in {chunk.table_id: chunk for chunk in chunks if chunk.kind == "row"}.values():
        heading = plain_heading(chunk)
        for written in (heading, None if chunk.introduced else chunk.caption):
            words = list(tokenize(written or ""))
            if 0 < len(words) <= MAX_WORDS and any(letter.isalpha() for word in words for letter in word):
                bearers[chunk.book, " ".join(words)].add(chunk.section)
    names: dict[str, dict[str, Section]] = defaultdict(dict)
    for (book, name), sections in bearers.items():
        if len(sections) == 1:
            names[book][name] = next(iter(sections))
    return names


def _named(words: Sequence[str], names: Mapping[str, Section]) -> list[Section]:
    """Return the sections that a text names, in its order; names within longer names are ignored."""
    return list(dict.fromkeys(names[name] for name in longest_names(words, names)))


THRESHOLD = 0.8
"""The smallest cosine at which two chunks are similar."""
NEIGHBOURS = 4
"""The largest number of links that start from one chunk."""
EXACT = 8_192
"""Chunks up to which all pairs are compared; with more, only pairs that share one of their two nearest pivots."""
_BLOCK = 512

Pairs = npt.NDArray[np.int64]


def similar_pairs(vectors: Vector, tables: npt.NDArray[np.int32]) -> Pairs:
    """Return the positions of similar chunks, (pairs, 2): the smaller first, ascending, each pair once.

    Args:
        vectors: (n, dimensions), normalised.
        tables: (n,) number of each chunk's table, -1 for none; rows of one table are never paired.
    """
    parts = [part for members in _groups(vectors) for part in _near(vectors, tables, members)]
    if not parts:
        return np.empty((0, 2), dtype=np.int64)
    sources, targets, scores = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    # A pair may come from two groups. For each source, the strongest comes first, then by position.
    once = np.unique(np.stack([sources, targets], axis=1), axis=0, return_index=True)[1]
    sources, targets, scores = sources[once], targets[once], scores[once]
    order = np.lexsort((targets, -scores, sources))
    sources, targets = sources[order], targets[order]
    position = np.arange(len(sources)) - np.searchsorted(sources, sources)
    is_near = position < NEIGHBOURS
    pairs: Pairs = np.unique(np.sort(np.stack([sources[is_near], targets[is_near]], axis=1), axis=1), axis=0)
    return pairs


def _groups(vectors: Vector) -> Iterator[Pairs]:
    if len(vectors) <= EXACT:
        yield np.arange(len(vectors))
        return
    # On 18,430 chunks of three rulebooks twice the root finds 93 % of the pairs, eight times 90 % in smaller groups.
    size = min(int(8 * len(vectors) ** 0.5), len(vectors))
    pivots = vectors[np.sort(np.random.default_rng(0).choice(len(vectors), size=size, replace=False))]
    nearest = np.empty((2, len(vectors)), dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        similarity = vectors[start : start + _BLOCK] @ pivots.T
        rows = np.arange(len(similarity))
        for number in range(2):
            nearest[number, start : start + _BLOCK] = closest = similarity.argmax(axis=1)
            similarity[rows, closest] = -np.inf
    members = np.argsort(nearest.ravel(), kind="stable")
    ends = np.searchsorted(nearest.ravel()[members], np.arange(size + 1))
    for pivot in range(size):
        yield np.sort(members[ends[pivot] : ends[pivot + 1]] % len(vectors))


def _near(
    vectors: Vector, tables: npt.NDArray[np.int32], members: Pairs
) -> Iterator[tuple[Pairs, Pairs, npt.NDArray[np.float32]]]:
    # A chunk without a table gets one of its own, and none is its own neighbour.
    own = np.where(tables[members] >= 0, tables[members], -1 - members)
    theirs, wanted = np.ascontiguousarray(vectors[members].T), min(NEIGHBOURS, len(members) - 1)
    for start in range(0, len(members) if wanted > 0 else 0, _BLOCK):
        block = members[start : start + _BLOCK]
        similarity = vectors[block] @ theirs
        np.copyto(similarity, -1.0, where=own[start : start + _BLOCK, None] == own)
        rows = np.arange(len(block))
        for _ in range(wanted):
            # Taking the maximum a few times is far cheaper than a partition; of equals, the first is taken.
            best = similarity.argmax(axis=1)
            scores = similarity[rows, best]
            near = scores >= THRESHOLD
            if not near.any():
                break
            yield block[near], members[best[near]], scores[near]
            similarity[rows, best] = -1.0


DESCRIBED_BY = 16
"""Chunks with the same name at most: a name that more of them have ("Actions", "Benefit") does not name a thing."""
SEE_TARGETS = 3
"""The largest number of chunks that one reference leads to."""

Node = int | bytes
"""A chunk's position, or the key of another node."""
Numbers = npt.NDArray[np.int32]
Triple = tuple[Node, Node, Relation]


def build_graph(
    chunks: Sequence[Chunk], vectors: Vector, vocabulary: Vocabulary, tokenize: Tokenize | None = None
) -> Graph:
    """Build the graph of chunks that are in the order of their ids.

    Args:
        chunks: node i is the i-th.
        vectors: (n, dimensions), aligned, normalised.
        vocabulary: by which names are normalised, as questions are.
        tokenize: for names; None: the tokenizer of the vocabulary.
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
    """Return the SHA-256 of the chunks' ids in their order."""
    return fingerprint(chunk.id for chunk in chunks)


def _assembled(
    chunks: Sequence[Chunk],
    triples: Sequence[Triple],
    tables: Numbers,
    reading: Numbers,
) -> Graph:
    names = sorted({node for triple in triples for node in triple[:2] if isinstance(node, bytes)})
    number: dict[Node, int] = {name: len(chunks) + position for position, name in enumerate(names)}
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
    """Return each key's number, by the order of first occurrence; -1 for None."""
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
    """Return the positions of the chunks that have a name, by its tokens; chunks directly under that heading first."""
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
                # The sort is stable: within a book, chunks under that heading stay first.
                targets.sort(key=lambda at: chunks[at].book != chunk.book)
                yield from ((position, target, "see") for target in targets[:SEE_TARGETS])
