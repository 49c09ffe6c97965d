"""The fields of an index and the values that really stand there: what a question can be compared with."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.ingest.prose.enrichment import ENRICHED
from retrieval.types import Chunk, Metadata
from retrieval.understand.catalog.codes import spelled_out
from retrieval.understand.catalog.fields import CatalogField, kind_of
from retrieval.understand.catalog.nouns import DOCUMENTS, own_nouns
from retrieval.understand.catalog.words import keys

OWN = ("book", "document", "kind", "title")
"""Keys of every index that tell where a chunk is from."""
_LINKS = frozenset({"with", "from", "that", "this", "into", "over", "about", "between"})
_TITLED = 0.25
"""A word in so many of all titles is what the documents are called."""
_TYPICAL, _LIFT, _LEAST = 0.5, 3.0, 3
"""A word in that share of the titles under a value, that much more often than in all, and in so many of them at least,
goes with the value: releases have schedules."""
_STRAYS = 0.02
"""Share of documents that may have a version and no number of it, or the contrary."""


@dataclass(frozen=True, slots=True)
class Described:
    """A document as the catalogue sees it."""

    name: str
    title: str
    metadata: Metadata

    @classmethod
    def of(cls, name: str, title: str, metadata: Metadata) -> "Described":
        """A document by the metadata of one of its chunks."""
        return cls(name, title, {key: value for key, value in metadata.items() if key not in ENRICHED})


@dataclass(frozen=True, eq=False)
class Catalog:
    """The fields of an index by name, what its documents are called, and what goes with a value."""

    fields: Mapping[str, CatalogField]
    nouns: frozenset[str]
    """Keys of words for a document: `document`, `proposal`, and what the library calls them."""
    companions: Mapping[tuple[str, Scalar], frozenset[str]]
    """By field and value: keys of words that the titles of its documents share."""
    n_documents: int
    says: Callable[[str], bool] = lambda _: True
    """Whether a document has a word; what none has can be nobody's topic. Without texts every word may be one."""

    @classmethod
    def of(cls, documents: Sequence[Described], books: Collection[str] = (), texts: Sequence[str] = ()) -> "Catalog":
        """The catalogue of documents, of the names of the books that they are in, and of how some texts call them."""
        having: dict[str, dict[Scalar, set[int]]] = defaultdict(lambda: defaultdict(set))
        listed: set[str] = set()
        for number, document in enumerate(documents):
            for name, value in document.metadata.items():
                if isinstance(value, tuple | list):
                    listed.add(name)
                for member in value if isinstance(value, tuple | list) else (value,):
                    having[name][member].add(number)
        fields = {
            name: CatalogField(
                name,
                kind_of(name, values, len(set().union(*values.values())), listed=name in listed),
                name in listed,
                {value: len(numbers) for value, numbers in values.items()},
                spelled_out=spelled_out([str(value) for value in values]),
            )
            for name, values in sorted(having.items())
            if name not in OWN and values
        }
        fields |= {name: _ordered(each, fields, documents) for name, each in fields.items() if each.kind == "version"}
        said = [frozenset(keys(document.title)) for document in documents]
        everywhere = Counter(word for each in said for word in each)
        return cls(
            fields,
            _nouns(documents, everywhere)
            | _shared_heads(fields)
            | own_nouns(texts)
            | {key for book in books for key in keys(book) if len(key) > 2},
            {
                (name, value): _typical([said[number] for number in numbers], everywhere, len(documents))
                for name, each in fields.items()
                if each.kind == "text"
                for value, numbers in having[name].items()
            },
            len(documents),
        )

    @cached_property
    def dates(self) -> tuple[CatalogField, ...]:
        """The fields that times can be compared with; those that hold a year alone come last."""
        return tuple(
            sorted((each for each in self.fields.values() if each.is_date), key=lambda each: each.kind == "year")
        )

    @cached_property
    def dividing(self) -> tuple[CatalogField, ...]:
        """The fields that are not the same in all documents: no other can be asked for in other words than its own."""
        return tuple(
            each
            for each in self.fields.values()
            if len(each.counts) > 1 or max(each.counts.values()) < self.n_documents
        )


def title_of(chunk: Chunk) -> str:
    """What the chunk's document is called: its first heading; a title in the metadata is often its whole book's."""
    return chunk.heading_path[0] if chunk.heading_path else str(chunk.metadata.get("title") or chunk.document)


def _nouns(documents: Sequence[Described], everywhere: Counter[str]) -> frozenset[str]:
    starts = Counter(
        match[0].lower() for each in documents if (match := re.match(r"[^\W\d_]{2,}(?=[-_ ]?\d)", each.name))
    )
    called = {word for word, count in starts.items() if count > len(documents) / 2}
    titled = {
        word for word, count in everywhere.items() if len(documents) > _LEAST and count >= _TITLED * len(documents)
    }
    return (
        DOCUMENTS
        | {key for word in called for key in keys(word)}
        | {word for word in titled if len(word) > 3 and word not in _LINKS}
    )


def _shared_heads(fields: Mapping[str, CatalogField]) -> set[str]:
    """The last word of several values of a field: `Cruise Ship` and `Container Ship` are ships."""
    ends = Counter(
        (name, words[-1])
        for name, field in fields.items()
        if field.kind == "text" and not field.listed
        for words in map(keys, map(str, field.counts))
        if len(words) > 1
    )
    return {word for (_, word), count in ends.items() if count > 1 and word.isalpha() and len(word) > 3}


def _typical(titles: Sequence[frozenset[str]], everywhere: Counter[str], n_documents: int) -> frozenset[str]:
    here = Counter(word for each in titles for word in each)
    return frozenset(
        word
        for word, count in here.items()
        if count >= _LEAST
        and count >= _TYPICAL * len(titles)
        and count / len(titles) >= _LIFT * everywhere[word] / n_documents
        and word.isalpha()
    )


def version_key(text: str) -> tuple[int, ...]:
    """By which versions are in order: 3.9 before 3.10."""
    return tuple(int(part) for part in re.findall(r"\d+", text))


def _ordered(
    versions: CatalogField, fields: Mapping[str, CatalogField], documents: Sequence[Described]
) -> CatalogField:
    """A field of versions with the number field that rises with a document's lowest version, where there is one."""
    for other in fields.values():
        if other.kind not in ("number", "identity"):
            continue
        orders: dict[str, set[float]] = defaultdict(set)
        strays = 0
        for document in documents:
            value, number = document.metadata.get(versions.name), document.metadata.get(other.name)
            several = value if isinstance(value, tuple | list) else (value,) if value is not None else ()
            if not several or number is None:
                strays += bool(several) != (number is not None)
                continue
            orders[min(map(str, several), key=version_key)].add(float(number))  # type: ignore[arg-type]
        rising = [next(iter(orders[each])) for each in sorted(orders, key=version_key) if len(orders[each]) == 1]
        if len(orders) < _LEAST or len(rising) < len(orders) or strays > _STRAYS * len(documents):
            continue
        if all(low <= high for low, high in pairwise(rising)):
            numbers = {each: next(iter(values)) for each, values in orders.items()}
            return CatalogField(versions.name, versions.kind, versions.listed, versions.counts, other.name, numbers)
    return versions
