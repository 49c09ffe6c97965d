"""The assets `lexical`, `graph` and `candidate_index`, and the gate's checks of a snapshot."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from evals.asset_options import SETTLED, with_reason
from evals.checks import JUDGED, kept
from evals.gate import SNAPSHOT_RULES, Rule, SnapshotContents
from pipeline.building.book_records import BOOK_FILE, CHUNKS_FILE, book_records, unfinished_books
from pipeline.building.library_records import LibraryRecords, made_of
from pipeline.building.materialization import content_version, held, materialized
from pipeline.defs.books import books_partitions, chunks, embeddings, predicates, table_rows
from retrieval.errors import LibraryError, NotMaterializedError
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.graph import RELATIONS, Graph
from retrieval.index.graph_building import build_graph
from retrieval.index.snapshot.live import live_id, snapshot_folder
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.index.words.lexical_index import LexicalIndex, lexical_fingerprint
from retrieval.language.terms import tokenizer
from retrieval.rag.relevance import keep_calibration
from retrieval.types import Book, Vector


def of_the_index(
    deps: Iterable[dg.AssetsDefinition | str], kind: str
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Return the decorator of an asset that is made of all books."""
    return dg.asset(
        deps=deps,
        kinds={kind},
        group_name="index",
        owners=["team:search"],
        tags={"domain": "index"},
        automation_condition=SETTLED,
    )


def book_slugs(instance: dg.DagsterInstance) -> list[str]:
    """Return the slugs of the books that are partitions.

    Raises:
        NotMaterializedError: there are none.
    """
    slugs = sorted(instance.get_dynamic_partitions(str(books_partitions.name)))
    if not slugs:
        raise NotMaterializedError(
            "no book is a partition yet; switch on the sensor new_or_changed_books, which adds the library's, "
            "or run: querymust build --library DIR"
        )
    return slugs


def library_records(instance: dg.DagsterInstance, home: Home) -> LibraryRecords:
    """Return the records of every book that is a partition.

    Raises:
        NotMaterializedError: no book is a partition, or one was never chunked, so the library is incomplete.
        LibraryError: no book has a chunk.
    """
    folders = {slug: home.book(slug) for slug in book_slugs(instance)}
    for slug, folder in folders.items():
        if not (folder / CHUNKS_FILE).is_file():
            raise NotMaterializedError.of(f"book {slug!r} has no chunks yet", "its partition")
    records = LibraryRecords.of(folders.values())
    if not records.chunks:
        books = [book for folder in folders.values() for book in read_jsonl(folder / BOOK_FILE, Book)]
        faults = "; ".join(f"{book.slug}: {book.fault or 'has no text'}" for book in books)
        raise LibraryError(f"no book of the library can be read, so there is nothing to index. {faults}")
    return records


def present_keys(instance: dg.DagsterInstance, home: Home) -> list[str]:
    """Return the vector keys of the current records of every book; a book without chunks has none yet."""
    folders = map(home.book, instance.get_dynamic_partitions(str(books_partitions.name)))
    return [key for folder in folders if (folder / CHUNKS_FILE).is_file() for key in book_records(folder).keys]


def require_finished(home: Home, slugs: Iterable[str]) -> None:
    """Require that the records of each book are of one state.

    Raises:
        NotMaterializedError: a book was read again but not indexed to the end.
    """
    if unfinished := unfinished_books(home, slugs):
        raise NotMaterializedError(
            f"{', '.join(unfinished)}: read again but not fully indexed, so the library is in two states; "
            "materialize the partition again (its last run shows what stopped it)"
        )


def lexical_of(home: Home, texts: Sequence[str]) -> LexicalIndex:
    """Return the lexical index over exactly these texts, tokenized with the home's vocabulary.

    It is found by a hash of the texts, the vocabulary and the switches of the tokenizer, not of its code.

    Raises:
        NotMaterializedError: `lexical` was last materialized over other chunks, or with another vocabulary.
    """
    tokenize = tokenizer(home.vocabulary)
    folder = home.lexical / lexical_fingerprint(texts, tokenize)
    if not folder.is_dir():
        raise NotMaterializedError.of(
            "the lexical index was built from other chunks than the library's, or with another vocabulary", "lexical"
        )
    return LexicalIndex.load(folder, tokenize)


def graph_folder(home: Home, records: LibraryRecords, vectors: Vector) -> Path:
    """Return the folder of the graph over exactly these chunks and vectors, with the library's vocabulary."""
    words = tokenizer(home.vocabulary).identity
    return home.graph / content_version([words, records.version, vectors.tobytes()])


def graph_of(home: Home, records: LibraryRecords, vectors: Vector) -> Graph:
    """Return the graph over exactly these chunks and vectors.

    Raises:
        NotMaterializedError: `graph` was last materialized over others.
    """
    folder = graph_folder(home, records, vectors)
    if not folder.is_dir():
        raise NotMaterializedError.of("the graph was built from other chunks than the library's", "graph")
    return load_arrays(folder, Graph)


