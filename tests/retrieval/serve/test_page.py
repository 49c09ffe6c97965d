"""The explorer in a real browser."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from retrieval.serve.feedback import FILE_NAME
from tests.retrieval.serve.conftest import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retrieval.home import Home

LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture(scope="module")
def home(sample: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explored") / "home"
    shutil.copytree(sample.root, folder)
    return folder


@pytest.fixture(scope="module")
def url(home: Path) -> Iterator[str]:
    with served(home) as client:
        yield str(client.base_url)


def seen(browser: Any, expression: str, wanted: str = "", seconds: float = 30) -> str:
    """The text of an expression once it has what is wanted."""
    until = time.monotonic() + seconds
    while wanted not in (found := str(browser.run(expression))) or not found:
        assert time.monotonic() < until, f"{expression} is {found!r}"
        time.sleep(0.05)
    return found


def test_a_link_reproduces_a_view_with_its_answer_and_its_cell(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&strategy=prefilter&k=10")
    assert "Level 7-9: 10 [1]" in seen(browser, "document.getElementById('text').textContent", "not generated")
    assert browser.run("document.getElementById('strategy').value") == "prefilter"
    assert browser.run("document.querySelectorAll('#on .hit').length") == 10
    assert browser.run("document.querySelector('.cited td.read').textContent") == "10"
    assert browser.run("document.querySelector('#text a').hash").startswith("#on-")
    assert all(each.startswith(url) for each in browser.requests)


def test_rows_that_are_kept_out_are_grey_with_the_reason(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&strategy=prefilter&k=10")
    summary = seen(browser, "document.getElementById('summary').textContent", "keeps")
    out = browser.run("[...document.querySelectorAll('#off .out .reason')].map(each => each.textContent)")
    assert f"keeps {len(out)} of the first 10 out" in summary
    assert all(each.startswith("kept out: ") and len(each) > 20 for each in out)
    assert browser.run("document.querySelectorAll('#on .out').length") == 0
    last = "#on .hit:first-child .sum td:last-child"
    parts = browser.run(f"[...document.querySelectorAll('{last}')].map(each => +each.textContent)")
    assert sum(parts[:-1]) == pytest.approx(parts[-1], abs=0.003)


def test_a_question_is_typed_and_sent_by_enter(browser: Any, url: str) -> None:
    browser.open(url)
    assert browser.run("document.querySelector('[autofocus]').id") == "question"
    seen(browser, "document.getElementById('library').textContent", "chunks")
    browser.run("document.getElementById('question').focus()")
    browser.run("document.getElementById('question').value = 'How do I cook pasta?'")
    browser.press("Enter")
    assert seen(browser, "document.getElementById('text').textContent") == "Not in these books."
    assert "q=How+do+I+cook+pasta" in browser.run("location.search")


def test_feedback_is_kept(browser: Any, url: str, home: Path) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&k=3")
    seen(browser, "document.getElementById('text').textContent", "generated")
    browser.run("document.querySelector('#on .say button').click()")
    seen(browser, "document.querySelector('#on .say').textContent", "Kept")
    assert '"verdict":"relevant"' in (home / FILE_NAME).read_text()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_overflows_on_no_screen(browser: Any, url: str, width: int, dark: bool) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&k=15", width, dark=dark)
    seen(browser, "document.getElementById('text').textContent", "generated")
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_what_goes_wrong_is_said(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path / "empty") as client:
        browser.open(f"{client.base_url}/?q=axes")
        told = seen(browser, "document.getElementById('problem').textContent", "querymust build")
        assert "HOME" in told
