from collections.abc import Iterator

import dagster as dg
import pytest

from pipeline.building.gate import GATE, open_objections

SNAPSHOT = "5ab1e"


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def report(
    instance: dg.DagsterInstance,
    key: dg.AssetCheckKey,
    *,
    passed: bool = True,
    snapshot: str = SNAPSHOT,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> None:
    instance.report_runless_asset_event(
        dg.AssetCheckEvaluation(
            asset_key=key.asset_key,
            check_name=key.name,
            passed=passed,
            severity=severity,
            description="row 6 is gone",
            metadata={"snapshot": dg.MetadataValue.text(snapshot)},
        )
    )


def test_nothing_objects_when_every_check_held_for_this_snapshot(instance: dg.DagsterInstance) -> None:
    for key in GATE:
        report(instance, key)
    assert open_objections(instance, SNAPSHOT) == []


@pytest.mark.parametrize("key", GATE, ids=lambda key: key.name)
def test_a_check_that_never_ran_objects(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> None:
    for other in GATE:
        if other != key:
            report(instance, other)
    assert open_objections(instance, SNAPSHOT) == [f"{key.name} never ran"]


@pytest.mark.parametrize("key", GATE, ids=lambda key: key.name)
def test_a_failed_check_objects_with_its_reason(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> None:
    for other in GATE:
        report(instance, other, passed=other != key)
    assert open_objections(instance, SNAPSHOT) == [f"{key.name} failed: row 6 is gone"]


def test_a_check_of_another_snapshot_does_not_count(instance: dg.DagsterInstance) -> None:
    for key in GATE:
        report(instance, key, snapshot="0ther")
    assert open_objections(instance, SNAPSHOT) == [f"{key.name} last ran on another snapshot" for key in GATE]


def test_a_warning_does_not_object(instance: dg.DagsterInstance) -> None:
    for key in GATE:
        report(instance, key, passed=False, severity=dg.AssetCheckSeverity.WARN)
    assert open_objections(instance, SNAPSHOT) == []


def test_the_last_result_counts(instance: dg.DagsterInstance) -> None:
    for key in GATE:
        report(instance, key, passed=False)
        report(instance, key)
    assert open_objections(instance, SNAPSHOT) == []


def test_the_promotion_asks_for_the_rules_that_block() -> None:
    assert [(key.asset_key.to_user_string(), key.name) for key in GATE] == [
        ("candidate_index", "snapshot_finds_its_own_chunks"),
        ("candidate_index", "snapshot_holds_every_chunk"),
        ("leaderboard", "gold_resolves"),
        ("leaderboard", "no_false_exclusions"),
        ("leaderboard", "not_worse_than_live"),
    ]
