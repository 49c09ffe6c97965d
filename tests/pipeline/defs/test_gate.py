from dataclasses import replace

import dagster as dg
import pytest

from evals.questions.question_sets import questions_version
from pipeline.building.library_records import RECORDS, made_of, records_version
from pipeline.definitions import load
from pipeline.defs.ingest_checks import BOOK_GATE
from pipeline.defs.live import GATE, open_objections
from retrieval.home import Home

SNAPSHOT = "5ab1e"
ALL = (*BOOK_GATE, *GATE)


@pytest.fixture
def instance(tiny: Home, instance: dg.DagsterInstance) -> dg.DagsterInstance:
    metadata = {"snapshot": dg.MetadataValue.text(SNAPSHOT), "made_of": made_of(tiny, ["tiny"])}
    instance.report_runless_asset_event(dg.AssetMaterialization("candidate_index", metadata=metadata))
    return instance


def report(instance, home, key, *, passed=True, snapshot=SNAPSHOT, severity=dg.AssetCheckSeverity.ERROR):
    asset = key.asset_key.to_user_string()
    metadata = {"snapshot": snapshot, "questions": questions_version(home.settings.questions)}
    if asset in RECORDS:
        metadata = {"records": records_version(home, ["tiny"], asset)}
    instance.report_runless_asset_event(
        dg.AssetCheckEvaluation(
            asset_key=key.asset_key,
            check_name=key.name,
            passed=passed,
            severity=severity,
            description="row 6 is gone",
            metadata={name: dg.MetadataValue.text(value) for name, value in metadata.items()},
        )
    )


def objections(instance: dg.DagsterInstance, home: Home) -> list[str]:
    return [str(objection) for objection in open_objections(instance, home, SNAPSHOT, BOOK_GATE)]


@pytest.mark.parametrize("key", ALL, ids=lambda key: key.name)
def test_a_check_that_never_ran_objects(instance: dg.DagsterInstance, tiny: Home, key: dg.AssetCheckKey) -> None:
    for other in ALL:
        if other != key:
            report(instance, tiny, other)
    assert objections(instance, tiny) == [f"{key.name} never ran"]


@pytest.mark.parametrize("key", ALL, ids=lambda key: key.name)
def test_a_failed_check_objects_with_its_reason(instance, tiny, key):
    for other in ALL:
        report(instance, tiny, other, passed=other != key)
    assert objections(instance, tiny) == [f"{key.name} failed: row 6 is gone"]


def test_only_scores_that_were_judged_may_be_overruled(instance: dg.DagsterInstance, tiny: Home) -> None:
    for key in ALL:
        report(instance, tiny, key, passed=False)
    objections = open_objections(instance, tiny, SNAPSHOT, BOOK_GATE)
    assert [str(objection).split()[0] for objection in objections if objection.overruled_by == "force"] == [
        "gold_resolves",
        "no_false_exclusions",
        "not_worse_than_live",
        "not_worse_than_best_kept",
    ]
    for key in ALL:
        report(instance, tiny, key, snapshot="0ther")
    assert not any(objection.overruled_by for objection in open_objections(instance, tiny, SNAPSHOT, BOOK_GATE))


def test_a_check_of_another_snapshot_does_not_count(instance: dg.DagsterInstance, tiny: Home) -> None:
    for key in ALL:
        report(instance, tiny, key, snapshot="0ther")
    assert objections(instance, tiny) == [f"{key.name} last ran on another snapshot" for key in GATE]


def test_a_check_of_a_book_as_it_was_before_does_not_count(instance: dg.DagsterInstance, tiny: Home) -> None:
    path = tiny.book("tiny") / "table_rows.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[1:]))
    for key in ALL:
        report(instance, tiny, key)
    assert objections(instance, tiny) == ["every_cell_in_one_row last ran on other records of the books"]


def test_scores_on_other_questions_do_not_count(instance: dg.DagsterInstance, tiny: Home) -> None:
    for key in ALL:
        report(instance, tiny, key)
    query = tiny.root / "questions.jsonl"
    query.write_text("{}\n")
    changed = replace(tiny, settings=replace(tiny.settings, questions=(query,)))
    assert objections(instance, changed) == [
        f"{name} last ran on other questions"
        for name in ("gold_resolves", "no_false_exclusions", "not_worse_than_live", "not_worse_than_best_kept")
    ]


def test_a_snapshot_that_does_not_say_what_it_is_made_of_objects(tiny: Home) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        for key in ALL:
            report(instance, tiny, key)
        assert objections(instance, tiny) == ["nothing records what it was made of; materialize candidate_index"]


def test_nothing_objects_when_every_check_held_last_or_only_warned(instance: dg.DagsterInstance, tiny: Home) -> None:
    for key in ALL:
        report(instance, tiny, key)
    assert objections(instance, tiny) == []
    for key in ALL:
        report(instance, tiny, key, passed=False, severity=dg.AssetCheckSeverity.WARN)
    assert objections(instance, tiny) == []
    for key in ALL:
        report(instance, tiny, key, passed=False)
        report(instance, tiny, key)
    assert objections(instance, tiny) == []


def queue(instance: dg.DagsterInstance, job: str = "go_live") -> dg.DagsterRun:
    """A run that did not begin, with its checks planned."""
    return instance.create_run_for_job(load().resolve_job_def(job))


def test_a_queued_run_of_the_checks_hides_no_result(instance: dg.DagsterInstance, tiny: Home) -> None:
    for key in ALL:
        report(instance, tiny, key)
    queue(instance)
    assert objections(instance, tiny) == []
    for key in ALL:
        report(instance, tiny, key, passed=key != GATE[0])
    queue(instance)
    assert objections(instance, tiny) == [f"{GATE[0].name} failed: row 6 is gone"]


def test_a_check_is_planned_until_its_run_is_over(instance: dg.DagsterInstance, tiny: Home) -> None:
    for key in (*BOOK_GATE, *(key for key in GATE if key.asset_key.to_user_string() == "candidate_index")):
        report(instance, tiny, key)
    names = ("gold_resolves", "no_false_exclusions", "not_worse_than_live", "not_worse_than_best_kept")
    run = queue(instance)
    assert objections(instance, tiny) == [f"{name} is planned, not run yet" for name in names]
    instance.report_run_canceled(run)
    assert objections(instance, tiny) == [f"{name} never ran" for name in names]


def test_the_promotion_asks_for_the_rules_that_block() -> None:
    assert [(key.asset_key.to_user_string(), key.name) for key in ALL] == [
        ("books", "every_document_has_text"),
        ("books", "every_byte_is_text"),
        ("table_rows", "every_cell_in_one_row"),
        ("predicates", "predicates_are_satisfiable"),
        ("chunks", "every_cell_in_one_chunk"),
        ("chunks", "chunk_ids_are_unique"),
        ("embeddings", "every_chunk_has_a_vector"),
        ("candidate_index", "snapshot_is_whole"),
        ("candidate_index", "snapshot_holds_every_chunk"),
        ("leaderboard", "gold_resolves"),
        ("leaderboard", "no_false_exclusions"),
        ("leaderboard", "not_worse_than_live"),
        ("leaderboard", "not_worse_than_best_kept"),
    ]
