from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.ingest.chunking import chunks_of_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Book, Document
from tests.chunks import indexed

FAMILIES, SIZES = ("c5", "c5d", "c5n"), ("large", "xlarge", "2xlarge", "4xlarge", "9xlarge")


@contextmanager
def retriever_of(folder: Path, text: str) -> Iterator[Retriever]:
    book = Book("quotas", "Quotas", (Document("quotas", "quotas.md", text),))
    with indexed(folder, chunks_of_book(book, Vocabulary.default()), load_embedder("wordllama")) as retriever:
        yield retriever


def test_a_question_with_an_identifier_gets_its_row_and_no_other_of_the_table(tmp_path: Path) -> None:
    text = "# Quotas\n"
    for family in FAMILIES:
        rows = "".join(rf"| {family}\.{size} | {number} |" + "\n" for number, size in enumerate(SIZES, 3))
        text += f"\n## {family.upper()} instances\n\n| Instance type | Maximum interfaces |\n|---|---|\n{rows}"
    with retriever_of(tmp_path, text) as retriever:
        for name in (f"{family}.{size}" for family in FAMILIES for size in SIZES):
            hits = retriever.retrieve(f"how many interfaces does a {name} take").hits
            assert hits[0].chunk.row_key == name
            assert [hit.chunk.row_key for hit in hits if hit.chunk.table_id == hits[0].chunk.table_id] == [name]


@pytest.mark.parametrize(
    ("keys", "question", "named"),
    [
        (["192.168.0.0/16", "172.16.0.0/12", "10.0.0.0/8", "127.0.0.0/8"], "what is 10.0.0.0/8 for", "10.0.0.0/8"),
        (["100 kg", "500 kg", "1 000 kg", "2 500 kg"], "how much is 1000 kg", "1 000 kg"),
        (["100 kg", "500 kg", "1,000 kg", "2,500 kg"], "how much is 1 000 kg", "1,000 kg"),
        (["100 kg", "500 kg", "1 000 kg", "2 500 kg"], "how much is 2,500 kg", "2 500 kg"),
    ],
)
def test_a_key_is_named_however_its_figures_are_grouped(tmp_path, keys, question, named):
    rows = "".join(f"| {key} | {number} |\n" for number, key in enumerate(keys, 3))
    with retriever_of(tmp_path, f"# Freight\n\n| Key | Fee |\n|---|---|\n{rows}") as retriever:
        assert [hit.chunk.row_key for hit in retriever.retrieve(question).hits] == [named]
