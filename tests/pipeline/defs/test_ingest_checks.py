"""Every check on books holds on a built home and fails on a home that was broken in one way."""

from collections.abc import Callable
from dataclasses import replace

import dagster as dg
import pytest

from evals.checks import FINDINGS
from pipeline.defs import ingest_checks
from pipeline.runs.in_process import dagster_instance
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.ingest.library.book import NOT_UTF_8
from retrieval.ingest.losses import Loss
from retrieval.types import Book, Chunk, Row

Breakage = Callable[[Home], None]


def emptied_document(home: Home, path: str = "01.md") -> None:
    records = home.book("tiny") / "book.jsonl"
    (book,) = read_jsonl(records, Book)
    others = [document for document in book.documents if document.path != path]
    write_jsonl(records, [replace(book, documents=(*others, replace(book.documents[0], path=path, text="")))])


def guessed_bytes(home: Home, document: str = "01.md") -> None:
    path = home.book("tiny") / "book.jsonl"
    (book,) = read_jsonl(path, Book)
    write_jsonl(path, [replace(book, warnings=(f"{document}: byte 7 {NOT_UTF_8}", "no date"))])


def lost_cell(home: Home) -> None:
    path = home.book("tiny") / "table_rows.jsonl"
    first, *others = read_jsonl(path, Row)
    write_jsonl(path, [replace(first, cells=("", *first.cells[1:])), *others])


def unsatisfiable_predicate(home: Home) -> None:
    path = home.book("tiny") / "predicates.jsonl"
    first, *others = read_jsonl(path, Row)
    write_jsonl(path, [replace(first, query_must='{"contain_range": {"min": 9, "max": 1, "of": ["ac"]}}'), *others])


def range_of_any_number(home: Home) -> None:
    path = home.book("tiny") / "predicates.jsonl"
    rows = [replace(row, cells=(row.key, "1", "2")) for row in read_jsonl(path, Row)]
    write_jsonl(path, [replace(rows[0], query_must='{"contain_range": {"min": 1, "max": 9}}'), *rows[1:]])


def lost_row(home: Home) -> None:
    path = home.book("tiny") / "chunks.jsonl"
    chunks = read_jsonl(path, Chunk)
    last = max(position for position, chunk in enumerate(chunks) if chunk.kind == "row")
    write_jsonl(path, [chunk for position, chunk in enumerate(chunks) if position != last])


def repeated_id(home: Home) -> None:
    path = home.book("tiny") / "chunks.jsonl"
    chunks = read_jsonl(path, Chunk)
    write_jsonl(path, [*chunks, chunks[0]])


def lost_vectors(home: Home) -> None:
    store = EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)
    assert store.prune([]) > 0


def failed_rule(home: Home) -> None:
    loss = Loss("01.md", 3, "the caption of a table", "IndexError: tuple index out of range, titles.py:42")
    write_jsonl(home.book("tiny") / "tables.losses.jsonl", [loss])


BREAKAGES: dict[str, tuple[Breakage, str]] = {
    "every_document_has_text": (emptied_document, "tiny/01.md is empty"),
    "every_byte_is_text": (guessed_bytes, "tiny/01.md: byte 7 is not UTF-8"),
    "every_cell_in_one_row": (lost_cell, "Dagger"),
    "predicates_are_satisfiable": (unsatisfiable_predicate, "Dagger"),
    "predicates_are_careful": (range_of_any_number, "unlabelled_range"),
    "every_cell_in_one_chunk": (lost_row, "Mace"),
    "nothing_is_missing": (failed_rule, "tiny/01.md:3: the caption of a table is missing"),
    "chunk_ids_are_unique": (repeated_id, "used 2 times"),
    "every_chunk_has_a_vector": (lost_vectors, "no vector"),
}
CHECKS = {check.check_key.name: check for check in dg.load_asset_checks_from_modules([ingest_checks])}


def evaluate(name: str, home: Home) -> dg.AssetCheckResult:
    with dagster_instance(home) as instance:
        result = next(iter(CHECKS[name](dg.build_asset_check_context(instance=instance), home=home)))
    assert isinstance(result, dg.AssetCheckResult)
    return result


def test_each_check_has_a_breakage() -> None:
    assert set(BREAKAGES) == set(CHECKS)


@pytest.mark.parametrize("name", BREAKAGES)
def test_it_holds_on_a_built_home(name: str, tiny_built: Home) -> None:
    assert evaluate(name, tiny_built).passed


@pytest.mark.parametrize("name", BREAKAGES)
def test_it_fails_on_a_broken_home_and_names_what_is_broken(name: str, tiny: Home) -> None:
    breakage, words = BREAKAGES[name]
    breakage(tiny)
    result = evaluate(name, tiny)
    assert not result.passed
    assert words in str(result.description)


@pytest.mark.parametrize("key", ingest_checks.HOLDING_KEYS, ids=lambda key: key.name)
def test_a_check_that_holds_only_warns_and_names_each_finding(key: dg.AssetCheckKey, tiny: Home) -> None:
    BREAKAGES[key.name][0](tiny)
    result = evaluate(key.name, tiny)
    assert result.severity is dg.AssetCheckSeverity.WARN
    assert len(result.metadata[FINDINGS].value) == result.metadata["n_counterexamples"].value == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "breakage"), [("every_document_has_text", emptied_document), ("every_byte_is_text", guessed_bytes)]
)
def test_a_document_that_is_not_live_is_only_a_warning(
    name: str, breakage: Callable[[Home, str], None], tiny: Home
) -> None:
    breakage(tiny, "02.md")
    result = evaluate(name, tiny)
    assert not result.passed
    assert FINDINGS not in result.metadata
