from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from retrieval.files.records import dump_record, parse_record
from retrieval.index.embedding.embedders import load_embedder
from tests.conftest import write_lines
from tools.bench.conditions import ConditionsReport, Latency, run_conditions
from tools.corpora.documents import read_documents

STATUSES = ("draft", "final", "rejected", "draft", "final", "withdrawn")
QUESTIONS: list[dict[str, Any]] = [
    {"query": "draft proposals", "kind": "and", "gold": ["p0", "p3"], "semantic": False},
    {"query": "final proposals about the harbour", "kind": "and", "gold": ["p1"], "semantic": True},
    {"query": "how deep is the harbour", "kind": "no-filter", "gold": ["p1"], "semantic": True},
    {"query": "rejected proposals since 2023", "kind": "recent", "gold": ["p2"], "semantic": False},
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("conditions") / "self-query"
    root.mkdir()
    topics = ("market", "harbour", "mill", "bridge", "market", "mill")
    write_lines(
        root / "docs.jsonl",
        *(
            {
                "doc_id": f"p{at}",
                "title": f"The {topic} proposal",
                "text": f"Proposal {at} is about the {topic} and how deep it is.",
                "metadata": {"status": status, "created": f"20{15 + at}-03-0{at + 1}"},
            }
            for at, (status, topic) in enumerate(zip(STATUSES, topics, strict=True))
        ),
    )
    write_lines(root / "open.jsonl", *({"id": f"q{at}", **each} for at, each in enumerate(QUESTIONS)))
    return root


@pytest.fixture(scope="module")
def report(data: Path, tmp_path_factory: pytest.TempPathFactory) -> ConditionsReport:
    (corpus,) = read_documents("self-query", data, "open")
    home = tmp_path_factory.mktemp("home")
    return run_conditions(home, corpus, date(2026, 8, 22), load_embedder(), at_once=6, rounds=2)


def test_documents_are_judged_by_what_the_question_asks(report: ConditionsReport) -> None:
    assert (report.questions, report.documents, report.at_once) == (4, 6, 6)
    # Nothing was rejected since 2023, so one condition of three questions that state some is given up.
    assert report.relaxation_rate == pytest.approx(1 / 3, abs=1e-4)
    assert report.macro_f1 == 1.0
    assert report.precision == 1.0
    assert report.unfiltered == 1.0


def test_many_at_once_wait_for_each_other(report: ConditionsReport) -> None:
    for each in (report.alone, report.together):
        assert 0 < each.p50_ms <= each.p95_ms
        assert each.per_second > 0
    assert report.together.p95_ms > report.alone.p50_ms


def test_a_run_reads_back_what_it_printed_and_says_the_ratios(report: ConditionsReport) -> None:
    assert parse_record(dump_record(report), ConditionsReport) == report
    lines = list(replace(report, alone=Latency(10.0, 20.0, 90.0), together=Latency(300.0, 500.0, 135.0)).lines())
    assert "| 6 concurrently | 300.0 | 500.0 | 135.0 |" in lines
    assert "| ratio | 30.0 | 25.0 | 1.50 |" in lines


def test_the_day_must_be_said(run: Callable[..., Any], data: Path) -> None:
    done = run("bench", "conditions", "--data", data)
    assert done.status == 2
    assert "--today" in done.err
