from pathlib import Path

from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.building import build_snapshot
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.ingest.chunking import chunks_of_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Book, Document

FAMILIES, SIZES = ("c5", "c5d", "c5n"), ("large", "xlarge", "2xlarge", "4xlarge", "9xlarge")


def test_a_question_with_an_identifier_gets_its_row_and_no_other_of_the_table(tmp_path: Path) -> None:
    text = "# Quotas\n"
    for family in FAMILIES:
        rows = "".join(rf"| {family}\.{size} | {number} |" + "\n" for number, size in enumerate(SIZES, 3))
        text += f"\n## {family.upper()} instances\n\n| Instance type | Maximum interfaces |\n|---|---|\n{rows}"
    vocabulary, embedder = Vocabulary.default(), load_embedder("wordllama")
    chunks = chunks_of_book(Book("quotas", "Quotas", (Document("quotas", "quotas.md", text),)), vocabulary)
    vectors = embedder.embed([chunk.search_text for chunk in chunks])
    made = build_snapshot(tmp_path, chunks, vectors, embedder.identity, vocabulary)
    with open_snapshot(tmp_path, made.id) as snapshot:
        retriever = Retriever(snapshot, embedder)
        for name in (f"{family}.{size}" for family in FAMILIES for size in SIZES):
            hits = retriever.retrieve(f"how many interfaces does a {name} take").hits
            assert hits[0].chunk.row_key == name
            assert [hit.chunk.row_key for hit in hits if hit.chunk.table_id == hits[0].chunk.table_id] == [name]
