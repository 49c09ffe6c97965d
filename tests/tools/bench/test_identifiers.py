from pathlib import Path

import pytest

from retrieval.errors import IndexMissingError
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.building import build_snapshot
from retrieval.index.snapshot.live import promote
from retrieval.ingest.chunking import chunks_of_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Book, Document
from tools.bench.identifiers import ask_for_identifiers

SIZES = ("large", "xlarge", "2xlarge", "4xlarge", "9xlarge")


def nobody(_doing: str, _done: int, _total: int) -> None:
    """Nobody is told how far it is."""


@pytest.fixture
def instances(tmp_path: Path) -> Path:
    text = "# Quotas\n"
    for family in ("c5", "c5d", "c5n"):
        rows = "".join(rf"| {family}\.{size} | {number} |" + "\n" for number, size in enumerate(SIZES, 3))
        text += f"\n## {family.upper()} instances\n\n| Instance type | Maximum interfaces |\n|---|---|\n{rows}"
    vocabulary = Vocabulary.default()
    chunks = chunks_of_book(Book("quotas", "Quotas", (Document("quotas", "quotas.md", text),)), vocabulary)
    embedder = load_embedder("wordllama")
    vectors = embedder.embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(tmp_path, chunks, vectors, embedder.identity, vocabulary)
    promote(tmp_path, manifest.id)
    return tmp_path


def test_identifiers_are_found_as_typed_without_their_siblings_and_in_parts(instances: Path) -> None:
    report = ask_for_identifiers(instances, 200, nobody)
    assert report.n_identifiers == 15
    typed, parts = report.scores
    assert (typed.form, typed.hit_1, typed.siblings) == ("typed", 1.0, 0.0)
    assert (parts.form, parts.hit_1, parts.siblings < 1) == ("parts", 1.0, True)
    assert report.lines()[2].split() == ["typed", "1.000", "1.000", "0.00"]


def test_a_question_with_an_identifier_gets_its_row_and_no_other_of_the_table(instances: Path) -> None:
    hits = Retriever.open(instances).retrieve("how many interfaces does a c5d.xlarge take").hits
    assert (hits[0].chunk.row_key, hits[0].chunk.cells[1]) == ("c5d.xlarge", "4")
    assert [hit.chunk.row_key for hit in hits if hit.chunk.table_id == hits[0].chunk.table_id] == ["c5d.xlarge"]


def test_an_index_without_identifiers_is_refused(tiny_built: Home) -> None:
    with pytest.raises(IndexMissingError, match=r"no row of .* has an identifier"):
        ask_for_identifiers(tiny_built.root, 10, nobody)
