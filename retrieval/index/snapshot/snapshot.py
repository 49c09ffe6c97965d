"""A snapshot: everything that a search needs, under one id, complete before it is read.

::

    <home>/snapshots/<id>/manifest.json            written last; without it the folder is not a snapshot
                          chunks.jsonl             records, in the order of their ids
                          chunk_{ends,ids}.npy     offsets of the records, and their ids
                          vectors.npy              (n, dimensions) float32
                          regions/                 vectors of a large library by region of their space
                          lexical/                 BM25 over search_text
                          evidence/                the names of chunks, and the table of each
                          fields/                  the words of every field, in their order
                          figures/                 the numbers of cells, columns and headings
                          spelling/                the library's words as they are written
                          columns/, words/         vectors of the column names, and of the words
                          tables/                  the topic of each table and passage: its words and a vector
                          graph/                   links from a chunk to others
                          metadata/                values by key, for a caller's filter
                          predicates/              compiled query_must and names, and their vocabulary
                          rivals/                  keyed tables, each once, whose rows a question may exclude
"""

from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError, IndexMissingError, NothingLiveError, VectorDBUnavailableError
from retrieval.files.array_folder import load_arrays
from retrieval.files.arrays import load_array
from retrieval.index.graph import Graph
from retrieval.index.regions import Regions
from retrieval.index.snapshot.building import Progress, build_snapshot
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.live import ReadHold, live_id, snapshot_folder
from retrieval.index.snapshot.manifest import Manifest, is_whole
from retrieval.index.snapshot.metadata_index import MetadataIndex
from retrieval.index.spelling import Spelling, is_english, spelling_of
from retrieval.index.words.compounds import Compounds, Naming
from retrieval.index.words.field_index import FieldIndex
from retrieval.index.words.figure_index import FigureIndex
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.index.words.table_texts import TableTexts
from retrieval.index.words.value_index import ChunkTables
from retrieval.index.words.word_vectors import ColumnIndex, WordVectors
from retrieval.language.canonical import Canonical, canonical
from retrieval.language.terms import question_tokenizer, stop_words, tokenizer
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.compiled.sibling_index import SiblingIndex
from retrieval.types import Chunk, Vector


def require_counts(snapshot: "Snapshot") -> None:
    """Compare the sizes of a snapshot's parts with its manifest, without parsing them.

    Raises:
        IndexCorruptError: two of them disagree, or a file cannot be read.
    """
    manifest = snapshot.manifest
    counts = {
        "chunks": (len(snapshot.chunks), manifest.n_chunks),
        "vectors": (len(snapshot.vectors), manifest.n_chunks),
        "dimensions": (snapshot.vectors.shape[-1], manifest.embedder.dimensions),
        "documents of the lexical index": (snapshot.lexical.n_documents, manifest.n_chunks),
        "nodes of the graph": (snapshot.graph.n_nodes, manifest.n_nodes),
        "edges of the graph": (snapshot.graph.n_edges, manifest.n_edges),
        "chunks in the graph": (snapshot.graph.n_chunks, manifest.n_chunks),
        "chunks, open and guarded": (manifest.n_open + manifest.n_guarded, manifest.n_chunks),
    }
    for name, (present, expected) in counts.items():
        if present != expected:
            raise IndexCorruptError(
                f"snapshot {manifest.id} has {present} {name}, its manifest says {expected}; build the index again"
            )


__all__ = ["Progress", "Snapshot", "build_snapshot", "open_snapshot"]


