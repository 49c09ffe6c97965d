from collections.abc import Iterator

import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk

from ..conftest import Archive


@pytest.fixture(scope="session")
def store(archive: Archive, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    """The archive's documents, a chunk each, in an index of its own."""
    chunks = []
    for document in archive.documents:
        text = f"{document.title}. What the audience sees and hears in {document.title.split(': ')[1].lower()}."
        place = (f"{document.name}-1", "archive", document.name, "prose", text, text, text, (1, 1), (document.title,))
        chunks.append(Chunk(*place, metadata=document.metadata))
    home, embedder = tmp_path_factory.mktemp("archive"), load_embedder()
    vectors = embedder.embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(home, chunks, vectors, embedder.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        yield Retriever(snapshot, embedder)
