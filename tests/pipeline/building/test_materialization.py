from dataclasses import replace

import dagster as dg
import pytest

from evals.checks import SHOWN
from pipeline.building.materialization import content_version, held, materialized
from retrieval.query_must.lint import LintFinding


def test_the_same_content_has_the_same_version_and_its_borders_count() -> None:
    assert content_version(["ab", "c"]) == content_version([b"ab", b"c"])
    assert content_version(["ab", "c"]) != content_version(["a", "bc"])


def test_an_undefined_number_is_reported_as_null_and_keeps_its_key() -> None:
    result = materialized("v", {"mrr": None, "n": 0})
    assert result.metadata is not None
    assert list(result.metadata) == ["mrr", "n"]
    assert result.metadata["mrr"] == dg.MetadataValue.null()
    assert result.metadata["n"] == 0


def test_a_proposition_holds_when_nothing_contradicts_it() -> None:
    assert held([], {}).passed


@pytest.mark.parametrize("count", [1, SHOWN, SHOWN + 3])
def test_a_contradicted_proposition_names_the_first_contradictions_and_counts_all(count: int) -> None:
    result = held([f"row {number}" for number in range(count)], {"n_rows": 9})
    assert not result.passed
    assert result.severity is dg.AssetCheckSeverity.ERROR
    assert str(result.description).startswith("row 0")
    assert ("more" in str(result.description)) == (count > SHOWN)
    assert result.metadata["n_counterexamples"] == dg.MetadataValue.int(count)
    assert result.metadata["n_rows"] == dg.MetadataValue.int(9)
    table = result.metadata["against_it"]
    assert isinstance(table, dg.TableMetadataValue)
    assert [record.data for record in table.records] == [{"against_it": f"row {number}"} for number in range(count)]


def test_a_contradiction_that_is_a_record_is_a_line_with_its_fields() -> None:
    finding = LintFinding("not_strict", "sword", "t1", "no question says so")
    table = (held([finding, replace(finding, id="mace")], {}).metadata or {})["against_it"]
    assert isinstance(table, dg.TableMetadataValue)
    assert [column.name for column in table.schema.columns] == ["rule", "id", "table_id", "message"]
    assert [record.data["id"] for record in table.records] == ["sword", "mace"]
