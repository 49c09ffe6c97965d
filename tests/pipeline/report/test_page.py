"""The page as a file: whole, the same every time, and nothing in it is taken for HTML that is not."""

import json
import re
import shlex
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from evals.metric_table import metric_text
from evals.relaxation import GivenUp, Pattern, Relaxation
from pipeline.report.page import page
from pipeline.report.questions import Exclusion
from pipeline.report.report import Report, report_of
from retrieval.home import Home


class Tags(HTMLParser):
    """The tags of a page with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(html)
    return parser.found


def embedded(html: str) -> dict[str, Any]:
    (result,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    values: dict[str, Any] = json.loads(result)
    return values


@pytest.fixture(scope="module")
def sample_page(sample_report: Report) -> str:
    return page(sample_report)


def digest(html: str) -> str:
    """Texts of a megabyte are compared by it: pytest would spend minutes on how two of them differ."""
    return sha256(html.encode()).hexdigest()


@pytest.fixture(scope="module")
def short_report(sample: Home) -> Report:
    """The report on the sample with few rankings."""
    with pytest.MonkeyPatch.context() as during:
        during.setattr("pipeline.report.questions.RANKINGS", 12)
        return report_of(sample)


@pytest.mark.usefixtures("few_rankings")
def test_a_second_report_has_the_same_bytes(short_report: Report, sample: Home) -> None:
    first, second = page(short_report), page(report_of(sample))
    assert digest(first) == digest(second)


def test_failures_of_default_are_shown_before_all_others(short_report: Report) -> None:
    made = short_report
    shown = [outcome for outcome in made.outcomes if outcome.ranking]
    assert len(shown) == 12
    assert {each.row.question_id for each in shown if each.row.strategy == "default"} == {
        outcome.row.question_id for outcome in made.outcomes if outcome.row.strategy == "default" and outcome.failure
    }
    assert all(each.failure for each in shown)


@pytest.mark.usefixtures("few_rankings")
def test_without_times_no_date_and_no_milliseconds_stand_in_it(sample: Home, sample_report: Report) -> None:
    timed, timeless = page(sample_report), page(report_of(sample, times=False))
    assert sample_report.header.built is not None
    date = f"{sample_report.header.built:%Y-%m-%d}"
    for wanted in (date, 'id="latency"'):
        assert [wanted in html for html in (timed, timeless)] == [True, False]


def test_it_is_one_small_file_that_names_no_other(sample_page: str) -> None:
    assert len(sample_page.encode()) < 3_000_000
    for tag, attributes in tags(sample_page):
        assert tag not in {"link", "img", "iframe", "object", "base"}
        assert "src" not in attributes, tag
        assert (attributes.get("href") or "#").startswith("#"), tag
    assert [needle in sample_page for needle in ("url(", "default-src 'none'")] == [False, True]


def test_the_numbers_of_the_board_are_the_evaluations(sample_page: str, sample_report: Report) -> None:
    cells = {
        (metric, strategy): value
        for metric, strategy, value in re.findall(
            r'data-metric="([^"]+)" data-strategy="([^"]+)"><span class="(?:value|none)">([^<]+)<', sample_page
        )
    }
    headline = sample_report.evaluation.headline()
    assert len(cells) > 100
    for (metric, strategy), shown in cells.items():
        value = headline[strategy][metric]
        assert shown == ("–" if value is None else metric_text(metric, value)), (metric, strategy)


def test_every_failing_question_is_in_it_with_its_ranking(sample_page: str, sample_report: Report) -> None:
    data = embedded(sample_page)
    result = {
        (data["strategies"][strategy], data["questions"][question][0]): ranking
        for question, strategy, _, failed, *_, ranking in data["outcomes"]
        if failed
    }
    wanted = {
        (row.strategy, row.question_id)
        for row in sample_report.evaluation.headline_rows()
        if row.values.get("hit@1") == 0
    }
    assert set(result) == wanted
    assert all(result.values())


def test_the_parts_that_are_shown_add_up(sample_page: str) -> None:
    for *_, ranking in embedded(sample_page)["outcomes"]:
        for _, score, _, _, parts in ranking[1]:
            assert sum(part[3] for part in parts) == pytest.approx(score, abs=1e-3)


def test_the_command_to_copy_asks_the_same_question(sample_page: str, sample_report: Report) -> None:
    queries = {outcome.row.question_id: outcome.row.query for outcome in sample_report.outcomes}
    for name, _, query, *_, shell in embedded(sample_page)["questions"]:
        assert query == queries[name]
        assert shlex.split(shell) == [query]


def test_conditions_that_were_given_up_are_shown_by_field_with_examples(sample_report: Report) -> None:
    assert sample_report.relaxation.n_questions == len({outcome.row.query for outcome in sample_report.outcomes})
    assert "questions states a condition." in page(sample_report)
    examples = (GivenUp("<b>spells</b> of 1999", ("of 1999",), 4),)
    patterns = (Pattern("no document meets", "updated", 2, examples), Pattern("not certain", "type", 1, examples))
    html = page(replace(sample_report, relaxation=Relaxation(9, 8, 2, patterns)))
    assert "Relaxation rate <b>0.250</b>: 2 of the 8 questions with conditions had one dropped; 9 were read." in html
    assert re.findall(r'data-relaxed="(\w+)"', html) == ["updated", "type"]
    assert "<li>&lt;b&gt;spells&lt;/b&gt; of 1999 <small>without of 1999: 4 documents</small></li>" in html


def test_what_stands_in_a_question_is_text(hostile_report: Report) -> None:
    html = page(hostile_report)
    assert html.count("<script") == 2
    assert html.count("</script") == 2
    assert html.count("<img") == 0
    assert all(not name.startswith("on") for _, attributes in tags(html) for name in attributes)
    assert any("onerror" in question[2] for question in embedded(html)["questions"])


def test_what_stands_in_a_chunk_is_text(hostile_report: Report) -> None:
    exclusion = hostile_report.exclusions[0]
    chunk = replace(exclusion.chunk, caption="<script>alert(1)</script>", cells=("<b>bold", "&amp;"))
    (first, *rest) = hostile_report.outcomes
    assert first.ranking is not None
    (hit, *hits) = first.ranking.hits
    told = replace(hit, hit=replace(hit.hit, chunk=chunk))
    changed = replace(first, failure=None, ranking=replace(first.ranking, hits=(told, *hits)))
    made = replace(
        hostile_report,
        exclusions=(Exclusion(exclusion.row, chunk, "<i>why</i>", "<i>what</i>"),),
        outcomes=(changed, *rest),
        short_id=lambda name: name[:8],
    )
    html = page(made)
    assert html.count("<script") == 2
    assert html.count("<i>wh") == 0
    assert html.count("&lt;script&gt;alert(1)") == 1
    assert any("<script>alert(1)" in each[1] and "<b>bold" in each[3] for each in embedded(html)["chunks"])


def test_a_snapshot_that_is_not_live_says_by_what_it_was_refused(hostile_report: Report) -> None:
    refused = '<a href="#gate">no_false_exclusions</a>'
    assert refused not in page(hostile_report)
    elsewhere = replace(hostile_report, header=replace(hostile_report.header, live="another"))
    assert f"Refused by {refused}." in page(elsewhere)
    sound = replace(elsewhere, verdicts=())
    assert 'The rules of the <a href="#gate">gate</a> hold' in page(sound)
