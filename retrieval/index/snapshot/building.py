"""A snapshot built in a temporary folder and moved into place."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.errors import EmbedderMismatchError, LibraryError
from retrieval.files.array_folder import save_arrays
from retrieval.files.arrays import save_array
from retrieval.index.graph import Graph
from retrieval.index.graph_building import build_graph, chunks_fingerprint
from retrieval.index.regions import Regions
from retrieval.index.sibling_tables import keyed_tables
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.folders import building_folder, move_into_place
from retrieval.index.snapshot.live import snapshot_folder
from retrieval.index.snapshot.manifest import Manifest, agree, is_whole
from retrieval.index.snapshot.metadata_index import MetadataIndex
from retrieval.index.spelling import WrittenWords
from retrieval.index.words.field_index import FieldIndex, rarity
from retrieval.index.words.figure_index import FigureIndex
from retrieval.index.words.lexical_index import LexicalIndex, lexical_fingerprint
from retrieval.index.words.table_texts import TableTexts
from retrieval.index.words.value_index import ChunkTables
from retrieval.index.words.word_vectors import ColumnIndex, WordVectors
from retrieval.language.canonical import as_point, canonical_term
from retrieval.language.terms import TOKENIZATION, Tokenization, Tokenize, question_tokenizer, tokenizer
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.compiled.sibling_index import SiblingIndex
from retrieval.query_must.operators import only_conditional
from retrieval.types import Chunk, EmbedderIdentity, Vector

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, the amount done, and the total."""

Guarded = npt.NDArray[np.bool_]


