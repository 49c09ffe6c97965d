"""The passages of a small book, and a folder of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.model_passages.describing import ModelPassages
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.prose_chunking import Cuts
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.access import Access
from retrieval.models.spending import ModelOptions, chat_price
from retrieval.types import Book, Chunk, Document, Metadata
from tests.openai_server.passage_model import describing
from tests.openai_server.server import FakeOpenAi

MODEL = "gpt-4o-mini"
PATH = "magic.md"
BOOK = """# Magic

## Spells

### Fireball

_Evocation [Fire]_

**Casting Time:** 1 action

Each creature within 20 feet of the point must make a saving throw or burn, and the cold of winter does not help.

## Rules Glossary

### Prone [Condition]

A prone creature can only crawl, and whoever attacks it from a distance of more than 5 feet does so at a penalty of 2.

## The Fall of Oldtown

The bells of Oldtown rang all night, the river rose, and nobody who had gone down to the harbour came back home.

# Short

Nothing.

# Weapons

| Weapon | Damage |
|---|---|
| Club | 1d6 |
| Mace | 1d8 |
"""


def chunks_of(text: str, author: Metadata | None = None) -> tuple[Chunk, ...]:
    book = parse_book(Book("b", "B", (Document("b", PATH, text, author or {}),)))
    rows = extract_predicates(transform_tables(book.tables, Vocabulary.default(), [text]))
    return chunk_book(book, rows, Cuts(60))


def under(chunks: tuple[Chunk, ...], heading: str) -> Chunk:
    return next(chunk for chunk in chunks if chunk.heading_path[-1] == heading)


@pytest.fixture
def chunks() -> tuple[Chunk, ...]:
    return chunks_of(BOOK)


@pytest.fixture
def models(chat_server: FakeOpenAi, tmp_path: Path) -> Callable[..., ModelPassages]:
    """Describers that share a folder of answers, as the runs of one home do."""
    chat_server.answering, chat_server.retry_after = describing, "0.001"

    def made(environment: Mapping[str, str] | None = None, **options: Any) -> ModelPassages:
        access = Access.of_environment(chat_server.environment if environment is None else environment)
        known: dict[str, Any] = {"price": chat_price(MODEL), "retries": 1, "timeout": 5.0}
        return ModelPassages(access, tmp_path / "models", ModelOptions(MODEL, **known | options))

    return made
