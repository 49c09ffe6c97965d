from dataclasses import replace

import pytest

from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from evals.scored_questions import ScoredQuestion
from evals.statistics.aggregates import aggregate, evaluability, timings


def row(question_id, book="b", kind="lookup", strategy="s", gold=("g",), milliseconds=1.0, excluded=(), **values):
    noise = values.pop("unfiltered", None)
    return ScoredQuestion(
        set="set",
        split="open",
        strategy=strategy,
        question_id=question_id,
        book=book,
        kind=kind,
        query="?",
        gold=gold,
        chunk_ids=(),
        deep_chunk_ids=(),
        deep_scores=(),
        excluded_gold=excluded,
        unfiltered_noise=noise,
        unfiltered_guarded_noise=noise,
        unfiltered_recall=None,
        why="",
        values={name.replace("_at_", "@"): value for name, value in values.items()},
        milliseconds=milliseconds,
    )


def test_every_book_and_kind_has_its_number_and_star_has_all():
    rows = [row("1", hit_at_1=1.0), row("2", kind="rule", hit_at_1=0.0), row("3", book="c", hit_at_1=0.0)]
    means = {(each.book, each.kind): (each.value, each.n) for each in aggregate(rows) if each.metric == "hit@1"}
    assert means == {
        ("*", "*"): (1 / 3, 3),
        ("*", "lookup"): (1 / 2, 2),
        ("*", "rule"): (0, 1),
        ("b", "*"): (1 / 2, 2),
        ("b", "lookup"): (1, 1),
        ("b", "rule"): (0, 1),
        ("c", "*"): (0, 1),
        ("c", "lookup"): (0, 1),
    }


def test_a_question_about_no_book_counts_for_all_only():
    assert {each.book for each in aggregate([row("1", book="", hit_at_1=1.0)])} == {"*"}


def test_a_metric_that_says_nothing_about_a_question_leaves_it_out():
    rows = [row("1", hit_at_1=1.0), row("2", gold=(), no_answer_accuracy=0.0)]
    numbers = {each.metric: (each.value, each.n) for each in aggregate(rows) if (each.book, each.kind) == ("*", "*")}
    assert numbers == {"hit@1": (1.0, 1), "no_answer_accuracy": (0.0, 1), "false_exclusions": (0.0, 1)}


def test_noise_reduction_is_pooled_with_an_interval_and_undefined_without_noise():
    rows = [row("1", unfiltered=10.0, noise_at_15=5.0), row("2", unfiltered=1.0, noise_at_15=1.0)]
    (number,) = [
        each for each in aggregate(rows) if (each.metric, each.book, each.kind) == ("noise_reduction", "*", "*")
    ]
    assert number.value == 1 - (5 + 1) / (10 + 1)
    assert (number.low, number.high) == (1 - 1 / 1, 1 - 5 / 10)
    quiet = aggregate([row("1", unfiltered=0.0, noise_at_15=0.0)])
    assert {(each.value, each.low, each.n) for each in quiet if each.metric == "noise_reduction"} == {(None, None, 1)}


def test_recall_preserved_is_pooled_and_undefined_where_nothing_was_found_before():
    rows = [
        replace(row(name, recall_at_10=after), unfiltered_recall=before)
        for name, before, after in (("1", 1.0, 1.0), ("2", 0.5, 0.0))
    ]
    values = {each.metric: each.value for each in aggregate(rows) if (each.book, each.kind) == ("*", "*")}
    assert values["recall_preserved"] == (1 + 0) / (1 + 0.5)
    lost = aggregate([replace(rows[0], unfiltered_recall=0.0)])
    assert {each.value for each in lost if each.metric == "recall_preserved"} == {None}


def test_false_exclusions_are_counted_not_averaged():
    rows = [row("1", excluded=("g", "h")), row("2"), row("3")]
    (number,) = [
        each for each in aggregate(rows) if (each.metric, each.book, each.kind) == ("false_exclusions", "*", "*")
    ]
    assert (number.value, number.n) == (2, 3)
    assert 0 == number.low < number.value < number.high <= 6


def test_metrics_stand_in_the_order_of_reports_and_strategies_in_that_of_the_rows():
    rows = [row("1", strategy=name, noise_at_15=1.0, mine=1.0, mrr=1.0, hit_at_1=1.0) for name in ("z", "a")]
    order = [(each.strategy, each.metric) for each in aggregate(rows) if (each.book, each.kind) == ("*", "*")]
    metrics = ["hit@1", "mrr", "noise@15", "false_exclusions", "mine"]
    assert order == [(name, metric) for name in ("z", "a") for metric in metrics]


def test_the_interval_holds_the_mean():
    numbers = aggregate([row(str(n), mrr=float(n % 2)) for n in range(40)])
    (number,) = [each for each in numbers if (each.metric, each.book, each.kind) == ("mrr", "*", "*")]
    assert 0 < number.low < number.value == 1 / 2 < number.high < 1


def test_evaluability_is_the_share_that_resolves_by_book_and_kind(library):
    library.questions[1] = library.question("q1", "gone")
    found = {(each.book, each.kind): (each.value, each.n) for each in evaluability([library.set()])}
    assert found == {
        ("*", "*"): (2 / 3, 3),
        ("*", "lookup"): (1 / 2, 2),
        ("*", "rule"): (1, 1),
        ("b", "*"): (2 / 3, 3),
        ("b", "lookup"): (1 / 2, 2),
        ("b", "rule"): (1, 1),
    }


def test_a_set_without_gold_has_no_evaluability(library):
    assert evaluability([QuestionSet.of("none", "open", [Question("q", "x")], library.chunks)]) == ()


def test_timings_are_quantiles_by_strategy():
    rows = [row(str(n), milliseconds=float(n)) for n in range(101)]
    assert [(each.metric, each.value, each.n) for each in timings(rows)] == [
        ("p50_ms", 50.0, 101),
        ("p95_ms", pytest.approx(95.0), 101),
    ]


def test_the_time_of_a_round_is_that_of_questions_that_took_rounds():
    rows = [row("1", milliseconds=9.0, rounds=3.0), row("2", milliseconds=4.0, rounds=1.0), row("3", milliseconds=50.0)]
    assert next((each.metric, each.value, each.n) for each in timings(rows)) == ("round_ms", 3.5, 2)


def test_no_rows_give_no_numbers():
    assert aggregate([]) == ()
    assert timings([]) == ()
