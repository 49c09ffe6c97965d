"""The fields of an index and their actual values, with which a question can be compared."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.ingest.enrichment import ENRICHED
from retrieval.language.english import word_sets
from retrieval.language.numbers.quantity import measure
from retrieval.types import Chunk, Metadata
from retrieval.understand.catalog.words import DOCUMENTS, keys, own_nouns, spelled_out

Kind = Literal["text", "person", "code", "free", "number", "identity", "year", "version", "date", "epoch", "flag"]
"""`text` is one of a few values, `code` letters and digits as in KX-204, `free` is prose or an address, `identity` a
number that no two documents share, `epoch` a date as seconds since 1970."""

_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")
_VERSION = re.compile(r"v?\d+(\.\d+)*")
_CODE = re.compile(r"[^\W\d_]{1,6}[-_ /.]?\d+(?:[-_ /.]?\w+)?")
_INITIALS = re.compile(r"(?<=[^\W\d_a-z]\.)(?=[^\W\d_])")
_PERSON = re.compile(
    r"[^\W\d_a-z][\w.'’-]*"
    r"(?: (?:(?:de|del|der|den|di|da|dos|du|la|le|van|von|ter|bin|ibn|al|el) )*[^\W\d_a-z][\w.'’-]*)+"
)
_NAMES = word_sets("fields")
_DATE_WORDS, _PEOPLE, _THINGS = _NAMES["dates"], _NAMES["people"], _NAMES["things"]
_DOERS = ("or", "er", "ee", "ist", "by", "ian", "ant", "yst")
"""Endings of fields that contain people by role: director, trainee, approved_by, technician, analyst."""
_MANY = 20
_UNLIKE = 0.7
"""If more than this share of documents have a value of their own, the values are not classes."""
_MOSTLY = 0.9
_PARTLY = 0.5
_SEVERAL, _ALIKE = 8, 0.3
_FREE_WORDS = 4
"""Values with more words than this, on average, are prose."""
_SPREAD = 20
"""The largest average distance of numbers that identify documents; numbers further apart are measures."""
_OLD, _NEW = 1400, 2100
"""Whole numbers that are all between these are years, whatever the name of the field."""
_SECONDS, _MILLISECONDS = 1e8, 1e11
"""Numbers above these are dates since 1973, as seconds or milliseconds since 1970."""


@dataclass(frozen=True, slots=True, eq=False)
class CatalogField:
    """A metadata key and its values. Key: name."""

    name: str
    kind: Kind
    listed: bool
    """Whether documents have lists of these values."""
    counts: Mapping[Scalar, int]
    """Number of documents with each value."""
    ordered_by: str | None = None
    """For versions: the number field that increases with the lowest version of a document."""
    orders: Mapping[str, float] = field(default_factory=dict)
    """For such versions: the number of each."""
    spelled_out: Mapping[str, str] = field(default_factory=dict)
    """For codes of countries, languages and currencies: the name of each."""

    def written(self, value: Scalar) -> str:
        """Return a value in words: `Poland` for PL if all values are such codes."""
        return spaced(self.spelled_out.get(str(value), str(value)))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name."""
        return _words_of(self.name)

    @property
    def is_date(self) -> bool:
        """Whether it can be compared with times."""
        return self.kind in ("date", "epoch", "year")

    def reaches_past(self, day: date) -> bool:
        """Whether a document has a later date."""
        return self._latest > self._in_order(self.stored(day, is_end=True))

    def reaches(self, start: date | None, end: date | None) -> bool:
        """Whether the dates of the documents overlap a time; None: it has no bound."""
        if start and self._in_order(self.stored(start, is_end=False)) > self._latest:
            return False
        earliest = min(map(self._in_order, self.counts))
        return not (end and self._in_order(self.stored(end, is_end=True)) < earliest)

    @property
    def _latest(self) -> tuple[float, str]:
        return max(map(self._in_order, self.counts))

    def _in_order(self, value: Scalar) -> tuple[float, str]:
        """Return a date as a value that orders like time: seconds before 2001-09-09 have a digit less than later
        ones."""
        return (0.0, str(value)) if self.kind == "date" else (float(value), "")

    def stored(self, day: date, *, is_end: bool) -> Scalar:
        """Return a day as stored in the field: its beginning, or its last moment."""
        if self.kind == "year":
            return day.year
        if self.kind == "epoch":
            scale = 1000 if min(map(float, self.counts)) > _MILLISECONDS else 1
            start = datetime(day.year, day.month, day.day, tzinfo=UTC)
            return int((start + timedelta(days=is_end)).timestamp()) * scale - is_end
        has_times = any(len(str(value)) > len("2000-01-01") for value in self.counts)
        return f"{day.isoformat()}T23:59:59.999999Z" if is_end and has_times else day.isoformat()


