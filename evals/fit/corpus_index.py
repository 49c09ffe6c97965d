"""The index of a benchmark's corpus: built once, kept under the home, found again by what it is made of.

::

    <home>/benchmarks/embeddings/                     vectors by (model, text hash), shared by all corpora
    <home>/benchmarks/snapshots/<id>/                 indexes
    <home>/benchmarks/built/<set>/<corpus>.json       which snapshot the corpus is in, and what it was made of
    <home>/benchmarks/evaluations/<snapshot>/...      rows of every strategy
"""

import json
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

import retrieval
from evals.benchmarks.books import Corpus
from retrieval.errors import RetrievalError
from retrieval.files.atomic_files import write_atomically
from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_missing, vectors_of
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Embedder

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
        yield from (each for each in result if each.suffix in {".py", ".toml"})


def _forget(folder: Path, snapshot: str | None) -> None:
    """Delete a snapshot that no corpus is in any more."""
    kept = {json.loads(path.read_text("utf-8"))["snapshot"] for path in (folder / "built").rglob("*.json")}
    if snapshot is not None and snapshot not in kept:
        shutil.rmtree(folder / "snapshots" / snapshot, ignore_errors=True)
        shutil.rmtree(folder / "evaluations" / snapshot, ignore_errors=True)
