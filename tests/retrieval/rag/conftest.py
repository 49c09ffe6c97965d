"""Homes with the documents of the skirmish game, made once for all test processes."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from evals.sample import SKIRMISH
from retrieval.rag.contract import read_rule_documents
from retrieval.rag.pipeline import RAGPipeline
from tools.bench.contract import hundred_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from retrieval.rag.contract import RuleDocument

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