@lru_cache(maxsize=1 << 12)
def _words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name; cached, because every question is compared with every field many times."""
    return keys(spaced(name))


def spaced(name: str) -> str:
    """Return a field's name as words: `start date` for start_date, start-date and startDate."""
    return _HUMP.sub(" ", name).replace("_", " ").replace("-", " ")


def kind_of(name: str, values: Collection[Scalar], n_documents: int, *, listed: bool) -> Kind:
    """Return the kind of a field with these distinct values, which `n_documents` documents have."""
    if all(isinstance(value, bool) for value in values):
        return "flag"
    if all(isinstance(value, int | float) for value in values):
        return _kind_of_numbers(name, [float(value) for value in values], n_documents)
    texts = [str(value) for value in values]
    kinds: tuple[tuple[Kind, bool], ...] = (
        ("date", all(_DATE.fullmatch(text) for text in texts)),
        ("version", _share(texts, _VERSION) >= _MOSTLY and any("." in text for text in texts)),
        ("code", _share(texts, _CODE) >= _MOSTLY),
        ("free", sum(len(keys(text)) for text in texts) > _FREE_WORDS * len(texts)),
        ("person", _are_people(name, texts)),
        ("free", not listed and len(texts) > _MANY and len(texts) > _UNLIKE * n_documents),
    )
    return next((kind for kind, holds in kinds if holds), "text")


def is_person(field: CatalogField, value: str) -> bool:
    """Whether a value is a person's name whose parts can be used alone; `The Core Team` is not."""
    written = value if "," not in value else " ".join(reversed([part.strip() for part in value.split(",")]))
    return field.kind == "person" and _is_name(written) and not written.startswith(("The ", "A "))


def _is_name(text: str) -> bool:
    """Whether a text is two or more capitalised words; `G.T.Seaborg` is three."""
    return bool(_PERSON.fullmatch(_INITIALS.sub(" ", text)))


def _are_people(name: str, texts: Collection[str]) -> bool:
    """Whether values are names of people: by the field's name, or if there are many and nearly all are two or three
    capitalised words."""
    if _PEOPLE & set(keys(spaced(name))):
        return all(text[:1].isupper() for text in texts)
    named = [text for text in texts if _is_name(text) and len(text.split()) <= 4]
    last = spaced(name).lower().strip().rpartition(" ")[2].removesuffix("s")
    if last.endswith(_DOERS) and last not in _THINGS:
        return len(named) >= _PARTLY * len(texts)  # a maker may be a firm
    if len(texts) < _SEVERAL or len(named) < _MOSTLY * len(texts):
        return False
    # `Labour Court` and `District Court` are two capitalised words as well, and end alike.
    return max(Counter(text.split()[-1] for text in named).values()) <= _ALIKE * len(texts)


def _kind_of_numbers(name: str, values: Collection[float], n_documents: int) -> Kind:
    whole = all(value.is_integer() for value in values)
    terms = set(keys(spaced(name)))
    if whole and terms & (_DATE_WORDS | {"year"}) and all(1000 <= value <= 2999 for value in values):
        return "year"
    years = whole and len(values) > _SEVERAL and all(_OLD <= value <= _NEW for value in values)
    if years and not any(measure(word) for word in terms):
        return "year"
    if whole and terms & _DATE_WORDS and min(values) > _SECONDS:
        return "epoch"
    if whole and n_documents > 2 and len(values) == n_documents and max(values) - min(values) < _SPREAD * n_documents:
        return "identity"
    return "number"


def _share(texts: Collection[str], pattern: re.Pattern[str]) -> float:
    return sum(bool(pattern.fullmatch(text)) for text in texts) / len(texts) if texts else 0.0


def plain(number: float) -> int | float:
    """Return a whole number as an int."""
    return int(number) if float(number).is_integer() else number


OWN = ("book", "document", "kind", "title")
"""Keys of every index that identify where a chunk is from."""
_LINKS = frozenset({"with", "from", "that", "this", "into", "over", "about", "between"})
_TITLED = 0.25
"""A word in at least this share of all titles is a name for the documents."""
_TYPICAL, _LIFT, _LEAST = 0.5, 3.0, 3
"""A word in this share of the titles under a value, this many times more often than in all titles, and in at least this
many of them, goes with the value: releases have schedules."""
_STRAYS = 0.02
"""Share of documents that may have a version without a number, or a number without a version."""


@dataclass(frozen=True, slots=True)
class CatalogDocument:
    """A document as the catalogue uses it."""

    name: str
    title: str
    metadata: Metadata

    @classmethod
    def of(cls, name: str, title: str, metadata: Metadata) -> "CatalogDocument":
        """Return a document by the metadata of one of its chunks."""
        return cls(name, title, {key: value for key, value in metadata.items() if key not in ENRICHED})


