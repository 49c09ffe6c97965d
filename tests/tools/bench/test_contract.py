from pathlib import Path

import pytest
from typer.testing import CliRunner

from retrieval.files.records import dump_record, parse_record
from retrieval.index.snapshot.live import live_id
from tools.bench.contract import ContractReport, run_contract
from tools.cli import app


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ContractReport]:
    home = tmp_path_factory.mktemp("kept")
    return home, run_contract(200, questions=4, home=home)


@pytest.mark.slow
def test_both_libraries_are_asked_and_a_kept_answer_costs_less(kept: tuple[Path, ContractReport]) -> None:
    home, report = kept
    assert [(timing.name, timing.chunks, timing.questions) for timing in report.timings] == [
        ("100 documents", 100, 4),
        ("200 chunks", 200, 4),
    ]
    assert report.timings[1].answered == 4, "each question names a row of a table"
    for each in report.timings:
        assert 0 < each.p50_ms <= each.p95_ms
        assert 0 < each.plain_p50_ms <= each.plain_p95_ms
        assert each.over_plain == each.p50_ms / each.plain_p50_ms
        assert each.kept_over_new < 1
    assert live_id(home), "a second run takes the index up again"


def test_a_run_reads_back_what_it_printed_and_is_a_line_for_each_library(kept: tuple[Path, ContractReport]) -> None:
    _, report = kept
    assert parse_record(dump_record(report), ContractReport) == report
    lines = list(report.lines())
    assert len({line.count("|") for line in lines[:4]}) == 1
    assert lines[2].startswith("| 100 documents | 4 |")
    assert lines[-1].startswith("Seed 0, ")


def test_a_number_of_chunks_that_makes_no_tables_is_refused() -> None:
    done = CliRunner().invoke(app, ["bench", "contract", "--chunks", "250"])
    assert done.exit_code == 2
    assert "250 is not a multiple of 100" in " ".join(done.stderr.split())
