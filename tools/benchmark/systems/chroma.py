"""Chroma with chunks of paragraphs: the vector store alone."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings

from retrieval.types import Embedder
from tools.benchmark.system import Passage, markdown_files

_MOST_CHARACTERS = 1_000
_BATCH = 1_000


class Chroma:
    """One collection, cosine distance."""

    name = "chroma"
    about = "[Chroma](https://www.trychroma.com), a vector store, alone."
    setup = (
        f"Chunks of whole blocks between blank lines, joined up to {_MOST_CHARACTERS:,} characters. A longer block, "
        "such as a large table, is cut between lines. Cosine distance. Its own embedder would download weights, so it "
        "gets ours."
    )
    packages = ("chromadb",)

    def index(self, book: Path, folder: Path, embedder: Embedder) -> None:
        """Cut, embed and add."""
        client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        self._collection: Any = client.create_collection(
            "book", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )
        self._embedder = embedder
        chunks = [chunk for _, text in markdown_files(book) for chunk in chunks_of(text)]
        for start in range(0, len(chunks), _BATCH):
            batch = chunks[start : start + _BATCH]
            ids = [str(number) for number in range(start, start + len(batch))]
            self._collection.add(ids=ids, documents=batch, embeddings=embedder.embed(batch))

    def search(self, question: str, k: int) -> Sequence[Passage]:
        """The k nearest."""
        vector = self._embedder.embed_query(question)
        result = self._collection.query(query_embeddings=[vector], n_results=k, include=["documents"])
        return [Passage(text) for text in result["documents"][0]]


def chunks_of(text: str) -> Iterator[str]:
    """Blocks between blank lines, joined up to the most characters; a longer block is cut between its lines."""
    chunk = ""
    for block in re.split(r"\n\s*\n", text):
        pieces = [block] if len(block) <= _MOST_CHARACTERS else block.split("\n")
        for number, piece in enumerate(pieces):
            if chunk and len(chunk) + len(piece) + 2 > _MOST_CHARACTERS:
                yield chunk
                chunk = ""
            chunk += ("\n" if number else "\n\n") * bool(chunk) + piece
    if chunk.strip():
        yield chunk
