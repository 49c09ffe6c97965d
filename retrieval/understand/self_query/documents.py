"""Documents of a snapshot instead of chunks: those that meet a filter, and those that fit a question best."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.metadata_index import Mask, Scalar
from retrieval.search.metadata_filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Hit, Metadata, Retrieval
from retrieval.understand.analysis import QueryAnalysis
from retrieval.understand.catalog.catalog import Catalog, CatalogDocument, title_of
from retrieval.understand.decompose.decomposition import Decomposition
from retrieval.understand.hints import HintedHit, HintedSearch
from retrieval.understand.self_query.conditions import CategoryHint

Key = tuple[str, str]
"""Names of the book and the document."""
_READ = 2000
"""The most documents whose text is read for the nouns that they use for themselves."""


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document of a result."""

    book: str
    document: str
    title: str
    metadata: Metadata
    hit: Hit | None = None
    """Its best chunk for the topic; None if there is no topic."""
    hinted: HintedHit | None = None
    """That chunk with its relevance and the effect of hints; None if there is no topic."""


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents of a snapshot, in the order of book and name."""

    all: tuple[FoundDocument, ...]
    of_chunk: npt.NDArray[np.int32]
    """(n_chunks,) the number of each chunk's document."""
    texts: tuple[str, ...] = ()
    """The first chunks of some of them."""

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> "Documents":
        """Read every chunk of a snapshot once, in order."""
        first: dict[Key, tuple[int, FoundDocument]] = {}
        keys: list[Key] = []
        texts: list[str] = []
        for chunk in chunks:
            key = (chunk.book, chunk.document)
            keys.append(key)
            if chunk.position == 0 and len(texts) < _READ:
                texts.append(chunk.text)
            if key not in first or chunk.position < first[key][0]:
                first[key] = (chunk.position, FoundDocument(*key, title_of(chunk), chunk.metadata))
        ordered = sorted(first)
        number = {key: position for position, key in enumerate(ordered)}
        return cls(
            tuple(first[key][1] for key in ordered),
            np.fromiter((number[key] for key in keys), np.int32, count=len(keys)),
            tuple(texts),
        )

    def __len__(self) -> int:
        return len(self.all)

    @cached_property
    def catalog(self) -> Catalog:
        """Their fields and values."""
        described = [CatalogDocument.of(document.document, document.title, document.metadata) for document in self.all]
        return Catalog.of(described, {document.book for document in self.all}, self.texts)

    @cached_property
    def _named(self) -> Mapping[Key, FoundDocument]:
        return {(document.book, document.document): document for document in self.all}

    def meeting(self, mask: Mask) -> tuple[FoundDocument, ...]:
        """Return the documents with a chunk that passes."""
        return tuple(self.all[number] for number in np.unique(self.of_chunk[mask]).tolist())

    def best(
        self, retriever: Retriever, query: str, k: int, where: Filter | None, strategy: str | Strategy
    ) -> tuple[FoundDocument, ...]:
        """Return the k best documents for a question, ranked by their best chunks."""
        _, best = best_of_documents(retriever, query, k, strategy, where)
        return tuple(replace(self._named[key], hit=hit) for key, hit in best.items())


def best_of_documents(
    retriever: Retriever, query: str, k: int, strategy: str | Strategy, where: Filter | None = None
) -> tuple[Retrieval, Mapping[Key, Hit]]:
    """Return the best chunk of each of the k best documents, best first, and the retrieval that they are from.

    More chunks are requested until they belong to k documents, or there are no more.
    """
    n_chunks = len(retriever.snapshot)
    wanted = min(2 * k, n_chunks)
    while True:
        retrieval = retriever.retrieve(query, wanted, strategy, where=where)
        best: dict[Key, Hit] = {}
        for hit in retrieval.hits:
            best.setdefault((hit.chunk.book, hit.chunk.document), hit)
        if len(best) >= k or len(retrieval.hits) < wanted or wanted >= n_chunks:
            return retrieval, dict(list(best.items())[:k])
        wanted = min(2 * wanted, n_chunks)


