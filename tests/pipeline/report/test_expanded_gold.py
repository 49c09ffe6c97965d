"""Expanded gold, which a report shows on request."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from evals.evaluation import evaluation_of
from pipeline.report.expanded_gold import neighbours_of
from pipeline.report.page import page
from pipeline.report.report import Report, report_of
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.strategies import STRATEGIES


@pytest.fixture(scope="module")
def made(sample: Home, few_questions: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("asked")  # what is scored besides is kept, and others read the sample's scores
    shutil.copytree(sample.root, folder / "home", ignore=shutil.ignore_patterns("dagster"))
    with pytest.MonkeyPatch.context() as few:
        few.setattr("pipeline.report.questions.RANKINGS", 12)
        home = Home.at(folder / "home")
        asked = replace(home, settings=replace(home.settings, questions=(few_questions,)))
        return report_of(asked, expand_gold=True)


def test_neighbours_are_other_chunks_and_no_rows_of_the_same_table(sample: Home) -> None:
    rows = [row for row in evaluation_of(sample, sample.candidate, STRATEGIES["dense"]).rows("dense") if row.gold]
    with open_snapshot(sample.root, sample.candidate) as snapshot:
        by_id = {chunk.id: chunk for chunk in snapshot.chunks}
        edges = {frozenset((edge.source_id, edge.target_id)) for edge in snapshot.graph.edges(list(by_id))}
        some = 0
        for row in rows:
            added = neighbours_of(row.gold, snapshot)
            some += len(added)
            assert not added.intersection(row.gold)
            tables = {by_id[name].table_id for name in row.gold} - {None}
            assert all(any(frozenset((gold, name)) in edges for gold in row.gold) for name in added)
            if len(row.gold) == 1:
                assert not tables.intersection(by_id[name].table_id for name in added)
    assert some


def test_more_gold_never_lowers_a_number(made: Report, sample: Home) -> None:
    expanded = {each.strategy: each for each in made.expanded_gold}
    assert list(expanded) == [*STRATEGIES]
    headline = made.evaluation.headline()
    for name, each in expanded.items():
        assert each.mrr == pytest.approx(headline[name]["mrr"])
        assert each.hit_at_1 == pytest.approx(headline[name]["hit@1"])
        assert each.delta >= 0
        assert each.hit_at_1_expanded >= each.hit_at_1
    assert any(each.delta > 0 for each in expanded.values())


def test_the_page_shows_what_was_asked_for_and_nothing_else(made: Report, sample_report: Report) -> None:
    shown = page(made)
    assert shown.count("data-expanded=") == len(STRATEGIES)
    assert sample_report.expanded_gold == ()
    assert "data-expanded=" not in page(sample_report)
