"""The report says what the evaluation says."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from evals.evaluation import HEADLINE, evaluation_of
from evals.significance import paired_randomisation
from pipeline.report.glance import glance
from pipeline.report.page import page
from pipeline.report.questions import EXCLUDED
from pipeline.report.report import Report, neighbours_of, report_of
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.strategies import STRATEGIES
from tests.graphs import edges_of


def test_every_number_of_the_leaderboard_is_the_evaluations(sample_report: Report) -> None:
    headline = sample_report.evaluation.headline()
    assert sample_report.standings is not None
    others = [name for name in STRATEGIES if name != "default"]
    assert [strategy.strategy for strategy in sample_report.standings.strategies] == ["default", *others]
    for each in sample_report.standings.strategies:
        numbers = headline[each.strategy]
        for metric in set(HEADLINE) - {"evaluability", "round_ms", "p50_ms", "p95_ms"}:
            number = each.number(metric)
            assert (number.value if number else None) == numbers[metric], (each.strategy, metric)
        assert (each.p50_ms, each.p95_ms) == (numbers["p50_ms"], numbers["p95_ms"])


def test_only_the_strategy_that_asks_again_has_rounds(sample_report: Report) -> None:
    headline = sample_report.evaluation.headline()
    for name, numbers in headline.items():
        measured = {metric for metric in ("rounds", "excluded", "round_ms") if numbers[metric] is not None}
        assert measured == ({"rounds", "excluded", "round_ms"} if name == "iterative" else set())
    query = [row.values["rounds"] for row in sample_report.evaluation.rows("iterative")]
    assert headline["iterative"]["rounds"] == pytest.approx(sum(query) / len(query))
    assert set(query) <= {1.0, 2.0, 3.0}


def test_a_difference_to_default_is_that_of_the_means_with_its_own_p(sample_report: Report) -> None:
    assert sample_report.standings is not None
    headline, rows = sample_report.evaluation.headline(), sample_report.evaluation.headline_rows()
    result = {
        (difference.strategy, difference.metric): difference for difference in sample_report.standings.differences
    }
    assert set(result) == {(name, metric) for name in STRATEGIES if name != "default" for metric in ("hit@1", "mrr")}
    for (name, metric), each in result.items():
        wanted = (headline[name][metric] or 0) - (headline["default"][metric] or 0)
        assert each.difference == pytest.approx(wanted)
        assert each.interval.low <= wanted <= each.interval.high
    values = {
        strategy: [row.values["mrr"] for row in rows if row.strategy == strategy and "mrr" in row.values]
        for strategy in ("bm25", "default")
    }
    p = paired_randomisation(values["bm25"], values["default"])
    assert result["bm25", "mrr"].p == p
    assert result["bm25", "mrr"].corrected > p
    assert result["bm25", "mrr"].verdict == "worse"


def test_noise_without_the_filter_is_that_of_the_counterpart(sample_report: Report) -> None:
    assert sample_report.standings is not None
    by_name = {strategy.strategy: strategy for strategy in sample_report.standings.strategies}
    dense, prefilter = by_name["dense"], by_name["prefilter"]
    assert prefilter.filtering is not None
    assert dense.filtering is None
    assert prefilter.filtering.counterpart == "dense"
    noise = dense.number("noise@15"), prefilter.number("noise@15")
    assert noise[0] is not None
    assert noise[1] is not None
    assert prefilter.filtering.unfiltered_noise == pytest.approx(noise[0].value)
    assert prefilter.filtering.noise == pytest.approx(noise[1].value)
    assert by_name["default"].filtering is not None
    assert by_name["default"].filtering.counterpart == "default-query_must"


def test_the_failures_are_those_of_hit_at_1_and_each_has_a_cause(sample_report: Report) -> None:
    assert sample_report.standings is not None
    for strategy in sample_report.standings.strategies:
        rows = sample_report.evaluation.rows(strategy.strategy)
        assert set(strategy.failed) == {row.question_id for row in rows if row.values.get("hit@1") == 0}
        ranks = {row.question_id: row.gold_rank or 101 for row in rows}
        assert [ranks[name] for name in strategy.failed] == sorted(
            map(ranks.__getitem__, strategy.failed), reverse=True
        )
        assert strategy.n_asked == sum(bool(row.gold) for row in rows)
        assert sum(strategy.causes.values()) >= strategy.n_failed
    failed = {(outcome.row.strategy, outcome.row.question_id) for outcome in sample_report.outcomes if outcome.failure}
    assert len(failed) == sum(strategy.n_failed for strategy in sample_report.standings.strategies)


def test_a_ranking_is_the_one_that_was_scored_and_its_scores_add_up(sample_report: Report) -> None:
    ranked = [outcome for outcome in sample_report.outcomes if outcome.ranking]
    assert len(ranked) == len(sample_report.outcomes)
    for each in ranked:
        assert each.ranking is not None
        assert tuple(one.hit.chunk.id for one in each.ranking.hits) == each.row.chunk_ids
        assert len(each.ranking.excluded) <= min(EXCLUDED, each.ranking.n_excluded)
        for one in each.ranking.hits:
            assert sum(part.contribution for part in one.hit.addends) == pytest.approx(one.hit.score, abs=1e-6)
            assert one.reason
            assert one.gold == (one.hit.chunk.id in each.row.gold)


def test_gold_beyond_the_first_15_is_told_apart(sample_report: Report) -> None:
    for outcome in sample_report.outcomes:
        assert outcome.ranking is not None
        gold = {one.hit.chunk.id for one in outcome.ranking.hits if one.gold}
        missing = {told.chunk.id: told.explanation for told in outcome.ranking.missing}
        assert gold | set(missing) == set(outcome.row.gold)
        for name, output in missing.items():
            deep = outcome.row.deep_chunk_ids
            wanted = f"rank {deep.index(name) + 1}" if name in deep else "not among the first 100"
            assert output == wanted or name in outcome.row.excluded_gold


def test_a_healthy_live_snapshot_holds_every_rule_that_can_be_judged(sample_report: Report) -> None:
    assert sample_report.header.is_live
    assert {verdict.rule: verdict.state for verdict in sample_report.verdicts} == {
        "snapshot_is_whole": "held",
        "snapshot_holds_every_chunk": "held",
        "gold_resolves": "held",
        "no_false_exclusions": "held",
        "not_worse_than_live": "not judged",
        "not_worse_than_best_kept": "not judged",
        "query_must_lessens_noise": "held",
    }


def test_gold_that_the_filter_removes_is_named_and_stands_in_the_gate(hostile_report: Report) -> None:
    (exclusion,) = [exclusion for exclusion in hostile_report.exclusions if exclusion.row.strategy == "default"]
    assert exclusion.row.question_id == "hostile"
    assert exclusion.chunk.row_key == "6"
    assert exclusion.reason.startswith("contain_one_of failed group")
    assert exclusion.asks.startswith('The question must say one of "ia", "cleric", "druid", "monk"; and one of ')
    (verdict,) = [verdict for verdict in hostile_report.verdicts if verdict.rule == "no_false_exclusions"]
    assert verdict.state == "failed"
    assert "hostile" in verdict.against[0]
    answers = {each.section: each.says for each in glance(hostile_report)}
    assert answers["filter"].startswith("1 gold chunk with default, of hostile.")
    assert answers["questions"].startswith(
        "1 of 3 questions with default, the worst first: hostile. Gold is not first ("
    )
    assert hostile_report.standings is not None
    shipped, *others = hostile_report.standings.strategies
    twice = replace(shipped, causes={"one": 1, "another": 1})
    made = replace(hostile_report, standings=replace(hostile_report.standings, strategies=(twice, *others)))
    answers = {each.section: each.says for each in glance(made)}
    assert answers["questions"].endswith("(one: 1; another: 1, some for two reasons).")


def test_a_home_without_questions_has_a_header_and_a_gate(tiny_built: Home) -> None:
    from pipeline.report.page import page
    from pipeline.report.report import report_of

    made = report_of(tiny_built)
    assert made.standings is None
    assert made.outcomes == ()
    assert {verdict.state for verdict in made.verdicts if verdict.rule.startswith("snapshot_")} == {"held"}
    assert {verdict.note for verdict in made.verdicts if verdict.state == "not judged"} == {"no questions were given"}
    assert page(made).count("No questions were given") == 1


@pytest.mark.usefixtures("few_rankings")
def test_a_chunk_of_no_book_stands_in_the_gate(sample_copy: Home) -> None:
    from pipeline.report.report import report_of

    folder = next((sample_copy.root / "books").iterdir())
    lines = (folder / "chunks.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "chunks.jsonl").write_text("".join(lines[1:]), "utf-8")
    (verdict,) = [
        verdict for verdict in report_of(sample_copy).verdicts if verdict.rule == "snapshot_holds_every_chunk"
    ]
    assert verdict.state == "failed"
    assert len(verdict.against) == 1
    assert verdict.against[0].endswith("is no book's")


@pytest.fixture(scope="module")
def made(sample: Home, few_questions: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("asked")  # what is scored besides is kept, and others read the sample's scores
    shutil.copytree(sample.root, folder / "home", ignore=shutil.ignore_patterns("dagster"))
    with pytest.MonkeyPatch.context() as few:
        few.setattr("pipeline.report.questions.RANKINGS", 12)
        home = Home.at(folder / "home")
        query = replace(home, settings=replace(home.settings, questions=(few_questions,)))
        return report_of(query, expand_gold=True)


def test_neighbours_are_other_chunks_and_no_rows_of_the_same_table(sample: Home) -> None:
    rows = [row for row in evaluation_of(sample, sample.candidate, STRATEGIES["dense"]).rows("dense") if row.gold]
    with open_snapshot(sample.root, sample.candidate) as snapshot:
        by_id = {chunk.id: chunk for chunk in snapshot.chunks}
        edges = {frozenset((edge.source_id, edge.target_id)) for edge in edges_of(snapshot.graph, list(by_id))}
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
