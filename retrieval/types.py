"""The records that modules exchange: frozen, typed, without classes of any library. Each with its key::

Document  (book, path)          one markdown file, its text and metadata
Row       (table id, ordinal)   one row as a self-describing JSON object
Chunk     (id)                  what is embedded, indexed and returned
Hit       (chunk id)            a chunk with its place in a ranking
Retrieval (query, strategy)     hits and the receipt that explains them
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Decision:
    """Why one examined chunk was kept or excluded."""

    chunk_id: str
    title: str
    kept: bool
    reason: str
    """`no restrictions`, `satisfies query_must`, `filter is off`, or what failed, as in `query_must.explain`."""
    in_words: str = field(default="", kw_only=True)
    """The same as a sentence for a person, if it is excluded: what it is about, and what the question names instead."""
    round: int = 1
    """The round of the `iterative` mode; 1 elsewhere."""
    collection: str | None = None
    """The foreign collection that it is from; None if it is from our own index."""


StopReason = Literal["Target k reached", "No exclusions, stopping", "No more results", "Iteration limit reached"]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One round: a query to the collections, and the filter on their answers. Key: number."""

    number: int
    """1-based."""
    looked_at: int
    """Chunks that it returned, none seen before; 0 in a last round that found nothing left."""
    excluded: int
    """The number of them that a predicate excluded."""
    milliseconds: float
    """Wall time of the round, including its filter."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """One attempt by a model to order the first hits."""

    model: str
    looked_at: int
    """The number of first hits that it was shown."""
    left: str = ""
    """Why the hits were not moved, as a clause; empty if the order is the model's."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """As counted by the server; 0 for a model that runs here."""
    usd: float | None = 0.0
    """Cost of the tokens; None: the price is unknown."""
    milliseconds: float = 0.0
    """Wall time of the attempt, which is included in that of the receipt."""

    def __str__(self) -> str:
        """Return all of it on one line."""
        usd = "" if self.usd is None else f", ${self.usd:.4f}"
        tokens = f", {self.prompt_tokens + self.completion_tokens:,} tokens{usd}" if self.prompt_tokens else ""
        done = f"{self.model} ordered the first {self.looked_at}"
        outcome = f"{self.model} did not order the first {self.looked_at}: {self.left}" if self.left else done
        return f"{outcome} ({self.milliseconds:.0f} ms{tokens})"


_Said = TypeVar("_Said")
_PLAIN = str.maketrans("‘’‚“”„−–—‑", "'''\"\"\"----")
_AT_THE_END = " .:*†‡§"
_NUMBERED = re.compile(r"\s*table(?:\s+[\w.-]*\d[\w.-]*)?\s*[:.—–]\s*(?=\S)", re.IGNORECASE)

EVERY = "*"
"""The row key that means all rows."""
KEY = "{key}"
"""The placeholder for the row's key in a name for every row."""


def normal(text: str) -> str:
    """Return a heading, caption, column or row key for comparison: case, spaces, the kind of quotes and dashes, and
    marks at its ends are ignored. Words are not: `Weapon` is not `Weapons`."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold().split()).strip(_AT_THE_END)


@dataclass(frozen=True, slots=True)
class Find:
    """Selects the tables that an entry applies to: those for which all given values match, exactly except for
    `normal`."""

    heading: str | None = None
    """The nearest heading above the table."""
    caption: str | None = None
    """As in the book, not as set by another key of the entry; `Table 3:` before it may be omitted."""
    head: str | None = None
    """The first cell of the head."""
    document: str | None = None
    """Path of the file in the book's folder."""

    def holds(self, table: "Find") -> bool:
        """Whether a table with these values is selected."""
        there = table.given
        return all(
            normal(wanted) in (normal(there[name]), normal(_NUMBERED.sub("", there[name], count=1)))
            if name == "caption"
            else normal(wanted) == normal(there[name])
            for name, wanted in self.given.items()
        )

    def __str__(self) -> str:
        return ", ".join(f"{name} {value!r}" for name, value in self.given.items())

    @property
    def given(self) -> Mapping[str, str]:
        """The given values, by name."""
        named = {"heading": self.heading, "caption": self.caption, "head": self.head, "document": self.document}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class TableRule:
    """One entry of a table file. Key: (book, entry)."""

    entry: int
    """Its position in the file, from 1."""
    find: Find
    caption: str | None = None
    """A caption for the table that replaces its own."""
    key: str | None = None
    """Head of the key column."""
    subject: tuple[str, ...] = ()
    """The subject of the table, in words that questions use."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Additional names of rows, by row key; under `EVERY` those of all rows, containing `KEY`."""
    query_must: str | None = None
    """JSON: the predicate of every row."""
    row_query_must: Mapping[str, str] = field(default_factory=dict)
    """JSON by row key: the predicate of one row."""
    open: bool = False
    """Whether no row has a predicate."""

    def __str__(self) -> str:
        return f"entry {self.entry} ({self.find})"

    def key_column(self, columns: Sequence[str]) -> int | None:
        """Return the index of the column that the entry names; None if it names none, or none of these."""
        heads = [normal(column) for column in columns]
        return heads.index(normal(self.key)) if self.key is not None and normal(self.key) in heads else None

    def names_of(self, key: str) -> tuple[str, ...]:
        """Return the additional names of the row with this key."""
        every = (name.replace(KEY, key.strip(_AT_THE_END)) for name in self.names.get(EVERY, ()))
        return (*(said_of(self.names, key) or ()), *every)

    def predicate_of(self, key: str) -> str | None:
        """Return the predicate of the row with this key: its own, or that of every row."""
        return said_of(self.row_query_must, key) or self.query_must


