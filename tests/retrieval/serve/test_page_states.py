"""The page where something is wrong, missing, long or narrow, in a real browser."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from evals.questions.questions import load_questions
from retrieval.serve.request_limits import Limits
from tests.retrieval.serve.conftest import served
from tests.retrieval.serve.page_steps import LOOK_UP, asked_since, click, count_of, seen, submit, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def url(home: Path) -> Iterator[str]:
    with served(
        home, limits=Limits(requests_per_minute=100_000), examples=lambda: ["What does a mace cost?"]
    ) as client:
        yield str(client.base_url)


def test_too_many_requests_leave_the_question_and_say_how_long_to_wait(browser: Any, home: Path) -> None:
    with served(home, limits=Limits(requests_per_minute=1)) as client:
        browser.open(f"{client.base_url}/?q={quote(LOOK_UP)}")
        assert "the page then asks again by itself" in seen(browser, text_of("#failure"), "seconds")
        assert browser.run("document.getElementById('question').value") == LOOK_UP
        assert LOOK_UP in browser.run(text_of("#failure q"))
        assert "Too many requests" in browser.run(text_of("#problem"))
        assert browser.run(text_of("#failure button")) == "Try again"


REFUSED = """window.real ??= window.fetch; window.fetch = async () => new Response(
    JSON.stringify({error: {message: "more than 1 requests in a minute; wait 2 seconds"}}),
    {status: 429, headers: {"retry-after": "2"}})"""


def ask_too_often(browser: Any, url: str) -> None:
    browser.open(url)
    seen(browser, text_of("#view"), "mace")
    browser.run(REFUSED)
    submit(browser, LOOK_UP)


def test_when_the_wait_is_over_the_page_asks_again(browser: Any, url: str) -> None:
    ask_too_often(browser, url)
    seen(browser, text_of("#failure"), "Wait 1 second;")
    browser.run("window.fetch = window.real")
    assert seen(browser, text_of("#answer .value"), "10") == "10"
    assert not browser.run(text_of("#problem"))


def test_a_wait_that_is_left_asks_nothing(browser: Any, url: str) -> None:
    ask_too_often(browser, url)
    seen(browser, text_of("#failure"), "Wait 2 seconds;")
    browser.run("window.fetch = window.real")
    click(browser, ".brand")
    seen(browser, text_of("#view"), "mace")
    before = len(browser.requests)
    time.sleep(2.5)
    assert asked_since(browser, before) == []


def test_a_server_that_is_gone_is_said_and_asked_again_on_a_click(browser: Any, home: Path, url: str) -> None:
    with served(home) as client:
        browser.open(str(client.base_url))
        seen(browser, text_of("#view"), "books")
    submit(browser, LOOK_UP)
    assert "querymust serve" in seen(browser, text_of("#failure"), "Try again")
    assert browser.run("document.getElementById('question').value") == LOOK_UP
    browser.open(url)
    seen(browser, text_of("#view"), "mace")
    browser.run("window.real = window.fetch; window.fetch = async () => { throw new TypeError('Failed to fetch') }")
    submit(browser, LOOK_UP)
    seen(browser, text_of("#failure"), "Try again")
    browser.run("window.fetch = window.real; document.querySelector('#failure button').focus()")
    browser.press("Enter")
    assert seen(browser, text_of("#answer .value"), "10") == "10"


def test_an_index_without_scores_says_how_to_get_them(browser: Any, home: Path, tmp_path: Path) -> None:
    with served(home) as client:
        browser.open(f"{client.base_url}/evaluation")
        assert "docs/reference/questions.md" in seen(browser, text_of("#view"), "gold")
        lines = browser.run(text_of("pre code"))
    (tmp_path / "questions.jsonl").write_text(lines)
    questions = load_questions(tmp_path / "questions.jsonl")
    assert [bool(question.gold) for question in questions] == [True, True, False]


LISTED = """window.fetch = async () => new Response(JSON.stringify([
    {document: "settings.md", title: "Settings", tables: [...Array(150).keys()].map(
        (n) => ({id: `t${n}`, title: n === 77 ? "Motor throttle" : `Group ${n}`, n_rows: 2}))},
    {document: "throttle.md", title: "Tuning the motor", tables: []},
    ...[...Array(170).keys()].map((n) => ({document: `page-${n}.md`, title: `Page ${n}`, tables: []})),
]))"""


def test_a_long_book_is_cut_searched_and_names_what_is_prose(browser: Any, url: str) -> None:
    browser.open(url)
    seen(browser, text_of("#view"), "mace")
    browser.run(LISTED)
    browser.run("document.querySelector('.brand').href = '/book/big'")
    click(browser, ".brand")
    assert "171 documents without tables: prose only" in seen(browser, text_of("#view"), "prose only")
    assert browser.run(count_of(".documents:last-of-type > li")) == 50
    assert browser.run(count_of("details > ul > li")) == 50
    for label, selector in (("171 documents", ".documents:last-of-type > li"), ("150 tables", "details > ul > li")):
        browser.run(
            f"[...document.querySelectorAll('button')].find((b) => b.textContent == 'Show all {label}').click()"
        )
        assert browser.run(count_of(selector)) == int(label.split()[0])
    for typed, told, shown in (
        ("throttle", "1 table and 1 document match.", ["Motor throttle", "Tuning the motor"]),
        ("settings motor", "1 table matches.", ["Motor throttle"]),
        ("page 16", "12 documents match.", ["Page 160"]),
        ("yaw", "No title contains “yaw”.", []),
        ("", "", ["Group 1", "Page 1"]),
    ):
        box = "document.querySelector('[type=search]')"
        browser.run(f"{box}.value = '{typed}'; {box}.dispatchEvent(new Event('input'))")
        assert told in browser.run("document.querySelector('section > [role=status]').textContent")
        links = browser.run("[...document.querySelectorAll('.documents a')].map((a) => a.textContent)")
        assert set(shown) <= set(links)
        assert "Group 2" not in links or not typed
    assert browser.run("document.querySelector('.documents:last-of-type a').getAttribute('href')") == (
        "/book/big/throttle.md"
    )


LONG_ROWS = """window.fetch = async (route, options) => {
    if (!String(route).includes("/tables/")) return window.real(route, options);
    const whole = await (await window.real(route, options)).json();
    for (const row of whole.rows) row.cells[1] = "long text ".repeat(60);
    return new Response(JSON.stringify(whole));
}"""


def test_on_a_phone_long_cells_do_not_push_the_answer_out_of_sight(browser: Any, url: str) -> None:
    browser.open(url, 390)
    seen(browser, text_of("#view"), "mace")
    browser.run(f"window.real = window.fetch; {LONG_ROWS}")
    submit(browser, LOOK_UP)
    seen(browser, text_of("#answer .read"), "10")
    box, cell = (
        browser.run(f"document.querySelector('#answer {each}').getBoundingClientRect().bottom")
        for each in (".scroll", "tr.answers")
    )
    assert cell <= box
    assert browser.run(text_of("#answer .asked")) == LOOK_UP
    click(browser, "#answer figure button")
    assert browser.run(count_of("#answer .lines")) == 0


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_what_an_unscored_index_and_a_full_server_show_fits_and_can_be_reached(browser, axe, home, width):
    with served(home) as client:
        browser.open(f"{client.base_url}/evaluation", width)
        seen(browser, text_of("#view"), "gold")
        assert browser.run("document.documentElement.scrollWidth") <= width
        assert browser.run("[...document.querySelectorAll('pre')].every((box) => box.scrollWidth <= box.clientWidth)")
        assert browser.violations(axe) == []
    with served(home, limits=Limits(requests_per_minute=1)) as client:
        browser.open(f"{client.base_url}/?q={quote(LOOK_UP)}", width)
        seen(browser, text_of("#failure"), "seconds")
        assert browser.run("document.documentElement.scrollWidth") <= width
        assert browser.violations(axe) == []


def test_wide_code_in_prose_can_be_scrolled_by_keyboard(browser: Any, url: str) -> None:
    browser.open(url)
    seen(browser, text_of("#view"), "mace")
    blocks = [{"id": "p", "level": 0, "heading": "", "html": f"<pre><code>{'x' * 500}</code></pre>", "table": None}]
    browser.run(f"window.fetch = async () => new Response({json.dumps(json.dumps(blocks))})")
    browser.run("document.querySelector('.brand').href = '/book/big/one.md'")
    click(browser, ".brand")
    assert seen(browser, "String(document.querySelector('pre')?.tabIndex)", "0") == "0"


def test_an_address_that_nobody_encoded_is_read_as_it_is(browser: Any, url: str) -> None:
    browser.open(f"{url}/book/100%")
    assert "100%" in seen(browser, text_of("#problem"), "100%")
    browser.open(f"{url}/?q={quote(LOOK_UP)}#50%")
    assert seen(browser, text_of("#answer .value"), "10") == "10"


def test_near_duplicates_that_cannot_be_asked_for_leave_the_list_as_it_was(browser: Any, url: str) -> None:
    browser.open(f"{url}/?q={quote(LOOK_UP)}")
    seen(browser, text_of("#found .hits"), "10")
    browser.run("window.real ??= window.fetch; window.fetch = async () => { throw new TypeError('gone') }")
    browser.run("document.getElementById('compare').click()")
    seen(browser, text_of("#problem"), "does not respond")
    assert browser.run("document.getElementById('compare').checked") is False
    browser.run("document.getElementById('least').dispatchEvent(new Event('input'))")
    assert browser.run("document.querySelectorAll('#found .hits li').length") > 0
