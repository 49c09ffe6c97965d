import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, EmbedderIdentity, MetadataValue, Vector
from tests.chunks import EMPTY


class ToyEmbedder:
    """Letter trigrams hashed into 32 dimensions: near texts are near, offline and at once."""

    identity = EmbedderIdentity("toy", "1", 32)

    def embed_query(self, query: str) -> Vector:
        return self.embed([query])[0]

    def embed(self, texts: Sequence[str]) -> Vector:
        matrix = np.full((len(texts), 32), 1e-3, dtype=np.float32)
        for position, text in enumerate(texts):
            for start in range(len(text) - 2):
                matrix[position, sum(map(ord, text[start : start + 3].lower())) % 32] += 1
        normalised: Vector = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        return normalised


CHUNK = replace(EMPTY, book="book", document="one.md", kind="row", heading_path=("Combat",))


def matrix_row(subject: str, value: int) -> Chunk:
    text = f"Combat > Attack matrix for {subject}s | opponent armor class {value} | level 1 {20 - value}"
    must = {"contain_one_of": [[subject], [f"ac {value}", f"armor class {value}"]]}
    return replace(
        CHUNK,
        id=f"{subject}-{value + 20}",
        text=text,
        search_text=text,
        heading_path=("Combat", f"Attack matrix for {subject}s"),
        row_key=str(value),
        columns=("opponent armor class", "level 1"),
        cells=(str(value), str(20 - value)),
        table_id=subject,
        query_must=json.dumps(must),
        names=(f"armor class {value}",),
    )


def prose(number: int) -> Chunk:
    rng = random.Random(number)
    words = ["dragon", "cleric", "armor", "class", "tavern", "sea", "roll", "hit", "price", "level", "rope", "night"]
    text = " ".join(rng.choices(words, k=30))
    return replace(CHUNK, id=f"prose-{number:03}", kind="prose", text=text, search_text=text)


def make_library() -> tuple[Chunk, ...]:
    guarded = [matrix_row(subject, value) for subject in ("cleric", "fighter", "thief") for value in range(-10, 11)]
    weapons = [
        replace(
            CHUNK,
            id=f"weapon-{number}",
            search_text=f"Equipment > Weapons | weapon {name} | damage 1d{number + 2}",
            heading_path=("Equipment", "Weapons"),
            row_key=name,
            columns=("weapon", "damage"),
            cells=(name, f"1d{number + 2}"),
            table_id="weapons",
            names=(name,),
            query_must=json.dumps({"contain_no_rival": {"table": "weapons", "row": number}}),
        )
        for number, name in enumerate(["crossbow", "dagger", "halberd", "mace", "long sword", "staff"])
    ]
    return tuple(map(with_metadata, range(200), (*guarded, *weapons, *map(prose, range(60)))))


def with_metadata(number: int, chunk: Chunk) -> Chunk:
    metadata: dict[str, MetadataValue] = {"page": number, "tags": ("even", "all") if number % 2 == 0 else ("all",)}
    if number % 3:
        metadata |= {"author": "ann" if number % 3 == 1 else "bob", "draft": number % 5 == 0, "mixed": number}
    else:
        metadata |= {"mixed": str(number), "weight": number / 2}
    return replace(chunk, book=f"book-{number % 4}", metadata=metadata)


@pytest.fixture(scope="session")
def library() -> tuple[Chunk, ...]:
    return make_library()


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, library: tuple[Chunk, ...]) -> Path:
    folder = tmp_path_factory.mktemp("home")
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in library])
    build_snapshot(folder, library, vectors, ToyEmbedder.identity, Vocabulary.default())
    return folder


@pytest.fixture(scope="session")
def snapshot(home: Path) -> Iterator[Snapshot]:
    (folder,) = (home / "snapshots").iterdir()
    with open_snapshot(home, folder.name) as opened:
        yield opened


@pytest.fixture(scope="session")
def retriever(snapshot: Snapshot) -> Retriever:
    return Retriever(snapshot, ToyEmbedder())
