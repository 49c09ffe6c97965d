"""What of a home nobody may have changed: its files by their hashes, and where two homes differ."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from retrieval.index.snapshot.live import POINTER, SNAPSHOTS

_HISTORY = "dagster"
"""Of runs; who opens it writes there."""


def hashes(home: Path) -> dict[str, str]:
    """Every file of a home by its path, but for run history and for graphs that Chroma makes again as it opens them."""
    return {
        path.relative_to(home).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and home / _HISTORY not in path.parents and not is_passing(path)
    }


def is_passing(path: Path) -> bool:
    """Whether a file is of a graph that Chroma did not write out, and makes anew when the collection is opened."""
    is_of_a_graph = path.parent.parent.name == "chroma" and path.suffix in {".bin", ".pickle"}
    return is_of_a_graph and not path.with_name("index_metadata.pickle").exists()


def of_live(files: Mapping[str, str], live: str) -> dict[str, str]:
    """The pointer, and the files of the snapshot that it named."""
    inside = f"{SNAPSHOTS}/{live}/"
    return {path: digest for path, digest in files.items() if path == POINTER or path.startswith(inside)}


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Paths that are not as they were."""
    return (path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path))
