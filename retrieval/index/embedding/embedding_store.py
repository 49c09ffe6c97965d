"""Vectors on disk by model and text, the text that is embedded for each chunk, and the texts still to embed."""

import json
import logging
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import monotonic

import numpy as np

from retrieval.errors import EmbedderMismatchError, IndexCorruptError, RetrievalError
from retrieval.files.atomic_files import write_atomically
from retrieval.index.embedding.embedders import is_hosted
from retrieval.language.numbers.cells import is_numeric
from retrieval.types import Chunk, Embedder, EmbedderIdentity, Vector

_log = logging.getLogger(__name__)

MAX_CHARACTERS = 32_768
"""Characters of an embedded text at most: no model reads more, and a cell can hold a whole book."""
MOST_NUMBERS = 4
"""Numeric cells, beside its key, up to which a row is embedded whole."""


def embedding_text(chunk: Chunk) -> str:
    """Return the text that is embedded for a chunk: prose as it is; a row as its title, cells with their headings, and
    the meanings of its codes.

    Twenty numbers of a matrix drown out the words that a question shares with its row. In a row with more than
    `MOST_NUMBERS` of them, they are replaced by the words of their headings, each once, and by the names of the row;
    of the names that end in a number only the first is kept.
    """
    text = chunk.search_text if chunk.kind == "prose" else _row_text(chunk)
    return text[:MAX_CHARACTERS]


def embedding_key(chunk: Chunk) -> str:
    """Return the key of a chunk's vector in the store: the embedded text and the searched text.

    A row is embedded again when any of its cells changes, and so is every chunk whose embedded text is chosen anew.
    """
    return f"{embedding_text(chunk)}\0{chunk.search_text}"


def _row_text(chunk: Chunk) -> str:
    words, headings, n_numbers = [], dict[str, None](), 0
    cells = [(column, cell) for column, cell in zip(chunk.columns, chunk.cells, strict=True) if cell]
    for column, cell in cells:
        if cell == chunk.row_key or not is_numeric(cell):
            words.append(f"{column}: {cell}")
        else:
            n_numbers += 1
            headings |= dict.fromkeys(word for word in column.split() if any(map(str.isalpha, word)))
    if n_numbers <= MOST_NUMBERS:
        parts = (chunk.title, *(f"{column}: {cell}" for column, cell in cells), ", ".join(chunk.meanings))
    else:
        parts = (chunk.title, *words, " ".join(headings), ", ".join((*_names(chunk), *chunk.meanings)))
    return ". ".join(part for part in parts if part)


def _names(chunk: Chunk) -> tuple[str, ...]:
    numbered = [name for name in chunk.names if name.rpartition(" ")[2].lstrip("-").isdigit()]
    return (*(name for name in chunk.names if name not in numbered), *numbered[:1])


_WAIT = 60.0
"""Seconds that one build waits for another to release the file."""
_PAGE = 500
"""Keys in one SQLite query."""


def text_key(text: str) -> bytes:
    """Return the SHA-256 of a text, under which its vector is stored."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


class EmbeddingStore:
    """Vectors of one embedder in one SQLite file under `folder`; another embedder gets another file.

    `add` is atomic, even if the process is killed. A damaged file is renamed, and a new one takes its place.

    Args:
        folder: of the file; created if missing.
        identity: the embedder whose vectors these are.

    Raises:
        RetrievalError: by every method, if the file is in use for more than a minute, or cannot be written.
        IndexCorruptError: by every method but `missing`, if the file is damaged or not a store.
    """

    def __init__(self, folder: Path, identity: EmbedderIdentity) -> None:
        self.identity = identity
        folder.mkdir(parents=True, exist_ok=True)
        self.path = _path(folder, identity)

    def missing(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return the distinct texts without a vector, in the order of their first occurrence: all, if the file was
        damaged."""
        keys = {text: text_key(text) for text in dict.fromkeys(texts)}
        try:
            with self._connection() as connection:
                known = {key for key, _ in _select(connection, list(keys.values()), "NULL")}
        except IndexCorruptError as error:
            _log.warning("%s", error)
            return tuple(keys)
        return tuple(text for text, key in keys.items() if key not in known)

    def keys(self) -> frozenset[str]:
        """Return the keys of all vectors: `text_key` of each text, as hex."""
        with self._connection() as connection:
            return frozenset(key.hex() for (key,) in connection.execute("SELECT key FROM vectors"))

    def add(self, texts: Sequence[str], vectors: Vector) -> None:
        """Store one vector for each text, replacing those that are already there.

        Raises:
            EmbedderMismatchError: the matrix is not (len(texts), dimensions) of finite numbers.
        """
        expected = (len(texts), self.identity.dimensions)
        if vectors.shape != expected:
            raise EmbedderMismatchError(
                f"vectors of {self.identity.name} have shape {vectors.shape}, not {expected}; embed with that model"
            )
        if not np.isfinite(vectors).all():
            raise EmbedderMismatchError(f"{self.identity.name} returned a vector that is not finite; embed it again")
        rows = np.ascontiguousarray(vectors, dtype="<f4")
        with self._connection() as connection, connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                ((text_key(text), row.tobytes()) for text, row in zip(texts, rows, strict=True)),
            )

    def get(self, texts: Sequence[str]) -> Vector:
        """Return the matrix (len(texts), dimensions) of these texts, in their order.

        Raises:
            IndexCorruptError: a text has no vector. Zeros in its place would hide a broken index.
        """
        places: dict[bytes, list[int]] = {}
        for position, text in enumerate(texts):
            places.setdefault(text_key(text), []).append(position)
        matrix = np.empty((len(texts), self.identity.dimensions), dtype=np.float32)
        n_present = 0
        with self._connection() as connection:
            for key, blob in _select(connection, list(places), "vector"):
                matrix[places[key]] = np.frombuffer(blob, dtype="<f4")
                n_present += len(places[key])
        if n_present != len(texts):
            first = self.missing(texts)[0]
            raise IndexCorruptError(
                f"{len(texts) - n_present} of {len(texts)} texts have no vector in {self.path}, the first is "
                f"{first[:60]!r}; materialize the embeddings again"
            )
        return matrix

    def prune(self, keep: Sequence[str]) -> int:
        """Delete the vectors of all other texts, and return how many were deleted."""
        with self._connection() as connection, connection:
            connection.execute("CREATE TEMP TABLE kept (key BLOB PRIMARY KEY) WITHOUT ROWID")
            connection.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((text_key(text),) for text in keep))
            return connection.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM kept)").rowcount

    def __len__(self) -> int:
        with self._connection() as connection:
            count: int = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
            return count

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=_WAIT)) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
                yield connection
        except sqlite3.OperationalError as error:
            # The vectors are intact: deleting them would mean paying for them twice.
            raise RetrievalError(
                f"{self.path} is in use or cannot be written ({error}); "
                "wait for the other build, or free space, and try again"
            ) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:
                raise  # an error of this program, and not of the file
            aside = self._set_aside()
            raise IndexCorruptError(
                f"{self.path} was damaged ({error}) and is now {aside.name}; build again, which embeds its texts again"
            ) from error

    def _set_aside(self) -> Path:
        aside = self.path.with_suffix(".damaged")
        with suppress(FileNotFoundError):  # another process was faster
            self.path.replace(aside)
        # SQLite would repair the new file by the journal of the old one.
        self.path.with_name(f"{self.path.name}-journal").unlink(missing_ok=True)
        return aside


