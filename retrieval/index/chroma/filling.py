"""A collection of Chroma filled with chunks for whoever reads it: outside of our own snapshots."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from retrieval.errors import EmbedderMismatchError, InvalidDocumentError, StoreUnavailableError
from retrieval.index.chroma.foreign import no_server_at, server_of
from retrieval.index.chroma.store import BATCH, close, embedded, remote
from retrieval.types import Chunk, MetadataValue, Vector


def fill(place: str | Path, name: str, chunks: Sequence[Chunk], vectors: Vector, *, truncate: bool = False) -> int:
    """Put chunks into a collection, which is made where it is missing; how many records it has then.

    A record has the chunk's text, title, place and metadata, and its `query_must` as JSON text. `contain_no_rival`
    asks nothing there, since it needs an index that knows the tables.

    Args:
        place: a folder of Chroma's files, made where it is missing, or a server's address.
        name: of the collection.
        chunks: with ids of their own.
        vectors: (len(chunks), dimensions), aligned with the chunks.
        truncate: whether what the collection holds goes first.

    Raises:
        EmbedderMismatchError: the collection has vectors of another length.
        IndexCorruptError: Chroma cannot read the folder.
        StoreUnavailableError: no server answers.
        InvalidDocumentError: Chroma takes no collection of that name.
    """
    server = server_of(str(place))
    try:
        client = remote(server) if server else embedded(str(place))
    except StoreUnavailableError as error:
        raise no_server_at(place, error) from error
    try:
        if truncate and name in {each.name for each in client.list_collections()}:
            client.delete_collection(name)
        configuration = cast(Any, {"hnsw": {"space": "cosine"}})
        collection = client.get_or_create_collection(name, embedding_function=None, configuration=configuration)
        for start in range(0, len(chunks), BATCH):
            batch = chunks[start : start + BATCH]
            collection.upsert(
                ids=[chunk.id for chunk in batch],
                embeddings=vectors[start : start + BATCH],
                documents=[chunk.text for chunk in batch],
                metadatas=cast(Any, [_metadata(chunk) for chunk in batch]),
            )
        return collection.count()
    except Exception as error:
        if "dimension" in str(error).lower():
            raise EmbedderMismatchError(
                f"collection {name!r} has vectors of another length ({error}); empty it with --truncate, or take the "
                "embedder that filled it"
            ) from error
        if isinstance(error, ValueError) or type(error).__name__ == "InvalidArgumentError":
            raise InvalidDocumentError(f"Chroma takes no collection {name!r} ({error})") from error
        raise
    finally:
        close(client, over_http=server is not None)


def _metadata(chunk: Chunk) -> dict[str, MetadataValue | list[str]]:
    known: dict[str, MetadataValue | list[str]] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in chunk.metadata.items() if value != ()
    }
    known |= {
        "id": chunk.id,
        "title": chunk.title,
        "book": chunk.book,
        "document": chunk.document,
        "kind": chunk.kind,
        "line": chunk.lines[0],
        "is_noisy": chunk.query_must is not None,
    }
    return known | ({"query_must": chunk.query_must} if chunk.query_must else {})