def said_of(values: Mapping[str, _Said], key: str) -> _Said | None:
    """Return the value for a row key."""
    return next((value for name, value in values.items() if name != EVERY and normal(name) == normal(key)), None)


Vector = npt.NDArray[np.float32]
"""One vector (dimensions,) or a matrix (n, dimensions), L2-normalised float32."""

Section = tuple[str, ...]
MetadataValue = str | int | float | bool | tuple[str, ...]
Metadata = Mapping[str, MetadataValue]

TABLE_SUBJECT = "table_subject"
"""Metadata key of rows: the subject of their table, if the book's owner sets it."""

ChunkKind = Literal["row", "record", "prose"]


@dataclass(frozen=True, slots=True)
class Document:
    """One source file of a book. Key: (book, path)."""

    book: str
    """Slug of the book; also the partition key."""
    path: str
    """POSIX path inside the book's folder."""
    text: str
    """Markdown after the front matter, with `\\n` line ends."""
    metadata: Metadata = field(default_factory=dict)
    """Effective metadata: defaults, then book.toml, then front matter."""
    first_line: int = 1
    """1-based line of the file at which `text` begins."""


@dataclass(frozen=True, slots=True)
class Book:
    """A folder of documents. Key: slug."""

    slug: str
    title: str
    documents: tuple[Document, ...]
    ignored: tuple[str, ...] = ()
    """Files of the folder that are not markdown, in name order."""
    warnings: tuple[str, ...] = ()
    table_rules: tuple[TableRule, ...] = ()
    fault: str = ""
    """Why the book cannot be read now; its documents are then those that were read last, or none."""


@dataclass(frozen=True, slots=True)
class Row:
    """One table row as a self-describing JSON object. Key: (table_id, ordinal)."""

    table_id: str
    ordinal: int
    key: str
    """The literal cell that is the row's key; for a record, its title."""
    content: str
    """JSON object text: title, description, values, and `query_must` until it is extracted."""
    names: tuple[str, ...] = ()
    """Names that a question may use for this row. A row that a question names is kept; its siblings may be excluded."""
    query_must: str | None = None
    """The predicate as JSON, once it is extracted from `content`."""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    """Cell texts as written, aligned with `columns`."""
    lines: tuple[int, int] = (0, 0)
    source: str = ""
    kind: ChunkKind = "row"
    label: str | None = None
    """The label row above it ("Simple weapons"), if any."""
    notes: tuple[str, ...] = ()
    """The notes below the table to which marks in its cells refer."""
    called: str = ""
    """The key in a person's words: `Armor Class 6` for `6`, but `Longsword`."""
    searched_as: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    """What the codes in its key mean."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit that is embedded, indexed and returned. Key: id (UUIDv5 of its content)."""

    id: str
    book: str
    document: str
    kind: ChunkKind
    text: str
    """The text for a reader or a model: prose, or a row's JSON object."""
    search_text: str
    """The text that the lexical leg indexes: heading path, caption, column names and cells, or prose with its
    headings."""
    source: str
    """The literal lines; gold anchors are searched for here."""
    lines: tuple[int, int]
    heading_path: tuple[str, ...]
    position: int = 0
    """0-based position in the document, in reading order."""
    caption: str | None = None
    introduced: bool = False
    """Whether the caption is a sentence that introduces the table, instead of a title."""
    row_key: str | None = None
    """The literal cell that is the row's key; `called` may include its column too."""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    table_id: str | None = None
    signature: str | None = None
    """Header signature: tables with the same signature are twins."""
    query_must: str | None = None
    """JSON predicate about the question; None always passes."""
    names: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    called: str | None = None
    searched_as: tuple[str, ...] = ()
    """Additional terms by which its table is found, and that predicates do not use: the names of rows that refer to it,
    and if its headings occur in several documents, the words that identify its own."""
    meanings: tuple[str, ...] = ()
    """What the codes in its key mean, as another table or the prose of the book defines them; predicates do not use
    them."""
    qualifier: str = ""
    """An outer heading, the document or the sentence that introduces the table, if a row of another table would
    otherwise have the same title."""

    @property
    def section(self) -> Section:
        """Book, document and headings, outermost first."""
        return self.book, self.document, *self.heading_path

    @property
    def title(self) -> str:
        """Last heading, caption and name of the row, each once: a person's name for this chunk.

        `Fighter > Attacks - Level 3` if the book has another `Attacks - Level 3`.
        """
        subject = self.heading_path[-1] if self.heading_path else self.document
        if self.qualifier:
            # A document without headings may be distinguished by its path, which is not repeated.
            is_path = not self.heading_path and subject.startswith(self.qualifier)
            subject = self.qualifier if is_path else f"{self.qualifier} > {subject}"
        caption = None if self.introduced else self.caption
        parts = (subject, caption, self.called or self.row_key)
        return " - ".join(dict.fromkeys(part for part in parts if part))

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of its table whose marks are in the row's cells."""
        content = json.loads(self.text) if self.cells and self.text.startswith("{") else {}
        filled = {column.rstrip(": ") for column, cell in zip(self.columns, self.cells, strict=False) if cell.strip()}
        notes = content.get("notes (2)" if "notes" in filled else "notes", [])
        return tuple(map(str, notes)) if isinstance(notes, list) else (str(notes),)


