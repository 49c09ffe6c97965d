"""What the scale benchmark searches: a snapshot, and one collection that holds everything, if it is wanted; built once,
found again.

::

    <folder>/scale.json      what was built, of what, and how long each stage took; written last
             snapshots/<id>/
             single/         everything in one collection, as the published plan has it
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from time import process_time

from pipeline.bench.index import Tell, code_digest
from pipeline.bench.memory import peak_megabytes
from pipeline.bench.scale import library as drawn_library
from retrieval.atomic_files import write_atomically
from retrieval.clock import Clock
from retrieval.index.chroma.store import ChromaStore
from retrieval.index.embedding.embedding_text import embedding_text
from retrieval.index.snapshot.snapshot import build_snapshot
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Chunk, Embedder, Vector


@dataclass(frozen=True, slots=True)
class ScaleIndex:
    """What was built. Key: key."""

    key: str
    """Hash of the library, the code that decides what an index is, and the embedder."""
    snapshot: str
    seconds: Mapping[str, float]
    """By stage."""
    cpu_seconds: Mapping[str, float]
    """Of the processor, of all threads."""
    peak_megabytes: float
    """The most that the process held until the snapshot was built, the library and its vectors among it."""


def scale_index(
    folder: Path, library: Sequence[Chunk], seed: int, embedder: Embedder, tell: Tell, *, single: bool = True
) -> ScaleIndex:
    """The index of a synthetic library: what the folder has, if it was made of the same things; built otherwise.

    Args:
        folder: where it is kept.
        library: the chunks.
        seed: what the library was drawn from.
        embedder: makes the vectors.
        tell: called as the work goes on.
        single: whether the one collection is made too.
    """
    key = _key(len(library), seed, embedder, single)
    known = folder / "scale.json"
    if known.is_file() and (found := ScaleIndex(**json.loads(known.read_text("utf-8")))).key == key:
        return found
    known.unlink(missing_ok=True)
    for left in (folder / "snapshots", folder / "single"):
        if left.is_dir():
            shutil.rmtree(left)
    built = _build(folder, library, embedder, key, tell, single)
    write_atomically(known, json.dumps(asdict(built)))
    return built


def _build(
    folder: Path, library: Sequence[Chunk], embedder: Embedder, key: str, tell: Tell, single: bool
) -> ScaleIndex:
    embedder.embed_query("loads the weights")
    texts = [embedding_text(chunk) for chunk in library]
    stages = _Stages("embed", tell)
    vectors = embedder.embed(texts)
    stages.tell("files", 0, len(library))
    manifest = build_snapshot(folder, library, vectors, embedder.identity, Vocabulary.default(), progress=stages.tell)
    stages.end()
    peak = round(peak_megabytes(), 1)
    if single:
        write_single(folder / "single", library, vectors, tell)
    return ScaleIndex(key, manifest.id, _rounded(stages.seconds), _rounded(stages.cpu_seconds), peak)


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in seconds.items()}


class _Stages:
    """Adds up seconds by the stage that a build last reported."""

    def __init__(self, first: str, tell: Tell) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu_seconds: dict[str, float] = {}
        self._tell, self._stage, self._since, self._cpu = tell, first, Clock(), process_time()

    def tell(self, stage: str, done: int, total: int) -> None:
        """What the build does now; what passed since the last time was the last stage's."""
        self.end()
        self._stage = stage
        self._tell(stage, done, total)

    def end(self) -> None:
        """Count up to now."""
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + self._since.seconds
        self.cpu_seconds[self._stage] = self.cpu_seconds.get(self._stage, 0.0) + process_time() - self._cpu
        self._since, self._cpu = Clock(), process_time()


def write_single(folder: Path, library: Sequence[Chunk], vectors: Vector, tell: Tell) -> None:
    """Everything in one collection with `query_must` in the metadata, as the published plan has it."""
    store = ChromaStore(folder)
    store.create("open")
    metadata = [
        {**chunk.metadata, "id": chunk.id, "book": chunk.book, "title": chunk.title}
        | ({"query_must": chunk.query_must} if chunk.query_must else {})
        for chunk in library
    ]
    done = 0
    for added in store.add("open", [chunk.id for chunk in library], vectors, metadata):
        done += added
        tell("one collection of everything", done, len(library))
    store.close()


def _key(chunks: int, seed: int, embedder: Embedder, single: bool) -> str:
    drawn = sha256(Path(drawn_library.__file__).read_bytes()).hexdigest()
    return sha256(json.dumps([chunks, seed, drawn, code_digest(), str(embedder.identity), single]).encode()).hexdigest()