def _path(folder: Path, identity: EmbedderIdentity) -> Path:
    """Return the file of an embedder: a readable name, and a hash because two identities may give the same name."""
    name = re.sub(r"[^\w.-]+", "_", f"{identity.name}-{identity.version}-{identity.dimensions}")
    parts = json.dumps([identity.name, identity.version, identity.dimensions])
    return folder / f"{name}-{sha256(parts.encode()).hexdigest()[:8]}.sqlite"


def _select(connection: sqlite3.Connection, keys: list[bytes], column: str) -> Iterator[tuple[bytes, bytes]]:
    for start in range(0, len(keys), _PAGE):
        page = keys[start : start + _PAGE]
        marks = ",".join("?" * len(page))
        yield from connection.execute(f"SELECT key, {column} FROM vectors WHERE key IN ({marks})", page)  # noqa: S608


BATCH = 64
"""Texts in a batch of a local embedder, after which progress is reported; a slow one takes seconds for them."""
HOSTED_BATCH = 256
"""Texts in one request to a server."""
EMBEDDED = "chunks embedded"
"""How every line of `logged_progress` ends."""

Tell = Callable[[str, int, int], None]
"""Called with the activity, the number of texts done, and their total."""


@dataclass(frozen=True, slots=True)
class EmbeddingTally:
    """Counts of one pass over a book's chunks; chunks with the same text count once."""

    n_embedded: int
    n_reused: int
    n_deleted: int
    """Keys of the previous pass that the book no longer has."""


def logged_progress(log: Callable[[str], None], seconds: float = 10.0, timer: Callable[[], float] = monotonic) -> Tell:
    """Return a `tell` that logs the progress of the embedding, at most once in so many seconds."""
    last = timer()

    def tell(_doing: str, done: int, total: int) -> None:
        nonlocal last
        if timer() - last >= seconds:
            last = timer()
            log(f"{done:,} of {total:,} {EMBEDDED}")

    return tell


def embed_chunks(
    store: EmbeddingStore,
    embedder: Embedder,
    chunks: Sequence[Chunk],
    ledger: Path,
    tell: Tell = lambda *_: None,
) -> EmbeddingTally:
    """Embed the chunks that the store lacks, in batches, and record the book's keys in `ledger`.

    `tell` is called before each batch. A killed pass loses at most one batch: each is stored before the next begins.
    """
    n_embedded = embed_missing(store, embedder, chunks, tell)
    keys = {text_key(embedding_key(chunk)).hex() for chunk in chunks}
    before = known_keys(ledger)
    write_atomically(ledger, "\n".join(sorted(keys)))
    return EmbeddingTally(n_embedded, len(keys) - n_embedded, len(before - keys))


def embed_missing(
    store: EmbeddingStore,
    embedder: Embedder,
    chunks: Sequence[Chunk],
    tell: Tell = lambda *_: None,
) -> int:
    """Embed the chunks that the store lacks, and return how many. `tell` is called before each batch."""
    texts = {embedding_key(chunk): embedding_text(chunk) for chunk in chunks}
    missing = store.missing(list(texts))
    size = HOSTED_BATCH if is_hosted(embedder.identity.name) else BATCH
    for start in range(0, len(missing), size):
        tell("embedding", start, len(missing))
        batch = missing[start : start + size]
        store.add(batch, embedder.embed([texts[key] for key in batch]))
    return len(missing)


def vectors_of(store: EmbeddingStore, chunks: Sequence[Chunk]) -> Vector:
    """Return the stored vectors of these chunks, (len(chunks), dimensions). Raises IndexCorruptError."""
    return store.get([embedding_key(chunk) for chunk in chunks])


def known_keys(ledger: Path) -> set[str]:
    """Return the keys of the previous pass, as hex; none if the ledger is missing or damaged."""
    try:
        return set(ledger.read_text(encoding="ascii").split())
    except (FileNotFoundError, UnicodeDecodeError):
        return set()
