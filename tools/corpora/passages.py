"""Collections of judged passages: `<collection>.corpus.jsonl.gz` and `<collection>.<split>.jsonl.gz`.

A passage is one chunk, title and text, and its chunk id is its own id, so that run files can be compared with others'.
Judgements are binary; `graded_ndcg@10` reads the grades where a collection has them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evals.questions.gold import AnchorFinding, Resolution
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Anchor, Question
from evals.scored_questions import ScoredQuestion
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Retrieval
from tools.corpora.books import (
    BenchmarkDataError,
    Corpus,
    benchmark_folder,
    data_file,
    digest_of,
    read_records,
    stems,
)

KIND = "passage"


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query with its judgements. Key: id."""

    id: str
    query: str
    relevant: tuple[str, ...]
    """Passage ids."""
    grades: Mapping[str, int]
    """Gain by passage id, above 0; empty where nobody graded."""
    unexplained: frozenset[str]
    """Passages whose judgement nobody can read; they leave every ranking before it is scored."""


@dataclass(frozen=True, slots=True)
class PassagesCorpus:
    """One collection, an index of its own; in reports it is a book."""

    set: str
    split: str
    name: str
    corpus: Path
    queries: Path

    @property
    def digest(self) -> str:
        """Hash of the file of passages."""
        return digest_of([self.corpus])

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:  # noqa: ARG002
        """Every passage as a chunk, uncut."""
        return tuple(read_records(self.corpus, self._chunk))

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:
        """The collection's queries; gold by passage id."""
        queries = tuple(read_records(self.queries, _query))
        known = {chunk.id for chunk in chunks}
        questions = tuple(
            Question(query.id, query.query, self.name, KIND, tuple(Anchor(self.name, document=name) for name in gold))
            for query in queries
            if (gold := query.relevant)
        )
        if not questions:
            raise BenchmarkDataError(f"{self.queries} holds no query with a relevant passage")
        unexplained = {query.id: query.unexplained for query in queries}
        ask = _Dropper(retriever, unexplained).ask
        return (QuestionSet(self.set, self.split, questions, _resolution(questions, known), ask, unexplained),)

    def _chunk(self, record: Mapping[str, Any]) -> Chunk:
        title, text = str(record["title"]), str(record["text"])
        whole = f"{title}\n{text}".strip()
        return Chunk(
            id=str(record["_id"]),
            book=self.name,
            document=str(record["_id"]),
            kind="prose",
            text=whole,
            search_text=whole,
            source=whole,
            lines=(1, 1),
            heading_path=(title,) if title else (),
        )


def read_passages(name: str, folder: Path, split: str) -> tuple[PassagesCorpus, ...]:
    """Every collection of a folder that has queries of this split.

    Raises:
        BenchmarkDataError: no such folder, or no collection in it has such queries.
    """
    root = benchmark_folder(folder)
    passages = [stem for stem in stems(root, ".corpus") if stem in stems(root, f".{split}")]
    if not passages:
        there = ", ".join(stems(root, ".corpus")) or "none"
        raise BenchmarkDataError(f"{root} has no <collection>.{split}.jsonl.gz; collections: {there}")
    return tuple(
        PassagesCorpus(
            name, split, passage, data_file(root, f"{passage}.corpus"), data_file(root, f"{passage}.{split}")
        )
        for passage in passages
    )


def with_graded_ndcg(corpus: Corpus, rows: Sequence[ScoredQuestion]) -> tuple[ScoredQuestion, ...]:
    """The rows with `graded_ndcg@10` wherever somebody graded; all other rows as they are."""
    if not isinstance(corpus, PassagesCorpus):
        return tuple(rows)
    grades = {record.id: record.grades for record in read_records(corpus.queries, _query) if record.grades}
    return tuple(
        replace(row, values={**row.values, "graded_ndcg@10": graded_ndcg(row.chunk_ids, grades[row.question_id])})
        if row.question_id in grades
        else row
        for row in rows
    )


def graded_ndcg(ranking: Sequence[str], grades: Mapping[str, int], cutoff: int = 10) -> float:
    """nDCG with the grade as linear gain, as trec_eval's ndcg_cut (Järvelin and Kekäläinen, 2002)."""
    result = sum(grades.get(name, 0) / math.log2(rank + 1) for rank, name in enumerate(ranking[:cutoff], start=1))
    best = sorted(grades.values(), reverse=True)[:cutoff]
    return result / sum(gain / math.log2(rank + 1) for rank, gain in enumerate(best, start=1))


class _Dropper:
    """Asks for more passages, so that k are left when the unexplained ones are dropped."""

    def __init__(self, retriever: Retriever, unexplained: Mapping[str, frozenset[str]]) -> None:
        self._retriever, self._unexplained = retriever, unexplained

    def ask(self, question: Question, k: int, strategy: Strategy) -> Retrieval:
        dropped = self._unexplained[question.id]
        result = self._retriever.retrieve(question.query, k + len(dropped), strategy)
        kept = [hit for hit in result.hits if hit.chunk.id not in dropped][:k]
        return replace(result, hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1)))


def _resolution(questions: Sequence[Question], known: set[str]) -> Resolution:
    stale = tuple(
        AnchorFinding(question.id, anchor, f"passage {anchor.document!r} is not in the collection")
        for question in questions
        for anchor in question.gold
        if anchor.document not in known
    )
    lost = {finding.question_id for finding in stale}
    gold = {
        question.id: tuple(anchor.document or "" for anchor in question.gold)
        for question in questions
        if question.id not in lost
    }
    return Resolution(gold, stale, (), len(questions))


def _query(record: Mapping[str, Any]) -> JudgedQuery:
    return JudgedQuery(
        id=str(record["query_id"]),
        query=record["query"],
        relevant=tuple(name for name, relevance in record["qrels"].items() if relevance > 0),
        grades={name: grade for name, grade in record.get("graded", {}).items() if grade > 0},
        unexplained=frozenset(record.get("unexplained", ())),
    )
