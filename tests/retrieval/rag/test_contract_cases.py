"""The test cases of the contract, by their names there."""

import shutil
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import date

import numpy as np
import pytest

from retrieval.clock import Clock
from retrieval.rag.contract import DOC_TYPES, DocumentChunk, IngestionResult, RAGContext, RetrieveRequest, RuleDocument
from retrieval.rag.pipeline import RAGPipeline

KEY = "test:user1"

ContractOver = Callable[[str], RAGPipeline]


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


def test_contract_1_retrieve_with_high_relevance(contract_over: ContractOver) -> None:
    result = contract_over("skirmish").retrieve(query="What can I do during movement?", context_key=KEY)
    assert result.avg_relevance >= 0.8
    assert result.meets_threshold
    assert result.document_chunks[0].metadata["section"] == "Movement Phase"
    assert result.document_chunks[0].metadata["document"] == "rules-1-phases.md"
    assert len(result.document_chunks) >= 1


def test_contract_2_retrieve_with_low_relevance(contract_over: ContractOver) -> None:
    result = contract_over("weapons").retrieve(query="How do I cook pasta?", context_key=KEY)
    assert not result.meets_threshold
    assert result.document_chunks == []
    assert result.avg_relevance < 0.6
    assert result.reason.startswith("nothing in these books answers")


def test_contract_3_chunk_ordering(contract_over: ContractOver) -> None:
    result = contract_over("skirmish").retrieve(query="Barricade rules", context_key=KEY)
    scores = [chunk.relevance_score for chunk in result.document_chunks]
    assert len(scores) >= 2
    assert scores == sorted(scores, reverse=True) == result.relevance_scores
    assert result.total_chunks == len(scores)
    assert result.avg_relevance == pytest.approx(np.mean(scores))


OF_EACH_KIND = {
    "core-rules": "range of the long rifle",
    "faq": "Does a blast hit a member behind a closed door?",
    "team-rules": "How many wounds does the pump mate have?",
    "ops": "mission carry the coals",
    "killzone": "slag barricades in the foundry",
}


@pytest.mark.parametrize("doc_type", DOC_TYPES)
def test_contract_4_metadata_completeness(contract_over: ContractOver, doc_type: str) -> None:
    result = contract_over("skirmish").retrieve(OF_EACH_KIND[doc_type], KEY)
    assert result.document_chunks[0].metadata["doc_type"] == doc_type
    for chunk in result.document_chunks:
        assert chunk.metadata["source"].startswith("Cinder Alley")
        assert chunk.metadata["doc_type"] in DOC_TYPES
        assert date.fromisoformat(chunk.metadata["last_update_date"]) > date(2026, 1, 1)
        assert chunk.metadata["section"]


def test_contract_5_ingest_idempotency(contract_over, documents, tmp_path):
    given, weapons = (
        documents["weapon-rules.md"],
        RAGPipeline(shutil.copytree(contract_over("weapons").home.root, tmp_path / "home")),
    )
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


def test_contract_6_performance_sla(contract_over: ContractOver) -> None:
    pipeline = contract_over("hundred")
    times = []
    for number in range(40):
        clock = Clock()
        pipeline.retrieve("test", f"test:user{number}")
        times.append(clock.seconds)
    assert np.quantile(times, 0.95) <= 5.0
