import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from evals.aggregates import aggregate, aggregate_frame, evaluability, question_frame, timings
from evals.experiment import run_experiment
from evals.metrics import STANDARD
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from evals.scored_questions import ScoredQuestion
from tests.scored_rows import scored_row


def row(question_id, excluded=(), unfiltered=None, **given):
    """A row; what is no field of one is a metric, with `_at_` for `@`."""
    names = {field.name for field in fields(ScoredQuestion)}
    values = {name.replace("_at_", "@"): given.pop(name) for name in list(given) if name not in names}
    return scored_row(question_id, excluded_gold=excluded, unfiltered_noise=unfiltered, values=values, **given)


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
    (number,) = [number for number in numbers if (number.metric, number.book, number.kind) == ("mrr", "*", "*")]
    assert 0 < number.low < number.value == 1 / 2 < number.high < 1


def test_a_share_of_a_few_questions_is_not_certain_though_it_is_one():
    numbers = aggregate([row(str(n), hit_at_1=1.0, mrr=1.0) for n in range(3)])
    ends = {number.metric: (number.low, number.high) for number in numbers if (number.book, number.kind) == ("*", "*")}
    assert ends["hit@1"] == pytest.approx((0.4385, 1.0), abs=1e-4)
    assert ends["mrr"] == (1.0, 1.0)


def test_evaluability_is_the_share_that_resolves_by_book_and_kind(library):
    library.questions[1] = library.question("q1", "gone")
    result = {(each.book, each.kind): (each.value, each.n) for each in evaluability([library.set()])}
    assert result == {
        ("*", "*"): (2 / 3, 3),
        ("*", "lookup"): (1 / 2, 2),
        ("*", "rule"): (1, 1),
        ("b", "*"): (2 / 3, 3),
        ("b", "lookup"): (1 / 2, 2),
        ("b", "rule"): (1, 1),
    }


def test_timings_are_quantiles_by_strategy_and_rounds_those_of_questions_that_took_some():
    rows = [row(str(n), milliseconds=float(n)) for n in range(101)]
    assert [(timing.metric, timing.value, timing.n) for timing in timings(rows)] == [
        ("p50_ms", 50.0, 101),
        ("p95_ms", pytest.approx(95.0), 101),
    ]
    rows = [row("1", milliseconds=9.0, rounds=3.0), row("2", milliseconds=4.0, rounds=1.0), row("3", milliseconds=50.0)]
    assert next((timing.metric, timing.value, timing.n) for timing in timings(rows)) == ("round_ms", 3.5, 2)


def test_nothing_to_count_gives_no_numbers(library):
    assert {total.book for total in aggregate([row("1", book="", hit_at_1=1.0)])} == {"*"}
    assert evaluability([QuestionSet.of("none", "open", [Question("q", "x")], library.chunks)]) == ()
    assert aggregate([]) == ()
    assert timings([]) == ()


ROOT = Path(__file__).parents[2]
FLOATS = ["unfiltered_noise", "unfiltered_guarded_noise", "unfiltered_recall", "milliseconds"]


@pytest.fixture
def experiment(library, dense, prefilter):
    searcher = library.searcher(dense="g0 g1 g2 u/g3 g1/g4 p/g5 u", prefilter="g0 u/g1/p/u")
    return run_experiment(searcher, [dense, prefilter], [library.set()], library.chunks, snapshot="snap")


def test_a_line_is_a_question_and_a_strategy(experiment):
    frame = question_frame(experiment.rows)
    assert list(frame[["strategy", "question_id"]].itertuples(index=False, name=None)) == [
        (strategy, f"q{n}") for strategy in ("dense", "prefilter") for n in range(4)
    ]
    line = frame.set_index(["strategy", "question_id"]).loc["dense", "q1"]
    assert (line["set"], line["split"], line["book"], line["kind"], line["query"]) == (
        *("tiny", "open", "b", "lookup", "ask q1"),
    )
    assert (line["n_gold"], line["n_shown"], line["hit@1"], line["mrr"], line["noise@15"]) == (1, 2, 0, 1 / 2, 1)
    assert line["why"] == "gold at rank 2"


def test_columns_stand_in_the_order_of_reports_with_types_that_do_not_depend_on_the_rows(experiment):
    frame = question_frame(experiment.rows)
    metrics = [str(each) for each in STANDARD]
    assert list(frame.columns) == [
        *("set", "split", "strategy", "book", "kind", "question_id", "query", "why", "n_gold", "n_shown"),
        *metrics,
        *("noise@15", "cross_book_contamination", "wrong_row_rate", "no_answer_accuracy"),
        "false_exclusions",
        *FLOATS,
    ]
    of_one = question_frame([row for row in experiment.rows if row.question_id == "q0"]).dtypes
    of_none = question_frame([]).dtypes
    for name, dtype in frame.dtypes.items():
        assert of_one.get(name, dtype) == of_none.get(name, dtype) == dtype, name
    assert set(frame.dtypes.astype(str)) == {"str", "int64", "float64"}


def test_a_metric_that_says_nothing_is_nan_and_left_out_of_means(experiment):
    frame = question_frame(experiment.rows)
    unanswerable = frame[frame["question_id"] == "q3"]
    assert unanswerable["mrr"].isna().all()
    assert unanswerable["false_exclusions"].isna().all()
    assert frame[frame["strategy"] == "dense"][FLOATS[:3]].isna().all(axis=None), "dense has no filter to be without"


def test_grouped_means_are_the_reported_ones(experiment):
    means = question_frame(experiment.rows).groupby(["kind", "strategy"])[["hit@1", "mrr"]].mean()
    numbers = experiment.aggregates_frame()
    for (kind, strategy), line in means.dropna().iterrows():
        number = numbers[(numbers["book"] == "*") & (numbers["kind"] == kind) & (numbers["strategy"] == strategy)]
        for name in ("hit@1", "mrr"):
            (reported,) = number[number["metric"] == name]["value"]
            assert line[name] == pytest.approx(reported), (kind, strategy, name)


def test_numbers_stand_with_their_intervals_and_the_timings_without(experiment):
    frame = experiment.aggregates_frame()
    assert len(frame) == len(experiment.aggregates) + len(experiment.timings)
    assert list(frame.dtypes.astype(str)) == ["str"] * 6 + ["float64"] * 3 + ["int64"]
    timed = frame[frame["metric"] == "p50_ms"]
    assert timed["value"].notna().all()
    assert timed["low"].isna().all()
    assert list(aggregate_frame([]).dtypes) == list(frame.dtypes)


def test_one_file_knows_pandas_and_scoring_does_not_load_it():
    paths = [path for package in ("retrieval", "evals", "pipeline") for path in (ROOT / package).rglob("*.py")]
    knowing = [
        path for path in paths if re.search(r"^\s*(import|from) pandas\b", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert [path.relative_to(ROOT).as_posix() for path in knowing] == ["evals/aggregates.py"]
    program = "import sys, evals.evaluation; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
