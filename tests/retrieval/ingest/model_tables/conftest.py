"""Tables of a small book, and a folder of answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from retrieval.ingest.model_tables.transforming import ModelTables, OfflineTables
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.access import Access
from retrieval.models.spending import ModelOptions, chat_price
from retrieval.types import Book, Document
from tests.openai_server.server import FakeOpenAi
from tests.openai_server.table_model import answer_about

MODEL = "gpt-4o-mini"
BOOK = """# Combat

## Attack Matrix for Clerics and Druids

| Opponent AC | Level 1-3 | Level 4-6 | Level 7+ |
|---|---|---|---|
| 9 | 11 | 9 | 7 |
| 8 | 12 | 10 | 8 |
| 7 | 13 | 11 | 9 |

## Weapons

| Weapon | Damage | Weight |
|---|---|---|
| Crossbow, heavy† | 1d4+1 | 80 |
| Crossbow, light | 1d4 | 40 |
| Dagger |  | 10 |

† Two hands.
"""


def tables_of(text: str) -> tuple[Table, ...]:
    return parse_book(Book("b", "B", (Document("b", "combat.md", text),))).tables


@pytest.fixture
def tables() -> tuple[Table, ...]:
    return tables_of(BOOK)


@pytest.fixture
def offline(tables: Sequence[Table]) -> OfflineTables:
    return OfflineTables.of(tables, Vocabulary.default(), [BOOK])


@pytest.fixture
def models(chat_server: FakeOpenAi, tmp_path: Path) -> Callable[..., ModelTables]:
    """Readers of tables that share a folder of answers, as the runs of one home do."""

    def made(key: str | None = None, **options: Any) -> ModelTables:
        access = Access.of_environment(chat_server.environment | ({} if key is None else {"OPENAI_API_KEY": key}))
        known: dict[str, Any] = {"price": chat_price(MODEL), "retries": 1, "timeout": 5.0}
        return ModelTables(access, tmp_path / "models", ModelOptions(MODEL, **known | options))

    return made


def reply(told: str) -> dict[str, Any]:
    """What a model that makes no mistake says about a request; tests change it."""
    return answer_about(json.loads(told))


def weapons(count: int) -> tuple[Table, ...]:
    """Tables of one book, each of another nation."""
    table = "| Weapon | Damage |\n|---|---|\n| Sword of {0} | 1d6 |\n| Axe of {0} | 1d8 |\n"
    return tables_of("# Arms\n\n" + "\n".join(f"## Nation {n}\n\n{table.format(n)}" for n in range(count)))
