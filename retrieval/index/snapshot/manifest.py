"""The manifest: the files of a snapshot, and the id that is computed from them."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from retrieval.errors import IndexCorruptError
from retrieval.files.atomic_files import FileEntry, changes, write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.files.versions import Versions
from retrieval.language.terms import Tokenization
from retrieval.types import EmbedderIdentity

VECTORS = "vectors.npy"
_REGIONS = frozenset(f"regions/{name}.npy" for name in ("centres", "guarded", "chunks", "chunks.starts", "vectors"))
DERIVED = _REGIONS | frozenset(
    {VECTORS, "rarity.npy", *(f"{folder}/vectors.npy" for folder in ("columns", "words", "tables"))}
    | {f"{folder}/weights.npy" for folder in ("lexical", "tables/lexical")}
)
"""Paths of files that are derived from the other files of a snapshot, except the vectors: see `trace`."""

_DECIMALS = 2
_TOLERANCE = 1e-3
_ROWS = 65_536


def trace(folder: Path) -> tuple[int, ...]:
    """Return the mean of all vectors in hundredths, one number for each dimension: the same on every processor, but
    different for a different model of the same name."""
    vectors = np.load(folder / VECTORS, mmap_mode="r")
    total = np.zeros(vectors.shape[1])
    for start in range(0, len(vectors), _ROWS):
        total += np.asarray(vectors[start : start + _ROWS], dtype=np.float64).sum(axis=0)
    mean: npt.NDArray[np.float64] = total / max(1, len(vectors))
    return tuple(int(hundredths) for hundredths in np.round(mean * 10**_DECIMALS))


def agree(left: Path, right: Path) -> bool:
    """Whether the `DERIVED` files of two snapshots' folders are the same, except for their last bits.

    They differ if another version of this program computed them differently. Another processor may also rotate all
    word vectors together, or assign a chunk between two regions to the other: then the snapshot is built anew, under
    the same id.
    """
    return all(_close(left / name, right / name) for name in sorted(DERIVED))


def _close(left: Path, right: Path) -> bool:
    ours, theirs = (np.load(path, mmap_mode="r") for path in (left, right))
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    return all(
        np.allclose(ours[start : start + _ROWS], theirs[start : start + _ROWS], rtol=_TOLERANCE, atol=_TOLERANCE)
        for start in range(0, len(ours), _ROWS)
    )


SCHEMA_VERSION = 34
MANIFEST_FILE = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The complete description of a snapshot. Key: id, the hash of its settings and files.

    The same library has the same id on every machine with the same versions of this program and its libraries. The id
    does not depend on floats whose last bits vary with the processor (`DERIVED`), although the files are listed with
    the hashes that they have here. Nor does it depend on the versions: their effects are in the files.

    """

    id: str
    schema_version: int
    n_chunks: int
    n_open: int
    n_guarded: int
    """Chunks whose query_must always asks."""
    n_keyed: int
    """Other chunks, which are excluded if a rival is named."""
    n_tables: int
    n_nodes: int
    """Nodes of the graph, chunks included."""
    n_edges: int
    embedder: EmbedderIdentity
    tokenization: Tokenization
    versions: Versions
    """Versions of the parts of this program when the snapshot was built; an existing snapshot keeps its own."""
    files: tuple[FileEntry, ...]
    """The snapshot's files, by their path in its folder."""

    @classmethod
    def of(
        cls,
        folder: Path,
        *,
        n_chunks: int,
        n_guarded: int,
        n_keyed: int,
        n_tables: int,
        n_nodes: int,
        n_edges: int,
        embedder: EmbedderIdentity,
        tokenization: Tokenization,
    ) -> "Manifest":
        """Return the manifest of the current files in `folder`."""
        files = tuple(FileEntry.of(folder, path) for path in sorted(_own_files(folder)))
        settings = [asdict(embedder), asdict(tokenization)]
        hashes = [(file.path, file.sha256) for file in files if file.path not in DERIVED]
        essence = [SCHEMA_VERSION, *settings, trace(folder), hashes]
        digest = hashlib.sha256(json.dumps(essence, sort_keys=True).encode()).hexdigest()
        return cls(
            id=digest[:16],
            schema_version=SCHEMA_VERSION,
            n_chunks=n_chunks,
            n_open=n_chunks - n_guarded,
            n_guarded=n_guarded,
            n_keyed=n_keyed,
            n_tables=n_tables,
            n_nodes=n_nodes,
            n_edges=n_edges,
            embedder=embedder,
            tokenization=tokenization,
            versions=Versions.now(),
            files=files,
        )

    def write(self, folder: Path) -> None:
        """Write manifest.json. It comes last: a folder without it is not a snapshot."""
        write_atomically(folder / MANIFEST_FILE, json.dumps(json.loads(dump_record(self)), indent=1) + "\n")

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Return the manifest of a snapshot's folder.

        Raises:
            IndexCorruptError: it is missing or unreadable, another version of this program wrote it, or the folder's
                name is not its id.
        """
        path = folder / MANIFEST_FILE
        try:
            content = path.read_bytes()
        except OSError as error:
            raise IndexCorruptError(f"{path} cannot be read ({error}); build the index again") from error
        manifest = cls.parse(content, str(path))
        if manifest.id != folder.name:
            raise IndexCorruptError(
                f"{folder} holds snapshot {manifest.id!r}; rename the folder to that, or build the index again"
            )
        return manifest

    @classmethod
    def parse(cls, content: bytes, where: str) -> "Manifest":
        """Parse what `write` wrote.

        Args:
            where: the file's name in errors.

        Raises:
            IndexCorruptError: it cannot be read, or another version of this program wrote it.
        """
        try:
            version = json.loads(content).get("schema_version")
        except (ValueError, AttributeError) as error:
            raise IndexCorruptError(f"{where} cannot be read ({error}); build the index again") from error
        if version != SCHEMA_VERSION:
            raise IndexCorruptError(
                f"{where} has schema version {version!r}, but this program reads {SCHEMA_VERSION}; build the "
                "index again"
            )
        try:
            return parse_record(content, cls)
        except ValidationError as error:
            raise IndexCorruptError(f"{where} is not a manifest ({error.errors()[0]['msg']}); build again") from error

    def disagreements(self, folder: Path, *, hashes: bool) -> Iterable[str]:
        """Yield a sentence for every file of `folder` that changed after this manifest was written."""
        return changes(folder, self.files, hashes=hashes)


def is_whole(folder: Path) -> bool:
    """Whether every file of a snapshot's folder is byte for byte as the build left it."""
    try:
        return not any(Manifest.read(folder).disagreements(folder, hashes=True))
    except IndexCorruptError:
        return False


def _own_files(folder: Path) -> Iterable[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith(".") and path.name != MANIFEST_FILE:
            yield path
