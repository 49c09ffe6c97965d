from pathlib import Path

import pytest

from evals.metric_table import METRICS, Use, meaning, metric_text, names, report_place, sign
from evals.metrics import STANDARD

DOCS = (Path(__file__).parents[2] / "docs" / "reference" / "assets.md").read_text("utf-8")


def test_the_page_is_the_table():
    lines = [f"| `{each.name}` | {each.meaning} | {each.better} |" for each in METRICS]
    assert DOCS.split("| metric |")[1].splitlines()[2:] == lines


@pytest.mark.parametrize(("name", "expected"), [("mrr", 1), ("noise@15", -1), ("p95_ms", -1), ("recall@20", 1)])
def test_which_way_is_better(name, expected):
    assert sign(name) == expected


def test_a_metric_stands_in_one_line_in_the_order_of_experiments_and_reports():
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    assert all(metric.uses for metric in METRICS), "a metric that is shown nowhere is not reported"
    standard = [str(measure) for measure in STANDARD]
    assert [metric.name for metric in METRICS if metric.name in standard] == standard
    assert names(Use.COMPARED) == ("hit@1", "mrr")
    assert report_place("hit@1") == 0
    assert report_place("recall@20") > report_place("p95_ms")


def test_every_metric_says_what_it_is_without_markup():
    assert meaning("hit@5") == "share of the questions with a gold chunk among the first 5"
    assert all(meaning(each.name) and "`" not in meaning(each.name) for each in METRICS)
    assert meaning("recall@20") == ""


def test_a_number_has_the_digits_that_its_metric_has():
    assert [metric_text(*each) for each in (("mrr", 0.94775), ("noise@15", 3.26), ("false_exclusions", 0.0))] == [
        "0.948",
        "3.3",
        "0",
    ]
    assert metric_text("mrr", None) == "-"
