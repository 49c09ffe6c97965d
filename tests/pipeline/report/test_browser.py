"""The page in a real browser, opened from a file."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.report.page import write_page
from pipeline.report.report import Report

ROWS = "[...document.querySelectorAll('#asked tbody tr:not(.detail)')]"


@pytest.fixture(scope="module")
def url(sample_report: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(sample_report, path)
    return path.as_uri()


def ranks(browser: Any) -> list[str]:
    ranks: list[str] = browser.run(f"{ROWS}.map(row => row.querySelector('.rank').textContent)")
    return ranks


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_asks_for_nothing_else_and_does_not_overflow(browser: Any, url: str, width: int, dark: bool) -> None:
    browser.open(url + "#questions?strategy=&open=sample-044", width, dark=dark)
    assert browser.run("document.querySelectorAll('.detail').length") == 7
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.requests == [url + "#questions?strategy=&open=sample-044".partition("#")[0]]


def test_it_begins_with_default_and_its_failures_come_first(browser: Any, url: str, sample_report: Report) -> None:
    assert sample_report.standings is not None
    assert sample_report.standings.shipped is not None
    browser.open(url)
    failed = sample_report.standings.shipped.n_failed
    assert browser.run(f"{ROWS}.slice(0, {failed}).every(row => row.querySelector('.rank .bad'))")
    assert browser.run(f"new Set({ROWS}.map(row => row.querySelector('td.strategy').textContent)).size") == 1
    assert f"{failed} of them failed" in browser.run("document.getElementById('shown').textContent")


def test_a_press_of_enter_sorts_and_says_so(browser: Any, url: str) -> None:
    browser.open(url + "#questions?failed=1")
    button = "document.querySelector('#asked [data-key=rank]')"
    seen = []
    for wanted in ("ascending", "descending"):
        browser.run(f"{button}.focus()")
        browser.press("Enter")
        assert browser.run(f"{button}.closest('th').getAttribute('aria-sort')") == wanted
        seen.append([int(rank) for rank in ranks(browser)])
    assert seen[0] == sorted(seen[0])
    assert seen[1] == sorted(seen[1], reverse=True)
    assert seen[0] != seen[1]


def test_the_other_tables_sort_by_number(browser: Any, url: str) -> None:
    browser.open(url)
    head = "[...document.querySelectorAll('#leaderboard .sortable th')].find(th => th.textContent == 'difference')"
    browser.run(f"{head}.querySelector('button').click()")
    rows = "[...document.querySelectorAll('#leaderboard .sortable tbody tr')]"
    values = browser.run(f"{rows}.map(row => parseFloat(row.cells[2].dataset.v))")
    assert browser.run(f"{head}.getAttribute('aria-sort')") == "ascending"
    assert len(values) == 12
    assert values == sorted(values)


def test_the_filters_narrow_the_table(browser: Any, url: str, sample_report: Report) -> None:
    browser.open(url + "#questions?strategy=dense&failed=1&kind=rule")
    wanted = {
        outcome.row.question_id
        for outcome in sample_report.outcomes
        if outcome.failure and outcome.row.strategy == "dense" and outcome.row.kind == "rule"
    }
    assert wanted
    assert set(browser.run(f"{ROWS}.map(row => row.querySelector('.qid').textContent)")) == wanted
    browser.run("{ const f = document.getElementById('filters'); f.elements.q.value = 'no such words'; "
                "f.dispatchEvent(new Event('input')) }")  # fmt: skip
    assert ranks(browser) == []


def test_a_question_opens_with_the_keyboard_to_its_ranking(browser: Any, url: str) -> None:
    browser.open(url + "#questions?q=sample-044")
    browser.run("document.querySelector('#asked .open').focus()")
    browser.press("Enter")
    assert browser.run("document.activeElement.getAttribute('aria-expanded')") == "true"
    assert browser.run("document.querySelector('.detail ol').children.length") == 15
    assert browser.run("document.querySelector('.detail .gold .tag').textContent") == "gold"
    line = browser.run("document.querySelector('.detail .line code').textContent")
    assert line.startswith("querymust explain 'Bend bars chance with exceptional strength 18/80' --chunk ")
    browser.press("Enter")
    assert browser.run("document.querySelectorAll('.detail').length") == 0


def test_a_kind_is_seen_by_another_metric(browser: Any, url: str) -> None:
    browser.open(url)
    browser.run("{ const s = document.getElementById('heated'); s.value = 'noise@15'; "
                "s.dispatchEvent(new Event('change')) }")  # fmt: skip
    shown = browser.run("[...document.querySelectorAll('.heated')].filter(e => !e.hidden).map(e => e.dataset.metric)")
    assert shown == ["noise@15"]


def test_what_a_question_holds_is_shown_and_not_run(browser: Any, hostile_report: Report, tmp_path: Path) -> None:
    write_page(hostile_report, tmp_path / "report.html")
    browser.open((tmp_path / "report.html").as_uri() + "#questions?open=hostile")
    assert browser.run("document.title") != "run"
    assert "onerror" in browser.run("document.querySelector('.detail').textContent")
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert "excluded" in browser.run("document.querySelector('.detail').previousElementSibling.textContent")


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_an_excluded_question_fits_its_column(browser: Any, hostile_report: Report, tmp_path: Path, width: int) -> None:
    write_page(hostile_report, tmp_path / "report.html")
    browser.open((tmp_path / "report.html").as_uri(), width)
    assert browser.run("document.documentElement.scrollWidth") <= width
    cell = "document.querySelector('#asked .rank .tag').closest('td').getBoundingClientRect()"
    assert browser.run(f"document.querySelector('#asked .rank .tag').getBoundingClientRect().right <= {cell}.right")


def test_a_failure_says_what_came_first_and_what_should_have(browser: Any, url: str, sample_report: Report) -> None:
    browser.open(url)
    shown = browser.run(f"{ROWS}.map(row => row.querySelector('.met')?.textContent ?? '')")
    failed = [outcome for outcome in sample_report.outcomes if outcome.failure and outcome.row.strategy == "default"]
    assert [text for text in shown if text] == [
        f"First came {each.first.title}; gold is {each.gold.title}" for each in failed if each.first and each.gold
    ]


def test_on_a_phone_what_ships_is_in_sight(browser: Any, url: str) -> None:
    browser.open(url, 390)
    right = "getBoundingClientRect().right"
    cells = browser.run(f"[...document.querySelectorAll('.board td.shipped')].map(cell => cell.{right})")
    assert cells
    assert max(cells) <= browser.run(f"document.querySelector('.board').closest('.scroll').{right}")
