"""A small archive of a theatre: other fields and values than any corpus that questions were tuned on."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import pytest
from openai import OpenAI

from retrieval.index.embedding.embedders import load_embedder
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Metadata
from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from tests.chunks import indexed
from tests.openai_server.server import FakeOpenAi, fake_openai

TODAY = date(2026, 8, 22)

_SHOWS = (
    # title, director, season, status, genres, premiere, seats, revision, touring
    ("The Glass Ladder", ("Mira Okafor",), "spring", "running", ("drama",), "2026-03-14", 320, "1.2", True),
    ("Harbour Lights", ("Jon Lindqvist",), "autumn", "closed", ("musical",), "2024-10-02", 610, "2.0", False),
    (
        "Salt and Iron",
        ("Mira Okafor", "Ida Bauer"),
        "winter",
        "closed",
        ("drama", "history"),
        "2023-01-20",
        180,
        "1.9",
        False,
    ),
    ("A Night Too Long", ("Ida Bauer",), "summer", "cancelled", ("comedy",), "2025-07-01", 450, "1.10", False),
    ("Paper Kings", ("Tomas Rey",), "spring", "in rehearsal", ("musical", "comedy"), "2026-09-05", 505, "0.9", True),
    (
        "The Quiet Floor",
        ("Jon Lindqvist", "Tomas Rey"),
        "autumn",
        "running",
        ("drama",),
        "2025-11-11",
        240,
        "3.1",
        True,
    ),
    ("Ash Wednesday", ("Ida Bauer",), "winter", "closed", ("history",), "2022-02-16", 320, "1.0", False),
    ("Ten Small Steps", ("Mira Okafor",), "summer", "running", ("comedy",), "2026-06-30", 410, "2.11", False),
)


def show(number: int) -> CatalogDocument:
    title, directors, season, status, genres, premiere, seats, revision, touring = _SHOWS[number]
    metadata: Metadata = {
        "director": directors,
        "season": season,
        "status": status,
        "genre": genres,
        "premiere_date": premiere,
        "seats": seats,
        "script_versions": (revision,),
        "touring": touring,
    }
    return CatalogDocument(f"show-{number + 1:03}.md", f"Programme: {title}", metadata)


@dataclass(frozen=True)
class Archive:
    documents: tuple[CatalogDocument, ...]
    catalog: Catalog

    def numbers(self, names: set[str]) -> set[int]:
        return {int(name[5:8]) for name in names}


@pytest.fixture(scope="session")
def archive() -> Archive:
    documents = tuple(show(number) for number in range(len(_SHOWS)))
    return Archive(documents, Catalog.of(documents))


class Server(FakeOpenAi):
    def __init__(self) -> None:
        super().__init__()
        self.contents: list[str] = []
        """What is answered, in turn; the last one again and again."""
        self.answering = lambda _: self.contents.pop(0) if len(self.contents) > 1 else self.contents[0]


@pytest.fixture
def server() -> Iterator[Server]:
    with fake_openai(Server()) as fake:
        yield fake


@pytest.fixture
def client(server: Server) -> Iterator[OpenAI]:
    with OpenAI(api_key="local", base_url=server.address, max_retries=0) as made:
        yield made


@pytest.fixture(scope="session")
def store(archive: Archive, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    """The archive's documents, a chunk each, in an index of its own."""
    chunks = []
    for document in archive.documents:
        text = f"{document.title}. What the audience sees and hears in {document.title.split(': ')[1].lower()}."
        key = (f"{document.name}-1", "archive", document.name, "prose", text, text, text, (1, 1), (document.title,))
        chunks.append(Chunk(*key, metadata=document.metadata))
    with indexed(tmp_path_factory.mktemp("archive"), chunks, load_embedder()) as retriever:
        yield retriever