@dataclass(frozen=True, slots=True)
class Group:
    """Documents that share a value. Key: value."""

    value: Scalar
    documents: tuple[FoundDocument, ...]

    @property
    def count(self) -> int:
        """The number of documents."""
        return len(self.documents)


def grouped(documents: tuple[FoundDocument, ...], field: str) -> tuple[Group, ...]:
    """Return documents by the values of a field, the most frequent first; one with several values is in several
    groups."""
    documents_by_value: dict[Scalar, list[FoundDocument]] = {}
    for document in documents:
        value = document.metadata.get(field, ())
        for member in value if isinstance(value, tuple | list) else (value,):
            documents_by_value.setdefault(member, []).append(document)
    sizes = Counter({value: len(members) for value, members in documents_by_value.items()})
    ordered = sorted(sizes, key=lambda value: (-sizes[value], str(value)))
    return tuple(Group(value, tuple(documents_by_value[value])) for value in ordered)


log = logging.getLogger(__name__)
_MEASURED = 5
"""The fewest documents among which relevance is measured: the best of fewer seems less certain."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The parameters by which documents are ranked."""

    hinted: HintedSearch
    query: str
    """The text to search for: the question without its conditions."""
    raised: tuple[str, ...] = ()
    """Categories that get the boost of the settings."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Categories that get their own weight."""

    @classmethod
    def of(
        cls,
        hinted: HintedSearch,
        analysis: QueryAnalysis,
        hints: Sequence[CategoryHint],
        guessed: Decomposition | None,
        *,
        filtered: bool,
    ) -> "Ranking":
        """Return the ranking for a question.

        Args:
            hinted: boosts relevance.
            hints: the hints in the question.
            guessed: a decomposition of it, whose hints and weights are used too.
            filtered: whether conditions are used, which are then left out of the topic.
        """
        # A category in the text is evidence like any other word; a negated one would be evidence for its documents.
        topic = " ".join((analysis.topic, *(hint.text for hint in hints if not hint.is_denied))).strip()
        raised = raised_categories(hints, guessed)
        lowered = {hint.value: hint.weight for hint in hints if hint.is_denied}
        query = (topic if filtered or lowered else "") or analysis.original_query
        return cls(hinted, query, raised, {**(guessed.category_weights if guessed else {}), **lowered})

    def best(
        self, documents: Documents, retriever: Retriever, k: int, where: Filter | None, strategy: str | Strategy
    ) -> tuple[FoundDocument, ...]:
        """Return the k best documents, from a broader search if there are category hints."""
        hints = bool(self.raised or self.weights)
        broad = k * self.hinted.config.broaden_search_multiplier if hints else k
        broad = max(broad, _MEASURED) if self.hinted.relevance else broad
        if hints:
            log.info("Executing vector search with category hints: %s", list(self.raised))
        by_chunk = {
            document.hit.chunk.id: document
            for document in documents.best(retriever, self.query, broad, where, strategy)
            if document.hit
        }
        hits = [document.hit for document in by_chunk.values() if document.hit]
        ranked = self.hinted.rank(self.query, hits, self.raised, self.weights)[:k]
        if hints:
            log.info("Retrieved %d chunks after re-ranking.", len(ranked))
        return tuple(replace(by_chunk[hit.hit.chunk.id], hinted=hit) for hit in ranked)


def raised_categories(hints: Sequence[CategoryHint], guessed: Decomposition | None) -> tuple[str, ...]:
    """Return the categories that get the boost of the settings: those that a question names, and those that are
    guessed."""
    denied = {hint.value for hint in hints if hint.is_denied}
    hinted = (*(hint.value for hint in hints), *(guessed.category_hints if guessed else ()))
    return tuple(value for value in dict.fromkeys(hinted) if value not in denied)
