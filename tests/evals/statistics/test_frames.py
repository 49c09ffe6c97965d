import re
import subprocess
import sys
from pathlib import Path

import pytest

from evals.experiment import Measures, run_experiment
from evals.metrics import STANDARD, metric
from evals.statistics.frames import aggregate_frame, question_frame

ROOT = Path(__file__).parents[3]
FLOATS = ["unfiltered_noise", "unfiltered_guarded_noise", "unfiltered_recall", "milliseconds"]


@pytest.fixture
def experiment(library, dense, prefilter):
    searcher = library.searcher(dense="g0 g1 g2 u/g3 g1/g4 p/g5 u", prefilter="g0 u/g1/p/u")
    measures = Measures(metrics=(*STANDARD, metric("recall@20")))
    return run_experiment(
        searcher, [dense, prefilter], [library.set()], library.chunks, snapshot="snap", measures=measures
    )


def test_a_line_is_a_question_and_a_strategy(experiment):
    frame = experiment.to_frame()
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
    frame = experiment.to_frame()
    metrics = [str(each) for each in STANDARD]
    assert list(frame.columns) == [
        *("set", "split", "strategy", "book", "kind", "question_id", "query", "why", "n_gold", "n_shown"),
        *metrics,
        *("noise@15", "cross_book_contamination", "wrong_row_rate", "no_answer_accuracy", "recall@20"),
        "false_exclusions",
        *FLOATS,
    ]
    of_one = question_frame([row for row in experiment.rows if row.question_id == "q0"]).dtypes
    of_none = question_frame([]).dtypes
    for name, dtype in frame.dtypes.items():
        assert of_one.get(name, dtype) == of_none.get(name, dtype) == dtype, name
    assert set(frame.dtypes.astype(str)) == {"str", "int64", "float64"}


def test_a_metric_that_says_nothing_is_nan_and_left_out_of_means(experiment):
    frame = experiment.to_frame()
    unanswerable = frame[frame["question_id"] == "q3"]
    assert unanswerable["mrr"].isna().all()
    assert unanswerable["false_exclusions"].isna().all()
    assert frame[frame["strategy"] == "dense"][FLOATS[:3]].isna().all(axis=None), "dense has no filter to be without"


def test_grouped_means_are_the_reported_ones(experiment):
    means = experiment.to_frame().groupby(["kind", "strategy"])[["hit@1", "mrr"]].mean()
    numbers = experiment.aggregates_frame()
    for (kind, strategy), line in means.dropna().iterrows():
        place = numbers[(numbers["book"] == "*") & (numbers["kind"] == kind) & (numbers["strategy"] == strategy)]
        for name in ("hit@1", "mrr"):
            (reported,) = place[place["metric"] == name]["value"]
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
    assert [path.relative_to(ROOT).as_posix() for path in knowing] == ["evals/statistics/frames.py"]
    program = "import sys, evals.evaluation; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