@dataclass(frozen=True, eq=False)
class Catalog:
    """The fields of an index by name, the names for its documents, and the words that go with a value."""

    fields: Mapping[str, CatalogField]
    nouns: frozenset[str]
    """Keys of words for a document: `document`, `proposal`, and others that the library uses."""
    companions: Mapping[tuple[str, Scalar], frozenset[str]]
    """Keys of words that the titles of its documents share, by field and value."""
    n_documents: int
    says: Callable[[str], bool] = lambda _: True
    """Whether a document contains a word; a word that none contains cannot be a topic. Without texts, every word may be
    one."""

    @classmethod
    def of(
        cls, documents: Sequence[CatalogDocument], books: Collection[str] = (), texts: Sequence[str] = ()
    ) -> "Catalog":
        """Return the catalogue of documents, with the names of their books and the nouns that some texts use for
        them."""
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
        fields |= {
            name: _ordered(field, fields, documents) for name, field in fields.items() if field.kind == "version"
        }
        terms = [frozenset(keys(document.title)) for document in documents]
        everywhere = Counter(word for term in terms for word in term)
        return cls(
            fields,
            _nouns(documents, everywhere)
            | _shared_heads(fields)
            | own_nouns(texts)
            | {key for book in books for key in keys(book) if len(key) > 2},
            {
                (name, value): _typical([terms[number] for number in numbers], everywhere, len(documents))
                for name, field in fields.items()
                if field.kind == "text"
                for value, numbers in having[name].items()
            },
            len(documents),
        )

    @cached_property
    def dates(self) -> tuple[CatalogField, ...]:
        """The fields that can be compared with times; those with only a year are last."""
        return tuple(
            sorted((field for field in self.fields.values() if field.is_date), key=lambda field: field.kind == "year")
        )

    @cached_property
    def dividing(self) -> tuple[CatalogField, ...]:
        """The fields that differ between documents: all others can only be asked for by the field's name."""
        return tuple(
            field
            for field in self.fields.values()
            if len(field.counts) > 1 or max(field.counts.values()) < self.n_documents
        )


def title_of(chunk: Chunk) -> str:
    """Return the name of the chunk's document: its first heading, because a title in the metadata is often that of the
    whole book."""
    return chunk.heading_path[0] if chunk.heading_path else str(chunk.metadata.get("title") or chunk.document)


def _nouns(documents: Sequence[CatalogDocument], everywhere: Counter[str]) -> frozenset[str]:
    starts = Counter(
        match[0].lower() for document in documents if (match := re.match(r"[^\W\d_]{2,}(?=[-_ ]?\d)", document.name))
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
    """Return the last word of several values of a field: `Cruise Ship` and `Container Ship` are ships."""
    ends = Counter(
        (name, words[-1])
        for name, field in fields.items()
        if field.kind == "text" and not field.listed
        for words in map(keys, map(str, field.counts))
        if len(words) > 1
    )
    return {word for (_, word), count in ends.items() if count > 1 and word.isalpha() and len(word) > 3}


def _typical(titles: Sequence[frozenset[str]], everywhere: Counter[str], n_documents: int) -> frozenset[str]:
    here = Counter(word for title in titles for word in title)
    return frozenset(
        word
        for word, count in here.items()
        if count >= _LEAST
        and count >= _TYPICAL * len(titles)
        and count / len(titles) >= _LIFT * everywhere[word] / n_documents
        and word.isalpha()
    )


def version_key(text: str) -> tuple[int, ...]:
    """Return the sort key of a version: 3.9 is before 3.10."""
    return tuple(int(part) for part in re.findall(r"\d+", text))


def _ordered(
    versions: CatalogField, fields: Mapping[str, CatalogField], documents: Sequence[CatalogDocument]
) -> CatalogField:
    """Return a field of versions with the number field that increases with a document's lowest version, if there is
    one."""
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
        rising = [next(iter(orders[order])) for order in sorted(orders, key=version_key) if len(orders[order]) == 1]
        if len(orders) < _LEAST or len(rising) < len(orders) or strays > _STRAYS * len(documents):
            continue
        if all(low <= high for low, high in pairwise(rising)):
            numbers = {version: next(iter(values)) for version, values in orders.items()}
            return CatalogField(versions.name, versions.kind, versions.listed, versions.counts, other.name, numbers)
    return versions


EMPTY = frozenset({"is", "has", "can", "are", "ha", "be", "allowed"})
"""Words of a flag's name without a meaning of their own."""
_YES, _NO = frozenset({"yes", "y", "true"}), frozenset({"no", "n", "false"})


def yes_of(field: CatalogField) -> Scalar | None:
    """Return the value for yes in a field of yes or no; None for other fields."""
    if field.kind == "flag":
        return True
    if field.kind != "text" or not {str(value).casefold() for value in field.counts} <= _YES | _NO:
        return None
    return next((value for value in field.counts if str(value).casefold() in _YES), None)
