"""The corpora that what ships is fitted on and that benchmarks ask, each with its index, kept under the home.

::

    <home>/benchmarks/embeddings/                     vectors by (model, text hash), shared by all corpora
    <home>/benchmarks/snapshots/<id>/                 indexes
    <home>/benchmarks/built/<set>/<corpus>.json       which snapshot the corpus is in, and what it was made of
    <home>/benchmarks/evaluations/<snapshot>/...      rows of every strategy
    <home>/benchmarks/query_adapters/                 query adapters of MiniLM, each trained without some books
    <home>/benchmarks/row_readers/                    adapters of the row reader, each trained without some books
"""

import json
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import retrieval
from evals.questions.question_sets import QuestionSet
from evals.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS, SHELF
from retrieval.errors import RetrievalError
from retrieval.files.atomic_files import write_atomically
from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_missing, vectors_of
from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.ingest.library.library import list_books
from retrieval.language.vocabulary import Vocabulary
from retrieval.rag.row_reader import SHIPPED_READER, RowReader
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Embedder
from tools.corpora.books import BenchmarkDataError, BookCorpus, Corpus, LibraryBook, read_books
from tools.corpora.sets import benchmarks_under

Tell = Callable[[str, int, int], None]
"""Told what is done now, how much of it is done, and how much there is."""

_MADE_BY = ("files", "language", "ingest", "index", "query_must", "types.py")
"""What of `retrieval` decides what an index is; the search does not."""


def open_index(folder: Path, name: str, corpus: Corpus, embedder: Embedder, tell: Tell) -> Snapshot:
    """The index of a corpus, built if there is none of this data, this code and this embedder.

    Args:
        folder: folder of the benchmarks.
        name: of the set.
        corpus: what is indexed.
        embedder: makes the vectors.
        tell: called as the work goes on.
    """
    pointer = folder / "built" / name / f"{corpus.name}.json"
    key = sha256(json.dumps([corpus.digest, code_digest(), str(embedder.identity)]).encode()).hexdigest()
    known = json.loads(pointer.read_text("utf-8")) if pointer.is_file() else {}
    if known.get("key") == key:
        try:
            return open_snapshot(folder, known["snapshot"])
        except RetrievalError:
            tell("what was built is damaged; building again", 0, 1)
            shutil.rmtree(folder / "snapshots" / known["snapshot"], ignore_errors=True)
    tell("reading", 0, 1)
    vocabulary = Vocabulary.default()
    chunks = corpus.chunks(vocabulary)
    store = EmbeddingStore(folder / "embeddings", embedder.identity)
    embed_missing(store, embedder, chunks, tell)
    vectors = vectors_of(store, chunks)
    manifest = build_snapshot(folder, chunks, vectors, embedder.identity, vocabulary, progress=tell)
    write_atomically(pointer, json.dumps({"key": key, "snapshot": manifest.id}))
    _forget(folder, known.get("snapshot"))
    return open_snapshot(folder, manifest.id)


@cache
def code_digest() -> str:
    """Hash of the source files that decide what an index is, as they were at the first call."""
    digest = sha256()
    for root in map(Path, retrieval.__path__):
        for path in _sources(root):
            digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _sources(root: Path) -> Iterable[Path]:
    for name in _MADE_BY:
        path = root / name
        result = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (path for path in result if path.suffix in {".py", ".toml"})


def _forget(folder: Path, snapshot: str | None) -> None:
    """Delete a snapshot that no corpus is in any more."""
    kept = {json.loads(path.read_text("utf-8"))["snapshot"] for path in (folder / "built").rglob("*.json")}
    if snapshot is not None and snapshot not in kept:
        shutil.rmtree(folder / "snapshots" / snapshot, ignore_errors=True)
        shutil.rmtree(folder / "evaluations" / snapshot, ignore_errors=True)


QUERY_ADAPTERS, ROW_READERS = "query_adapters", "row_readers"
"""Folders under the folder of the benchmarks: what was trained without some of the books."""
_BOOKS = "books.json"


def keep_adapters(folder: Path, files: Mapping[str, Path]) -> None:
    """Note by book which adapter was trained without it: other models are fitted on what had no say in it.

    Args:
        folder: of the adapters.
        files: the adapters by book, in the folder.
    """
    write_atomically(folder / _BOOKS, json.dumps({book: file.name for book, file in sorted(files.items())}, indent=1))