class Snapshot:
    """Lazy access to one snapshot: a search reads only what it uses.

    A chunk's position is its place in the order of ids, so positions break ties as ids would."""

    def __init__(self, folder: Path, manifest: Manifest, hold: ReadHold | None = None) -> None:
        self.folder, self.manifest, self._hold = folder, manifest, hold

    @property
    def id(self) -> str:
        """Hash of the snapshot's contents."""
        return self.manifest.id

    def __len__(self) -> int:
        return self.manifest.n_chunks

    @cached_property
    def chunks(self) -> ChunkFile:
        """Chunks by position."""
        return ChunkFile.load(self.folder)

    @cached_property
    def vectors(self) -> Vector:
        """(n, dimensions), memory-mapped, aligned with the positions."""
        return load_array(self.folder / "vectors.npy", np.float32)

    @cached_property
    def regions(self) -> Regions:
        """The vectors of a large library by region of their space."""
        return load_arrays(self.folder / "regions", Regions)

    @cached_property
    def lexical(self) -> LexicalIndex:
        """BM25 over `search_text`."""
        words, how = self.vocabulary, self.manifest.tokenization
        cut, ask, stops = tokenizer(words, how), question_tokenizer(words, how), stop_words(words, how)
        index = LexicalIndex.load(self.folder / "lexical", cut, ask)
        return replace(index, put=Compounds(index.words, cut, stops, self._naming, is_english))

    def _naming(self) -> Naming:
        return Naming(self.fields, self.chunk_tables.values, self.chunk_tables.of)

    @cached_property
    def spelling(self) -> Spelling:
        """Spelling correction for questions."""
        texts = self.chunks
        return spelling_of(self.lexical, self.folder / "spelling", lambda position: texts[position].search_text)

    @cached_property
    def chunk_tables(self) -> ChunkTables:
        """The table or passage of each chunk, and the names of its chunks."""
        return load_arrays(self.folder / "evidence", ChunkTables)

    @cached_property
    def fields(self) -> FieldIndex:
        """The words of every field."""
        return load_arrays(self.folder / "fields", FieldIndex)

    @cached_property
    def figures(self) -> FigureIndex:
        """The quantities of cells, columns and headings."""
        return load_arrays(self.folder / "figures", FigureIndex)

    @cached_property
    def columns(self) -> ColumnIndex:
        """Vectors of column names."""
        return load_arrays(self.folder / "columns", ColumnIndex)

    @cached_property
    def tables(self) -> TableTexts:
        """The topic of each table and passage."""
        words, how = self.vocabulary, self.manifest.tokenization
        return TableTexts.load(self.folder / "tables", tokenizer(words, how), question_tokenizer(words, how))

    @cached_property
    def words(self) -> WordVectors:
        """Vectors of single words."""
        return load_arrays(self.folder / "words", WordVectors)

    @cached_property
    def rarity(self) -> npt.NDArray[np.float64]:
        """Weight of every word of the lexical index, (terms + 1,); the last is for words that it does not have."""
        return load_array(self.folder / "rarity.npy", np.float64)

    @cached_property
    def graph(self) -> Graph:
        """Nodes and edges; the first nodes are the positions."""
        return load_arrays(self.folder / "graph", Graph)

    @cached_property
    def metadata(self) -> MetadataIndex:
        """Values by key, for a caller's filter."""
        return MetadataIndex.load(self.folder / "metadata")

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of this snapshot's predicates and questions."""
        return self.predicates.vocabulary

    @cached_property
    def predicates(self) -> CompiledPredicates:
        """Compiled query_must and names, aligned with the positions."""
        return CompiledPredicates.load(self.folder / "predicates")

    @cached_property
    def rivals(self) -> SiblingIndex:
        """The keyed tables, some of whose rows a question excludes by naming others."""
        return load_arrays(self.folder / "rivals", SiblingIndex)

    def document_of(self, chunk: Chunk) -> list[Chunk]:
        """Return the chunks of a chunk's document, in reading order."""
        same = [self.metadata.mask(key, "eq", getattr(chunk, key)) for key in ("book", "document")]
        chunks = [self.chunks[int(position)] for position in np.flatnonzero(np.logical_and.reduce(same))]
        return sorted(chunks, key=lambda chunk: chunk.position)

    def canonical_of(self, question: str) -> Canonical:
        """Return a question in canonical form, with the rows that it excludes."""
        return self.rivals.with_rivals(canonical(self.spelling(question), self.vocabulary))

    def faults(self) -> tuple[str, ...]:
        """Return a sentence for every file that is not byte for byte as the build left it."""
        return tuple(self.manifest.disagreements(self.folder, hashes=True))

    def close(self) -> None:
        """Release the snapshot, which may be removed from now on."""
        if self._hold:
            self._hold.let_go()

    def __enter__(self) -> "Snapshot":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_snapshot(home: Path, id: str = "live", *, hashes: bool = True) -> Snapshot:  # noqa: A002
    """Open a snapshot without parsing it.

    Args:
        home: the home folder.
        id: a snapshot's id, or `live`.
        hashes: whether to compare the hash of every file (about 1.5 GB a second) instead of only its size.

    Raises:
        IndexMissingError: there is no live snapshot, or none with that id.
        IndexCorruptError: counts, hashes, schema version or the folder's name disagree, or the live pointer is damaged.
    """
    if id != "live":
        return _opened(home, id, hashes=hashes)
    snapshot_id = live_id(home)
    while snapshot_id is not None:
        try:
            return _opened(home, snapshot_id, hashes=hashes)
        except (VectorDBUnavailableError, OSError):
            # A snapshot that is no longer live may be removed while it is being opened.
            before, snapshot_id = snapshot_id, live_id(home)
            if snapshot_id == before:
                raise
    raise NothingLiveError.of(home)


def _opened(home: Path, snapshot_id: str, *, hashes: bool) -> Snapshot:
    folder = snapshot_folder(home, snapshot_id)
    if not folder.is_dir():
        raise IndexMissingError(f"{home} has no snapshot {snapshot_id!r}; build it first")
    hold = ReadHold.of(folder)
    manifest = Manifest.read(folder)
    for sentence in manifest.disagreements(folder, hashes=hashes):
        raise IndexCorruptError(f"snapshot {snapshot_id} in {home}: {sentence}; build the index again")
    snapshot = Snapshot(folder, manifest, hold)
    require_counts(snapshot)
    return snapshot


def is_as_built(home: Path, snapshot_id: str) -> bool:
    """Whether every file of a snapshot is byte for byte as the build left it."""
    return is_whole(snapshot_folder(home, snapshot_id))
