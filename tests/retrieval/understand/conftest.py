"""A small archive of a theatre: other fields and values than any corpus that questions were tuned on."""

from dataclasses import dataclass
from datetime import date

import pytest

from retrieval.types import Metadata
from retrieval.understand.catalog.catalog import Catalog, Described

TODAY = date(2026, 8, 22)

_SHOWS = (
    # title, director, season, status, genres, premiere, seats, revision, touring
    ("Programme: The Glass Ladder", ("Mira Okafor",), "spring", "running", ("drama",), "2026-03-14", 320, "1.2", True),
    (
        "Programme: Harbour Lights",
        ("Jon Lindqvist",),
        "autumn",
        "closed",
        ("musical",),
        "2024-10-02",
        610,
        "2.0",
        False,
    ),
    (
        "Programme: Salt and Iron",
        ("Mira Okafor", "Ida Bauer"),
        "winter",
        "closed",
        ("drama", "history"),
        "2023-01-20",
        180,
        "1.9",
        False,
    ),
    (
        "Programme: A Night Too Long",
        ("Ida Bauer",),
        "summer",
        "cancelled",
        ("comedy",),
        "2025-07-01",
        450,
        "1.10",
        False,
    ),
    (
        "Programme: Paper Kings",
        ("Tomas Rey",),
        "spring",
        "in rehearsal",
        ("musical", "comedy"),
        "2026-09-05",
        505,
        "0.9",
        True,
    ),
    (
        "Programme: The Quiet Floor",
        ("Jon Lindqvist", "Tomas Rey"),
        "autumn",
        "running",
        ("drama",),
        "2025-11-11",
        240,
        "3.1",
        True,
    ),
    ("Programme: Ash Wednesday", ("Ida Bauer",), "winter", "closed", ("history",), "2022-02-16", 320, "1.0", False),
    (
        "Programme: Ten Small Steps",
        ("Mira Okafor",),
        "summer",
        "running",
        ("comedy",),
        "2026-06-30",
        410,
        "2.11",
        False,
    ),
)


def show(number: int) -> Described:
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
    return Described(f"show-{number + 1:03}.md", title, metadata)


@dataclass(frozen=True)
class Archive:
    documents: tuple[Described, ...]
    catalog: Catalog

    def numbers(self, names: set[str]) -> set[int]:
        return {int(name[5:8]) for name in names}


@pytest.fixture(scope="session")
def archive() -> Archive:
    documents = tuple(show(number) for number in range(len(_SHOWS)))
    return Archive(documents, Catalog.of(documents))