@dataclass(frozen=True, slots=True)
class Stage:
    """A named step of one retrieval and its wall time in milliseconds."""

    name: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Addend:
    """The contribution of one part to a score: value times weight. The addends of a hit sum to its score."""

    name: str
    value: float
    """The value in the sum: scaled if legs are fused. The measured value is in `evidence`."""
    weight: float

    @property
    def contribution(self) -> float:
        """In the unit of the score."""
        return self.value * self.weight


@dataclass(frozen=True, slots=True)
class Receipt:
    """A record of one retrieval."""

    canonical: str
    """The question's canonical form, which the predicates are evaluated on."""
    decisions: tuple[Decision, ...] = ()
    rounds: int = 1
    excluded: int | None = 0
    """Chunks that a predicate excluded from the first k or from the rounds. None: not counted (`prefilter`, no
    `debug`)."""
    stages: tuple[Stage, ...] = ()
    iterations: tuple[Iteration, ...] = ()
    """The rounds of `iterative`; empty elsewhere. One more than `rounds` if the last found nothing."""
    stopped: StopReason | None = None
    """Why the rounds ended; None if there are none."""
    milliseconds: float = 0.0
    """Wall time of the whole retrieval, including time outside of stages."""
    ordering: Ordering | None = None
    """The attempt of a model to order the first hits, if the strategy uses one."""
    read_as: str | None = None
    """The question as it was read, if misspelt or shortened words were replaced by words of the library, or if it was
    cut, with `…`, because it had more numbers or words than are read; None: as it was asked."""


RELEVANCE = "relevance"
"""Key of a hit's calibrated relevance in its evidence."""
ROWS_BEHIND = "rows_behind"
"""Key of the number of rows of its table that were moved behind all other results because a hit outdoes them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk at a position of a ranking, from 1. Rankings are total orders: score descending, then chunk id."""

    chunk: Chunk
    score: float
    rank: int
    evidence: Mapping[str, float] = field(default_factory=dict)
    """Measured values by name: `lexical` (BM25), `dense` (cosine), `column`, ...; neither scaled nor weighted."""
    addends: tuple[Addend, ...] = ()
    """The addends of the score."""

    @property
    def relevance(self) -> float | None:
        """The calibrated relevance, 0 to 1; None if it was not measured. `score` only ranks, and has no bounds."""
        return self.evidence.get(RELEVANCE)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The answer to one question: at most k hits, and the receipt."""

    query: str
    strategy: str
    hits: tuple[Hit, ...]
    receipt: Receipt

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """Ids in rank order."""
        return tuple(hit.chunk.id for hit in self.hits)


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """The model that made a vector; part of every snapshot's manifest. Vectors of two identities are never mixed."""

    name: str
    version: str
    dimensions: int


class Embedder(Protocol):
    """Text in, L2-normalised float32 vectors out."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Name, version and dimensions of the model."""

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return the vectors of texts to be searched, (len(texts), dimensions)."""

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question, (dimensions,); many models read questions and texts differently."""