@of_the_index([chunks], "scipy")
@with_reason
def lexical(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """The lexical index over every chunk of the library; its scores are Okapi BM25's."""
    texts = [chunk.search_text for chunk in library_records(context.instance, home).chunks]
    index = LexicalIndex.build(texts, tokenizer(home.vocabulary))
    shutil.rmtree(home.lexical, ignore_errors=True)
    save_arrays(home.lexical / index.fingerprint, index)
    context.log.info(f"{len(texts)} chunks, {index.n_terms} terms")
    return materialized(
        index.fingerprint,
        {
            "n_chunks": len(texts),
            "n_terms": index.n_terms,
            "n_postings": index.n_postings,
            "dagster/row_count": len(texts),
        },
    )


# The tables are in the chunks. They stand here so that a failed check on them stops the snapshot too.
@of_the_index([lexical, embeddings, "graph", chunks, table_rows, predicates], "numpy")
@with_reason
def candidate_index(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """A snapshot of the library: vectors, lexical index, graph, compiled predicates and a manifest under one id."""
    slugs, records = book_slugs(context.instance), library_records(context.instance, home)
    require_finished(home, slugs)
    library_chunks = records.chunks
    texts = [chunk.search_text for chunk in library_chunks]
    store = EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)
    vectors = store.get(records.keys)
    manifest = build_snapshot(
        home.root,
        library_chunks,
        vectors,
        store.identity,
        home.vocabulary,
        lexical=lexical_of(home, texts),
        graph=graph_of(home, records, vectors),
    )
    keep_calibration(home.root, snapshot_folder(home.root, manifest.id), store.identity.name)
    home.nominate(manifest.id)
    # Read again: a book that another process indexed meanwhile keeps its vectors.
    n_forgotten = store.prune(present_keys(context.instance, home))
    is_live = live_id(home.root) == manifest.id
    context.log.info(
        f"{manifest.id}: {len(library_chunks)} chunks of {len(slugs)} books; "
        + ("it is already live" if is_live else "not live yet: evaluation, leaderboard and live_index decide")
    )
    return materialized(
        manifest.id,
        {
            "n_chunks": len(library_chunks),
            "n_guarded": sum(chunk.query_must is not None for chunk in library_chunks),
            "n_books": len({chunk.book for chunk in library_chunks}),
            "n_tables": manifest.n_tables,
            "n_edges": manifest.n_edges,
            "n_forgotten": n_forgotten,
            "dagster/row_count": len(library_chunks),
            "is_live": int(is_live),
            "made_of": made_of(home, slugs),
            "dimensions": store.identity.dimensions,
            "embedder": store.identity.name,
            "snapshot": manifest.id,
            "dagster/uri": snapshot_folder(home.root, manifest.id).as_uri(),
        },
    )


ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN


def snapshot_check(rule: Rule[SnapshotContents]) -> dg.AssetChecksDefinition:
    """Return the check of a rule about a snapshot; it judges the candidate."""

    @dg.asset_check(
        asset=rule.asset, name=rule.name, description=rule.says, blocking=rule.blocks, automation_condition=JUDGED
    )
    @kept(rule.name)
    def check(context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
        with open_snapshot(home.root, home.candidate, hashes=False) as snapshot:
            contents = SnapshotContents(
                snapshot, lambda: frozenset(chunk.id for chunk in library_records(context.instance, home).chunks)
            )
            objections = [reason.objection for reason in rule.reasons(contents)]
            return held(
                objections, {**rule.measures(contents), "snapshot": home.candidate}, ERROR if rule.blocks else WARN
            )

    return check


snapshot_checks = [snapshot_check(rule) for rule in SNAPSHOT_RULES]
"""Dagster loads the members of a module's lists."""


@of_the_index([chunks, embeddings], "numpy")
@with_reason
def graph(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """Sections, things described and traits beside the chunks, and the edges between them."""
    records = library_records(context.instance, home)
    library_chunks = records.chunks
    store = EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)
    vectors = store.get(records.keys)
    built = build_graph(library_chunks, vectors, home.vocabulary)
    folder = graph_folder(home, records, vectors)
    shutil.rmtree(home.graph, ignore_errors=True)
    save_arrays(folder, built)
    context.log.info(f"{built.n_nodes} nodes, {built.n_edges} edges over {len(library_chunks)} chunks")
    kinds = Counter(RELATIONS[relation] for relation in built.relations[built.forward].tolist())
    return materialized(
        folder.name,
        {
            "n_chunks": len(library_chunks),
            "n_nodes": built.n_nodes,
            "n_edges": built.n_edges,
            **{f"n_{relation}": kinds[relation] for relation in RELATIONS},
        },
    )