def _adapter_without(folder: Path, book: str) -> Path | None:
    names = json.loads((folder / _BOOKS).read_text("utf-8")) if (folder / _BOOKS).is_file() else {}
    return folder / names[book] if book in names else None


def embedder_without(home: Path, book: str, embedder: Embedder) -> Embedder:
    """The embedder that has not learned from the questions to a book: the given one, unless its adapter did."""
    adapter = _adapter_without(home / QUERY_ADAPTERS, book) if isinstance(embedder, MiniLmEmbedder) else None
    return MiniLmEmbedder(query_adapter=adapter) if adapter else embedder


def row_reader_without(home: Path, book: str) -> RowReader:
    """The row reader that has not learned from the questions to a book: the built-in one, unless it did."""
    adapter = _adapter_without(home / ROW_READERS, book)
    return RowReader(adapter) if adapter else SHIPPED_READER


SAMPLE = "sample"
PASSAGES = "passages"

Asked = TypeVar("Asked")
Item = TypeVar("Item")


def by_group(
    home: Path,
    corpora: Iterable[tuple[str, Corpus]],
    embedder: Embedder,
    tell: Tell,
    asked: Callable[[str, Corpus, Retriever, Sequence[Chunk]], Iterable[Asked]],
) -> dict[str, tuple[Asked, ...]]:
    """What is fitted or learned on, by the name of the corpus; one that gives nothing is no group.

    Args:
        home: the indexes are kept under it.
        corpora: those of `learned_from`.
        embedder: makes the vectors.
        tell: called as the work goes on.
        asked: from the name of a set, its corpus, a retriever over the corpus and its chunks.
    """
    groups: dict[str, tuple[Asked, ...]] = {}
    for name, corpus in corpora:
        tell(f"{name}, {corpus.name}", 0, 1)
        with open_index(home, name, corpus, embedder, tell) as snapshot:
            retriever = Retriever(snapshot, embedder_without(home, corpus.name, embedder))
            result = tuple(asked(name, corpus, retriever, tuple(snapshot.chunks)))
        if result:
            groups[corpus.name] = result
    return groups


def searched_sets(name: str, corpus: Corpus, retriever: Retriever, chunks: Sequence[Chunk]) -> list[QuestionSet]:
    """The sets of a corpus but those asked within one table, which show other candidates than a search does."""
    return [
        questions for questions in corpus.question_sets(retriever, chunks) if questions.ask is None or name == PASSAGES
    ]


def learned_from(data: Path, split: str) -> list[tuple[str, Corpus]]:
    """What is fitted and learned on, each with the name of its set: all sets under a folder, the shelf, the sample.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
    """
    (book,) = list_books(SAMPLE_LIBRARY)
    sample = BookCorpus(SAMPLE, SAMPLE, book, SAMPLE_QUESTIONS)
    result = benchmarks_under(data, split).corpora
    shelf = read_books(SHELF, "open") if SHELF.is_dir() else ()
    return [
        *((name, corpus) for name, corpora in result.items() for corpus in corpora),
        *((SHELF.name, corpus) for corpus in shelf),
        (SAMPLE, sample),
    ]


def asked_books(
    home: Path, data: Path, split: str, embedder: Embedder, tell: Tell
) -> Iterator[tuple[str, Retriever, QuestionSet]]:
    """The books under a folder of sets, one by one, each with its questions; its index is closed behind it.

    Args:
        home: the indexes are kept under it.
        data: folder with a folder for each set.
        split: which questions.
        embedder: makes the vectors.
        tell: called as the work goes on.

    Raises:
        BenchmarkDataError: no book has questions of the split.
    """
    corpora = [(name, corpus) for name, some in benchmarks_under(data, split).corpora.items() for corpus in some]
    books = [(name, corpus) for name, corpus in corpora if isinstance(corpus, LibraryBook)]
    if not books:
        raise BenchmarkDataError(f"no book under {data} has questions of the split {split!r}")
    for number, (name, book) in enumerate(books):
        tell(book.name, number, len(books))
        with open_index(home, name, book, embedder, tell) as snapshot:
            retriever = Retriever(snapshot, embedder_without(home, book.name, embedder))
            (questions,) = book.question_sets(retriever, tuple(snapshot.chunks))
            yield book.name, retriever, questions


def drawn(items: Sequence[Item], most: int, seed: int) -> list[Item]:
    """At most so many of some items, in the order in which they are drawn."""
    return random.Random(seed).sample(items, min(most, len(items)))
