from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.strategy import Strategy
from tools.corpora.documents import DocumentsCorpus, read_documents

BM25 = Strategy("bm25", lexical_weight=1.0)
LONG = "\n\n".join(
    f"The walrus operator assigns, part {part}. " + "Filler words follow here. " * 40 for part in range(4)
)


@pytest.fixture
def corpus(tmp_path: Path, lines) -> DocumentsCorpus:
    metadata = {"number": 572, "authors": ["A", "B"], "topic": [], "python_version_key": None}
    documents = [
        {"doc_id": "pep-0572", "title": "Assignment", "text": LONG, "metadata": metadata},
        {"doc_id": "pep-0008", "title": "Style", "text": "Names and the walrus.", "metadata": {"number": 8}},
        {"doc_id": "pep-0020", "title": "Zen", "text": "Simple is better.", "metadata": {"number": 20}},
    ]
    queries = [
        {"id": "q1", "kind": "and", "query": "walrus operator", "gold": ["pep-0572"], "filter": {}},
        {"id": "q2", "kind": "trap", "query": "simple", "gold": ["pep-0020", "pep-9999"], "filter": {}},
    ]
    lines(tmp_path / "docs" / "docs.jsonl.gz", documents)
    lines(tmp_path / "docs" / "open.jsonl", queries)
    (result,) = read_documents("self-query", tmp_path / "docs", "open")
    return result


def test_a_document_stands_once_where_its_best_chunk_stood(corpus: DocumentsCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        (questions,) = corpus.question_sets(retriever, chunks)
        assert sum(chunk.document == "pep-0572" for chunk in chunks) > 3
        assert questions.ask is not None
        raw = retriever.retrieve("part 3", 15, BM25)
        result = questions.ask(replace(questions.questions[0], query="part 3"), 2, BM25)
    assert (raw.hits[0].chunk.document, raw.hits[0].chunk.position > 0) == ("pep-0572", True)
    assert [hit.chunk.document for hit in result.hits].count("pep-0572") == 1
    assert (result.hits[0].chunk.position, result.hits[0].score) == (0, raw.hits[0].score)
    assert [hit.rank for hit in result.hits] == [1, 2]
    assert questions.gold(questions.questions[0]) == (result.hits[0].chunk.id,)


def test_asking_for_more_documents_than_there_are_gives_all(corpus: DocumentsCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        (questions,) = corpus.question_sets(retriever, chunks)
        assert questions.ask is not None
        assert len(questions.ask(questions.questions[0], 100, BM25).hits) == 3


def test_metadata_reach_the_chunks_and_nothing_stands_for_none(corpus: DocumentsCorpus, opened) -> None:
    with opened(corpus) as (_, chunks):
        metadata = [chunk.metadata for chunk in chunks if chunk.document == "pep-0572"]
    assert metadata
    assert all((each["authors"], each["number"], each["topic"]) == (("A", "B"), 572, ()) for each in metadata)
    assert not any("python_version_key" in each for each in metadata)


def test_gold_that_is_not_among_the_documents_is_stale(corpus: DocumentsCorpus, opened) -> None:
    with opened(corpus) as (retriever, chunks):
        (questions,) = corpus.question_sets(retriever, chunks)
    assert [str(finding) for finding in questions.resolution.stale] == ["q2: document 'pep-9999' is not in the index"]
    assert questions.resolution.evaluability == 0.5
