"""The test cases of the contract, by their names there."""

from dataclasses import fields, replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from retrieval.clock import Clock
from retrieval.rag.contract import (
    DOC_TYPES,
    DocumentChunk,
    IngestionResult,
    RAGContext,
    RetrieveRequest,
    RuleDocument,
)
from retrieval.rag.pipeline import RAGPipeline

KEY = "test:user1"


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (RetrieveRequest, "query context_key max_chunks min_relevance"),
        (
            RAGContext,
            "context_id query_id document_chunks relevance_scores total_chunks avg_relevance meets_threshold reason",
        ),
        (DocumentChunk, "chunk_id document_id text metadata relevance_score position_in_doc"),
        (RuleDocument, "document_id filename content metadata"),
        (
            IngestionResult,
            "job_id documents_processed documents_failed embedding_count errors warnings duration_seconds",
        ),
    ],
)
def test_the_records_have_the_fields_of_the_contract(record: type, names: str) -> None:
    assert [field.name for field in fields(record)] == names.split()


def test_contract_1_retrieve_with_high_relevance(skirmish: RAGPipeline) -> None:
    found = skirmish.retrieve(query="What can I do during movement?", context_key=KEY)
    assert found.avg_relevance >= 0.8
    assert found.meets_threshold
    assert found.document_chunks[0].metadata["section"] == "Movement Phase"
    assert found.document_chunks[0].metadata["document"] == "rules-1-phases.md"
    assert len(found.document_chunks) >= 1


def test_contract_2_retrieve_with_low_relevance(weapons_home: Path) -> None:
    found = RAGPipeline(weapons_home).retrieve(query="How do I cook pasta?", context_key=KEY)
    assert not found.meets_threshold
    assert found.document_chunks == []
    assert found.avg_relevance < 0.6
    assert found.reason.startswith("nothing in these books answers")


def test_contract_3_chunk_ordering(skirmish: RAGPipeline) -> None:
    found = skirmish.retrieve(query="Barricade rules", context_key=KEY)
    scores = [chunk.relevance_score for chunk in found.document_chunks]
    assert len(scores) >= 2
    assert scores == sorted(scores, reverse=True) == found.relevance_scores
    assert found.total_chunks == len(scores)
    assert found.avg_relevance == pytest.approx(np.mean(scores))


OF_EACH_KIND = {
    "core-rules": "range of the long rifle",
    "faq": "Does a blast hit a member behind a closed door?",
    "team-rules": "How many wounds does the pump mate have?",
    "ops": "mission carry the coals",
    "killzone": "slag barricades in the foundry",
}


@pytest.mark.parametrize("doc_type", DOC_TYPES)
def test_contract_4_metadata_completeness(skirmish: RAGPipeline, doc_type: str) -> None:
    found = skirmish.retrieve(OF_EACH_KIND[doc_type], KEY)
    assert found.document_chunks[0].metadata["doc_type"] == doc_type
    for chunk in found.document_chunks:
        assert chunk.metadata["source"].startswith("Cinder Alley")
        assert chunk.metadata["doc_type"] in DOC_TYPES
        assert date.fromisoformat(chunk.metadata["last_update_date"]) > date(2026, 1, 1)
        assert chunk.metadata["section"]


def test_contract_5_ingest_idempotency(weapons: RAGPipeline, documents: dict[str, RuleDocument]) -> None:
    given = documents["weapon-rules.md"]
    before = weapons.retrieve("range of the long rifle", KEY)
    updated = replace(given, content=given.content.replace("30 inches", "33 inches"))

    done = weapons.ingest([updated])

    assert (done.documents_processed, done.documents_failed, done.errors) == (1, 0, [])
    assert done.embedding_count == 1, "of one changed row"
    after = weapons.retrieve("range of the long rifle", KEY)
    assert "30 inches" in before.document_chunks[0].text
    assert "33 inches" in after.document_chunks[0].text
    assert not any("30 inches" in chunk.text for chunk in after.document_chunks)
    assert after.document_chunks[0].document_id == given.document_id
    again = weapons.ingest([updated])
    assert (again.documents_processed, again.embedding_count) == (1, 0)
    assert weapons.retrieve("range of the long rifle", KEY) == after


def test_contract_6_performance_sla(made_once, documents: dict[str, RuleDocument]) -> None:
    def make(folder: Path) -> None:
        given = documents["faq.md"]
        many = [
            RuleDocument(
                document_id=type(given.document_id)(int=number),
                filename=f"doc-{number}.md",
                content=f"# Document {number}\n\n## Rule {number}\n\nThe test of rule {number} needs {number} dice.\n",
                metadata={"source": "Many", "doc_type": "core-rules", "last_update_date": "2026-01-01"},
            )
            for number in range(100)
        ]
        assert RAGPipeline(folder / "home").ingest(many).documents_processed == 100

    pipeline = RAGPipeline(made_once("hundred", make) / "home")
    times = []
    for number in range(40):
        clock = Clock()
        pipeline.retrieve("test", f"test:user{number}")
        times.append(clock.seconds)
    assert np.quantile(times, 0.95) <= 5.0
