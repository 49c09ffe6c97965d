"""The checks on scores hold on the sample and fail where its snapshot or its questions were broken in one way."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from evals.checks import score_checks
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.snapshot.live import promote
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk

CHECKS = {check.check_key.name: check for check in score_checks}


@pytest.fixture
def changed(sample_copy: Home, few_questions: Path) -> Home:
    """A copy of the sample home with few of its questions; what is live stays, the candidate may be replaced."""
    return replace(sample_copy, settings=replace(sample_copy.settings, questions=(few_questions,)))


def evaluated(name: str, home: Home) -> dg.AssetCheckResult:
    result = next(iter(CHECKS[name](home=home)))
    assert isinstance(result, dg.AssetCheckResult)
    return result


def nominate(home: Home, change: Callable[[Chunk], Chunk]) -> None:
    """Build a snapshot of the sample's chunks, each changed, and make it the candidate."""
    with open_snapshot(home.root) as snapshot:
        chunks = [change(chunk) for chunk in snapshot.chunks]
    embedder = load_embedder(home.settings.embedder)
    vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
    home.nominate(build_snapshot(home.root, chunks, vectors, embedder.identity, Vocabulary.default()).id)


def asking(home: Home, folder: Path, change: Callable[[list[dict]], None]) -> Home:
    """The home with a changed copy of the sample's questions."""
    questions = [json.loads(line) for line in home.settings.questions[0].read_text("utf-8").splitlines()]
    change(questions)
    path = folder / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, questions)), "utf-8")
    return replace(home, settings=replace(home.settings, questions=(path,)))


@pytest.mark.parametrize("check", CHECKS)
def test_it_holds_on_the_sample_and_names_its_snapshot(check: str, sample: Home) -> None:
    result = evaluated(check, sample)
    assert result.passed, result.description
    assert result.metadata["snapshot"] == dg.MetadataValue.text(sample.candidate)


@pytest.mark.parametrize("check", CHECKS)
def test_without_questions_nothing_contradicts_it(check: str, sample: Home) -> None:
    result = evaluated(check, replace(sample, settings=replace(sample.settings, questions=())))
    assert result.passed
    assert result.description == "no questions were given"


def test_one_stale_anchor_warns_and_names_its_question(sample_copy: Home, tmp_path: Path) -> None:
    def spoil(questions: list[dict]) -> None:
        questions[0]["gold"][0]["snippet"] = "| 6 | no such row |"
        del questions[24:]  # of so many one is less than a twentieth

    result = evaluated("gold_resolves", asking(sample_copy, tmp_path, spoil))
    assert not result.passed
    assert result.severity is dg.AssetCheckSeverity.WARN
    assert "sample-001" in str(result.description)


def test_much_stale_gold_blocks(changed: Home, tmp_path: Path) -> None:
    def spoil(questions: list[dict]) -> None:
        for question in questions[:10]:
            for anchor in question["gold"]:
                anchor["snippet"] = "| 6 | no such row |"

    result = evaluated("gold_resolves", asking(changed, tmp_path, spoil))
    assert not result.passed
    assert result.severity is dg.AssetCheckSeverity.ERROR


def test_gold_that_its_own_predicate_refuses_is_a_false_exclusion(changed: Home, tmp_path: Path) -> None:
    def spoil(questions: list[dict]) -> None:
        questions[0]["query"] = questions[0]["query"].replace("AC 6", "AC 7")

    result = evaluated("no_false_exclusions", asking(changed, tmp_path, spoil))
    assert not result.passed
    table = result.metadata["against_it"]
    assert isinstance(table, dg.TableMetadataValue)
    (line,) = (record.data for record in table.records)
    assert (line["strategy"], line["question_ids"]) == ("default", "sample-001")
    assert "sample-001" in str(result.description)


def test_predicates_that_every_question_satisfies_lessen_no_noise(changed: Home) -> None:
    nominate(changed, lambda chunk: replace(chunk, query_must=chunk.query_must and '{"contain_one_of": [[]]}'))
    result = evaluated("query_must_lessens_noise", changed)
    assert not result.passed
    assert result.severity is dg.AssetCheckSeverity.WARN


def test_a_candidate_that_finds_nothing_is_worse_than_live(changed: Home) -> None:
    nominate(changed, lambda chunk: replace(chunk, search_text=chunk.id, names=()))
    result = evaluated("not_worse_than_live", changed)
    assert not result.passed
    assert "mrr" in str(result.description)


@pytest.mark.slow
def test_a_candidate_is_not_held_to_what_was_live_of_another_library(changed: Home) -> None:
    good = changed.candidate
    nominate(changed, lambda chunk: replace(chunk, source="other words", row_key=None, heading_path=("Other",)))
    promote(changed.root, changed.candidate)
    changed.nominate(good)
    assert evaluated("not_worse_than_live", changed).passed


@pytest.mark.slow
def test_a_question_file_of_a_new_book_does_not_hide_what_became_worse(changed: Home, tmp_path: Path) -> None:
    new = {"id": "new-1", "query": "What is new?", "gold": [{"snippet": "a sentence of a book that is new"}]}
    (tmp_path / "new.jsonl").write_text(json.dumps(new), "utf-8")
    home = replace(
        changed, settings=replace(changed.settings, questions=(*changed.settings.questions, tmp_path / "new.jsonl"))
    )

    def spoil(chunk: Chunk) -> Chunk:
        source = chunk.source + " a sentence of a book that is new" if chunk.kind == "prose" else chunk.source
        return replace(chunk, source=source, search_text=chunk.id, names=())

    nominate(home, spoil)
    result = evaluated("not_worse_than_live", home)
    assert not result.passed
    assert "mrr" in str(result.description)


@pytest.mark.slow
def test_what_is_live_and_cannot_be_read_keeps_nothing_from_going_live(changed: Home) -> None:
    manifest = changed.root / "snapshots" / changed.candidate / "manifest.json"
    good = changed.candidate
    nominate(changed, lambda chunk: replace(chunk, source=chunk.source + " "))
    manifest.write_text(json.dumps(json.loads(manifest.read_text("utf-8")) | {"schema_version": 1}), "utf-8")
    assert good != changed.candidate
    result = evaluated("not_worse_than_live", changed)
    assert result.passed
    assert "schema version 1" in str(result.description)
