"""Documents with metadata, and questions that mix a topic with conditions: `docs.jsonl.gz` and `<split>.jsonl`.

Gold is documents, and a document may be several chunks: it is in a ranking once, where its best chunk was, and
its first chunk stands for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evals.questions.gold import AnchorFinding, Resolution
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Anchor, Question
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.library import read_json_lines
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Retrieval
from retrieval.understand.self_query.documents import best_of_documents
from tools.corpora.books import BenchmarkDataError, benchmark_folder, data_file, digest_of, read_records


@dataclass(frozen=True, slots=True)
class DocumentsCorpus:
    """All documents, one index; every split asks about the same ones."""

    set: str
    split: str
    documents: Path
    queries: Path

    @property
    def name(self) -> str:
        """The set's own."""
        return self.set

    @property
    def digest(self) -> str:
        """Hash of the file of documents."""
        return digest_of([self.documents])

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:
        """The documents as one book, cut as any book is."""
        return chunks_of_book(read_json_lines(self.documents, self.set), vocabulary)

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:
        """The questions, asked for documents."""
        questions = tuple(read_records(self.queries, _question))
        if not questions:
            raise BenchmarkDataError(f"{self.queries} holds no question; write one JSON object a line")
        ranker = DocumentRanker(retriever, chunks)
        return (QuestionSet(self.set, self.split, questions, ranker.resolution(questions), ranker.ask),)


def read_documents(name: str, folder: Path, split: str) -> tuple[DocumentsCorpus, ...]:
    """The documents with the questions of a split.

    Raises:
        BenchmarkDataError: no such folder, or no such split in it.
    """
    root = benchmark_folder(folder)
    return (DocumentsCorpus(name, split, data_file(root, "docs"), data_file(root, split)),)


class DocumentRanker:
    """Ranks documents by their best chunks.

    Args:
        retriever: over an index of the documents.
        chunks: those of the index.
    """

    def __init__(self, retriever: Retriever, chunks: Sequence[Chunk]) -> None:
        self._retriever = retriever
        self._first: dict[str, Chunk] = {}
        for chunk in sorted(chunks, key=lambda chunk: (chunk.document, chunk.position)):
            self._first.setdefault(chunk.document, chunk)

    def resolution(self, questions: Sequence[Question]) -> Resolution:
        """Gold documents by their first chunks."""
        stale = tuple(
            AnchorFinding(question.id, anchor, f"document {anchor.document!r} is not in the index")
            for question in questions
            for anchor in question.gold
            if anchor.document not in self._first
        )
        lost = {finding.question_id for finding in stale}
        gold = {
            question.id: tuple(self._first[anchor.document or ""].id for anchor in question.gold)
            for question in questions
            if question.gold and question.id not in lost
        }
        return Resolution(gold, stale, (), sum(bool(question.gold) for question in questions))

    def ask(self, question: Question, k: int, strategy: Strategy) -> Retrieval:
        """The k best documents."""
        result, ranked = best_of_documents(self._retriever, question.query, k, strategy)
        hits = (
            replace(hit, chunk=self._first[document], rank=rank)
            for rank, ((_, document), hit) in enumerate(ranked.items(), start=1)
        )
        return replace(result, hits=tuple(hits))


def _question(record: Mapping[str, Any]) -> Question:
    return Question(
        id=record["id"],
        query=record["query"],
        kind=record["kind"],
        gold=tuple(Anchor(document=name) for name in record["gold"]),
    )