def build_snapshot(
    home: Path,
    chunks: Sequence[Chunk],
    vectors: Vector,
    embedder_identity: EmbedderIdentity,
    vocabulary: Vocabulary,
    *,
    tokenization: Tokenization = TOKENIZATION,
    lexical: LexicalIndex | None = None,
    graph: Graph | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Build a complete snapshot, unless it already exists, and return its manifest.

    An existing snapshot is built again if one of its files is damaged. A snapshot is built in a temporary folder
    (`snapshots/.building-*`) and moved into place at the end: a killed build leaves only that folder, which a later
    build removes after a day without writes.

    Args:
        home: the home folder; the snapshot is stored under `snapshots/`.
        chunks: in any order; ids must be distinct.
        vectors: (len(chunks), dimensions), aligned with `chunks`.
        embedder_identity: of the model that made the vectors.
        vocabulary: for predicates and questions.
        tokenization: settings of the tokenizer beyond the vocabulary.
        lexical: over the chunks' `search_text` in the order of their ids; None: it is built here.
        graph: over the chunks in the order of their ids; None: it is built here.
        progress: called as the work proceeds.

    Raises:
        LibraryError: there are no chunks, two share an id, or `lexical` or `graph` is over other chunks.
        EmbedderMismatchError: the vectors do not fit the chunks or the embedder.
    """
    _require_fitting(chunks, vectors, embedder_identity)
    tell = progress or _silent
    order = sorted(range(len(chunks)), key=lambda number: chunks[number].id)
    ordered, matrix = [chunks[position] for position in order], np.asarray(vectors, dtype=np.float32)[order]
    with building_folder(home) as building:
        tokenize = tokenizer(vocabulary, tokenization)
        guarded = _write_own_files(building, ordered, matrix, vocabulary, tokenization, lexical, tell)
        tell("graph", 0, len(ordered))
        graph = _write_graph(building, ordered, matrix, vocabulary, tokenize, graph)
        tell("manifest", 0, len(ordered))
        manifest = Manifest.of(
            building,
            n_chunks=len(ordered),
            n_guarded=int(guarded.sum()),
            n_keyed=sum(only_conditional(chunk.query_must) for chunk in ordered),
            n_tables=len({chunk.table_id for chunk in ordered if chunk.table_id}),
            n_nodes=graph.n_nodes,
            n_edges=graph.n_edges,
            embedder=embedder_identity,
            tokenization=tokenization,
        )
        final = snapshot_folder(home, manifest.id)
        if is_whole(final) and agree(building, final):
            return Manifest.read(final)
        manifest.write(building)
        move_into_place(building, final)
        return manifest


def _silent(stage: str, done: int, total: int) -> None:
    """Ignore the progress."""


def _require_fitting(chunks: Sequence[Chunk], vectors: Vector, embedder: EmbedderIdentity) -> None:
    if not chunks:
        raise LibraryError("the library has no chunks, so there is nothing to index; add a book with text")
    if vectors.shape != (len(chunks), embedder.dimensions):
        raise EmbedderMismatchError(
            f"vectors have shape {vectors.shape}, but {len(chunks)} chunks and {embedder.name} need "
            f"{(len(chunks), embedder.dimensions)}; embed again with {embedder.name}"
        )
    if not np.isfinite(vectors).all():
        raise EmbedderMismatchError("a vector is not finite; embed the library again")
    if len(ids := {chunk.id for chunk in chunks}) != len(chunks):
        raise LibraryError(f"{len(chunks)} chunks have only {len(ids)} distinct ids; chunk the library again")


def _write_own_files(
    folder: Path,
    chunks: Sequence[Chunk],
    vectors: Vector,
    vocabulary: Vocabulary,
    tokenization: Tokenization,
    lexical: LexicalIndex | None,
    tell: Progress,
) -> Guarded:
    tokenize, ask = tokenizer(vocabulary, tokenization), question_tokenizer(vocabulary, tokenization)
    ChunkFile.save(folder, chunks)
    save_array(folder / "vectors.npy", vectors)
    tell("lexical", 0, len(chunks))
    texts = [chunk.search_text for chunk in chunks]
    lexical = lexical or LexicalIndex.build(texts, tokenize)
    if lexical.fingerprint != lexical_fingerprint(texts, tokenize):
        raise LibraryError("the lexical index was built from other chunks, or with other words; build it again")
    save_arrays(folder / "lexical", lexical)
    tell("evidence", 0, len(chunks))
    numbered, worded = _split_names(chunks, vocabulary)
    chunk_tables = ChunkTables.build(chunks, worded, tokenize, ask)
    save_arrays(folder / "evidence", chunk_tables)
    save_array(folder / "rarity.npy", rarity(lexical, chunk_tables.of))
    save_arrays(folder / "fields", FieldIndex.build(chunks, chunk_tables.of, lexical.terms, tokenize))
    save_arrays(folder / "figures", FigureIndex.build(chunks, chunk_tables.of, lexical.terms, tokenize))
    save_arrays(folder / "columns", ColumnIndex.build(chunks, chunk_tables.of))
    save_arrays(folder / "tables", TableTexts.build(chunks, chunk_tables.of, tokenize))
    save_arrays(folder / "spelling", WrittenWords.build(chunks))
    save_arrays(folder / "words", WordVectors.build(texts, lexical.terms, tokenize))
    MetadataIndex.build(chunks).save(folder / "metadata")
    tell("predicates", 0, len(chunks))
    predicates = CompiledPredicates.build([chunk.query_must for chunk in chunks], numbered, vocabulary)
    predicates.save(folder / "predicates")
    keyed = keyed_tables(chunks)
    save_arrays(folder / "rivals", SiblingIndex.build(keyed.tables, keyed.positions, vocabulary))
    tell("regions", 0, len(chunks))
    guarded = np.asarray(predicates.guarded)
    save_arrays(folder / "regions", Regions.build(vectors, guarded))
    return guarded


def _write_graph(
    folder: Path,
    chunks: Sequence[Chunk],
    vectors: Vector,
    vocabulary: Vocabulary,
    tokenize: Tokenize,
    graph: Graph | None,
) -> Graph:
    graph = graph or build_graph(chunks, vectors, vocabulary, tokenize)
    if graph.fingerprint != chunks_fingerprint(chunks):
        raise LibraryError("the graph was built from other chunks, or in another order; build it again")
    save_arrays(folder / "graph", graph)
    return graph


def _split_names(
    chunks: Sequence[Chunk], vocabulary: Vocabulary
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return, by chunk, the names that are a label and a number, which the question's binding finds, and the others."""
    numbered, worded = [], []
    for chunk in chunks:
        bound = {name for name in chunk.names if as_point(canonical_term(name, vocabulary), vocabulary)}
        numbered.append(tuple(name for name in chunk.names if name in bound))
        worded.append(tuple(name for name in chunk.names if name not in bound))
    return numbered, worded
