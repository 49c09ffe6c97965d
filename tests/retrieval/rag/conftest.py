"""Homes with the documents of the skirmish game, made once for all test processes."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from evals.sample import SKIRMISH
from retrieval.rag.contract import RuleDocument, read_rule_documents
from retrieval.rag.pipeline import RAGPipeline
from tools.bench.contract import hundred_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    MadeOnce = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def documents() -> dict[str, RuleDocument]:
    """The documents of the skirmish game by file name."""
    return {document.filename: document for document in read_rule_documents(SKIRMISH)}


@pytest.fixture(scope="session")
def hundred() -> list[RuleDocument]:
    """Those of the contract's performance case."""
    return hundred_documents()


@pytest.fixture(scope="session")
def skirmish_home(made_once: MadeOnce, documents: dict[str, RuleDocument]) -> Path:
    """A home with all of them. Never change it."""
    return made_once("skirmish", lambda folder: _ingested(folder / "home", *documents.values())) / "home"


@pytest.fixture(scope="session")
def weapons_home(made_once: MadeOnce, documents: dict[str, RuleDocument]) -> Path:
    """A home with the weapon rules alone. Never change it."""
    return made_once("weapons", lambda folder: _ingested(folder / "home", documents["weapon-rules.md"])) / "home"


CARDS = """# Emergency cards

## Coma score

| Score | Meaning | Action |
|---|---|---|
| 13-15 | Mild injury | Observe four hours |
| 9-12 | Moderate injury | CT head |
| 3-8 | Severe injury | Intubate |

## Warfarin reversal

| INR | Bleeding | Treatment |
|---|---|---|
| <5 | none | Omit one dose |
| 5-9 | none | Omit two doses |
| >9 | none | Vitamin K 2.5 mg |

## 服务器

| 服务 | 端口 | 协议 |
|---|---|---|
| 配置节点 | 10710 | TCP |
| 数据节点 | 10730 | TCP |
| 监控服务 | 9091 | HTTP |

备份每天夜里两点开始。只有管理员可以恢复备份。

## Doses

- **Paracetamol**

| Weight | Dose | Interval |
|---|---|---|
| 10-20 kg | 250 mg | 6 h |
| 21-40 kg | 500 mg | 6 h |

- **Ibuprofen**

| Weight | Dose | Interval |
|---|---|---|
| 10-20 kg | 100 mg | 8 h |
| 21-40 kg | 200 mg | 8 h |
"""


@pytest.fixture(scope="session")
def cards_home(made_once: MadeOnce) -> Path:
    """A home with the document `CARDS`. Never change it."""
    metadata = {"source": "Cards", "doc_type": "faq", "last_update_date": "2024-03-05"}
    document = RuleDocument(UUID(int=1), "cards.md", CARDS, metadata)
    return made_once("cards", lambda folder: _ingested(folder / "home", document)) / "home"


@pytest.fixture(scope="session")
def hundred_home(made_once: MadeOnce, hundred: list[RuleDocument]) -> Path:
    """A home with them. Never change it."""
    return made_once("hundred", lambda folder: _ingested(folder / "home", *hundred)) / "home"


@pytest.fixture(scope="module")
def contract_over(request: pytest.FixtureRequest) -> Iterator[Callable[[str], RAGPipeline]]:
    """The contract over the homes above by name; only asked."""
    open_ones: dict[str, RAGPipeline] = {}

    def over(name: str) -> RAGPipeline:
        if name not in open_ones:
            open_ones[name] = RAGPipeline(request.getfixturevalue(f"{name}_home"))
        return open_ones[name]

    yield over
    for one in open_ones.values():
        one.close()


@pytest.fixture(scope="session")
def skirmish(skirmish_home: Path) -> RAGPipeline:
    """The contract over all documents; only asked."""
    return RAGPipeline(skirmish_home)


@pytest.fixture
def weapons(weapons_home: Path, tmp_path: Path) -> RAGPipeline:
    """The contract over a copy of the small home, to be changed."""
    shutil.copytree(weapons_home, tmp_path / "weapons")
    return RAGPipeline(tmp_path / "weapons")


def _ingested(home: Path, *documents: RuleDocument) -> None:
    done = RAGPipeline(home).ingest(documents)
    assert (done.documents_processed, done.documents_failed) == (len(documents), 0), done.warnings
