"""The explorer in a real browser."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from retrieval.search.strategies import STRATEGIES
from retrieval.serve.logs import FEEDBACK_FILE
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
    while wanted not in (result := str(browser.run(expression))) or not result:
        assert time.monotonic() < until, f"{expression} is {result!r}"
        time.sleep(0.05)
    return result


TEXT = "document.getElementById('text')?.textContent"
PROBLEM = "document.getElementById('problem').textContent"
STRATEGY = "document.getElementById('strategy').value"


def asked_since(browser: Any, n: int) -> list[str]:
    """The routes of the API that were asked after the first n requests."""
    browser.run("1")  # what the browser told meanwhile is read with its answer
    return [request.rpartition("/v1/")[2] for request in browser.requests[n:] if "/v1/" in request]


def test_a_link_reproduces_a_view_with_its_answer_and_its_cell(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&strategy=prefilter&k=10")
    assert "Level 7-9: 10 [1] 03-combat.md:" in seen(browser, TEXT, "not generated")
    assert browser.run("document.querySelector('#text strong').textContent") == "10"
    assert browser.run(STRATEGY) == "prefilter"
    assert browser.run("document.querySelectorAll('#on .hit').length") == 10
    assert browser.run("document.querySelector('.cited td.read').textContent") == "10"
    assert all(request.startswith(url) for request in browser.requests)


def test_a_number_in_the_answer_leads_to_its_hit_and_asks_nothing(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&k=5", 390)
    seen(browser, TEXT, "not generated")
    before, here = len(browser.requests), "document.querySelector('.hit.here')"
    top = f"{here}.getBoundingClientRect().top"
    browser.run("document.querySelector('#text a').click()")
    assert browser.run(f"{here} === document.querySelector('#on .cited')")
    assert 0 <= browser.run(top) < 450
    assert browser.run(f"{here} === document.activeElement")
    address = browser.run("location.href")
    assert "#on-" in address
    browser.run("history.back()")
    seen(browser, f"String({here})", "null")
    browser.run("document.querySelector('#text a').focus()")
    browser.press("Enter")
    assert 0 <= browser.run(top) < 450
    assert asked_since(browser, before) == []
    assert "not generated" in browser.run(TEXT)
    browser.open(address, 390)
    seen(browser, f"{here}?.id", "on-")
    assert 0 <= browser.run(top) < 450
    assert asked_since(browser, 0).count("query") == 1


def test_a_misspelt_question_says_how_it_was_read(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP.replace('cleric', 'clreic'))}")
    assert seen(browser, "document.getElementById('summary').textContent", "keeps").startswith(f"Read as “{LOOK_UP}”. ")


def test_rows_that_are_kept_out_are_grey_with_the_reason(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&strategy=prefilter&k=10")
    summary = seen(browser, "document.getElementById('summary').textContent", "keeps")
    out = browser.run("[...document.querySelectorAll('#off .out .reason')].map(each => each.textContent)")
    assert f"keeps {len(out)} of the first 10 out" in summary
    assert 'This row is about Opponent Armor Class 7; your question names "AC 6".' in out
    assert all(each.startswith("This row is ") for each in out)
    assert browser.run("document.querySelectorAll('#on .out').length") == 0
    last = "#on .hit:first-child .sum td:last-child"
    parts = browser.run(f"[...document.querySelectorAll('{last}')].map(each => +each.textContent)")
    assert sum(parts[:-1]) == pytest.approx(parts[-1], abs=0.003)


def test_another_strategy_or_count_asks_the_same_question_again(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&k=3")
    seen(browser, TEXT, "not generated")
    ids = "[...document.querySelectorAll('{}')].map(each => each.dataset.chunk)"
    off, out, on = (browser.run(ids.format(each)) for each in ("#off .hit", "#off .out", "#on .hit"))
    assert out == [each for each in off if each not in on] != []
    browser.run("document.getElementById('question').value = 'typed, not asked'")
    change(browser, "strategy", "bm25")
    assert "no filter" in seen(browser, "document.getElementById('summary').textContent", "bm25")
    assert "without a filter" in browser.run("document.getElementById('strategy').title")
    assert browser.run("document.querySelectorAll('#off .out').length") == 0
    change(browser, "k", "4")
    seen(browser, "String(document.querySelectorAll('#on .hit').length)", "4")
    assert browser.run("new URLSearchParams(location.search).get('q')") == LOOK_UP
    assert "strategy=bm25&k=4" in browser.run("location.search")
    seen(browser, TEXT, "not generated")
    before = len(browser.requests)
    change(browser, "k", "99")
    assert "from 1 to 50" in browser.run(PROBLEM)
    assert browser.run("document.getElementById('k').value") == "4"
    assert asked_since(browser, before) == []


def change(browser: Any, field: str, value: str) -> None:
    at = f"document.getElementById('{field}')"
    browser.run(f"{at}.value = '{value}'; {at}.dispatchEvent(new Event('change', {{ bubbles: true }}))")


def test_an_address_that_cannot_be_used_is_said_and_falls_back(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&strategy=best&k=99")
    seen(browser, TEXT, "not generated")
    told = browser.run(PROBLEM)
    assert "no strategy “best”" in told
    assert "hybrid_graph" in told
    assert "“99” hits cannot be shown" in told
    assert browser.run(STRATEGY) == "default"
    assert browser.run("document.querySelectorAll('#on .hit').length") == 8


def test_a_question_is_typed_and_sent_by_enter(browser: Any, url: str) -> None:
    browser.open(url)
    assert browser.run("document.querySelector('[autofocus]').id") == "question"
    seen(browser, "document.getElementById('library').textContent", "chunks")
    assert browser.run(STRATEGY) == "default"
    assert browser.run("document.getElementById('strategy').options.length") == len(STRATEGIES)
    assert browser.run("[...document.getElementById('strategy').options].every(each => each.title)")
    browser.run("document.getElementById('question').focus()")
    browser.run("document.getElementById('question').value = 'How do I cook pasta?'")
    browser.press("Enter")
    assert seen(browser, TEXT) == "Not in these books."
    assert "q=How+do+I+cook+pasta" in browser.run("location.search")
    step = "document.getElementById('step')"
    assert browser.run(f"{step}.textContent") == "The nearest passages are below; none answers surely."
    assert "relevance of 0." in browser.run(f"{step}.title")
    assert browser.run(f"{step}.compareDocumentPosition(document.getElementById('text'))") == 2  # the text comes first
    if not browser.run("document.querySelectorAll('#off .out').length"):
        assert "are gone" not in browser.run("document.getElementById('on-words').textContent")
    assert not browser.run("document.getElementById('time').closest('details').open")


def test_feedback_is_kept_and_can_be_changed(browser: Any, url: str, home: Path) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&k=3")
    seen(browser, TEXT, "generated")
    first = "#on .hit:first-child .say [aria-pressed=true]"
    pressed = f"[...document.querySelectorAll('{first}')].map(each => each.textContent).join()"
    for position, label in ((1, "This is the one"), (2, "Does not belong here")):
        button = f"document.querySelector('#on .say button:nth-child({position})')"
        browser.run(f"{button}.focus()")
        browser.press("Enter")
        assert seen(browser, pressed, label) == label
        assert browser.run(f"{button} === document.activeElement")
    assert "Kept" in browser.run("document.querySelector('#on .say').textContent")
    kept = [json.loads(line)["verdict"] for line in (home / FEEDBACK_FILE).read_text().splitlines()]
    assert kept[-2:] == ["relevant", "irrelevant"]


def test_on_a_phone_the_cell_that_answers_is_in_view_and_long_prose_opens(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&k=15", 390)
    seen(browser, TEXT, "not generated")
    cell = "document.querySelector('#on .cited .scroll.wide td.read')"
    inner, outer = (
        browser.run(f"(box => [box.left, box.right])({each}.getBoundingClientRect())")
        for each in (cell, f"{cell}.closest('.scroll')")
    )
    assert outer[0] <= inner[0] < inner[1] <= outer[1]
    assert browser.run(f"{cell}.closest('.scroll').scrollLeft") > 0
    assert "scroll" in browser.run(f"{cell}.closest('.scroll').nextSibling.innerText")
    hit = "document.querySelector('#on .hit:has(.more[aria-expanded=false])')"
    short = browser.run(f"{hit}.querySelector('.prose:not([hidden])').textContent")
    assert short.endswith(" …")
    browser.run(f"window.opened = {hit}; opened.querySelector('.more').click()")
    whole = browser.run("opened.querySelector('.prose:not([hidden])').innerText")
    assert whole.replace("\n", " ").startswith(short[:-2].replace("\n", " ")[:100])
    assert len(whole) > len(short)
    assert browser.run("opened.querySelector('.prose:not([hidden])').textContent").startswith(f"{short[:-2]}")
    cut = "[...document.querySelectorAll('.prose')].filter(each => each.scrollHeight > each.clientHeight + 1)"
    assert browser.run(f"{cut}.length") == 0


def test_a_page_without_a_question_offers_some_or_names_its_books(browser: Any, url: str, home: Path) -> None:
    browser.open(url)
    invited = "document.getElementById('start').innerText"
    assert "In this index: lantern-and-blade." in seen(browser, invited, "In this")
    with served(home, examples=["What does a mace cost?", LOOK_UP]) as client:
        browser.open(str(client.base_url))
        seen(browser, invited, "mace")
        browser.run("document.querySelector('#examples li:last-child a').click()")
        seen(browser, TEXT, "Level 7-9: 10")
        assert client.get("/favicon.ico").status_code == 204


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_overflows_on_no_screen(browser: Any, url: str, width: int, dark: bool) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}&k=15", width, dark=dark)
    seen(browser, "document.getElementById('text').textContent", "generated")
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_what_goes_wrong_is_said(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path / "empty") as client:
        browser.open(str(client.base_url))
        seen(browser, "document.getElementById('start').innerText", "Nothing is live")
        browser.open(f"{client.base_url}/?q=axes")
        told = seen(browser, "document.getElementById('problem').textContent", "querymust build")
        assert "HOME" in told
