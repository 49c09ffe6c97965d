"""The page in a real browser."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from retrieval.search.strategies import STRATEGIES
from retrieval.serve.api_keys import ApiKeys
from retrieval.serve.logs import FEEDBACK_FILE
from retrieval.serve.request_limits import Limits
from retrieval.serve.schema import EvaluatedQuestion, EvaluationRecord, NamedChunk, ScoreCard
from tests.retrieval.serve.conftest import served
from tests.retrieval.serve.page_steps import LOOK_UP, ask, asked_since, click, count_of, seen, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


VAGUE = "What light burns longest?"
COMBAT = "/book/lantern-and-blade/03-combat.md"
ROW = "d83d84a8-5e27-5932-9c22-d14a31559a2a"
"""Chunk id of armor class 6 in the matrix of clerics."""
MATRIX = "I.A. Attack Matrix for Clerics, Druids and Monks"


def evaluation() -> EvaluationRecord:
    gold = NamedChunk(id=ROW, title="Opponent Armor Class 6", book="lantern-and-blade", document="03-combat.md")
    failed = EvaluatedQuestion(query=LOOK_UP, gold=[gold], gold_rank=3, first=gold, why=["another row came first"])
    card = ScoreCard(title="Right answer first", value="96", about="of 102 questions")
    return EvaluationRecord(snapshot="s", strategy="default", cards=[card], questions=[failed])


@pytest.fixture(scope="module")
def url(home: Path) -> Iterator[str]:
    limits = Limits(requests_per_minute=100_000)
    examples = ["What does a mace cost?", LOOK_UP]
    with served(home, limits=limits, examples=lambda: examples, evaluation=evaluation) as client:
        yield str(client.base_url)


def test_the_answer_comes_first_with_its_certainty_its_cell_and_its_place(browser: Any, url: str) -> None:
    ask(browser, url)
    assert browser.run(text_of("#answer .badge")) == "Stated"
    assert browser.run(text_of("#answer .value")) == "10"
    assert browser.run(text_of("#answer figcaption")) == MATRIX
    assert browser.run(text_of("#answer td.read")) == "10"
    assert browser.run(text_of("#answer tr.answers td")) == "6"
    assert browser.run("document.querySelector('#answer .place').getAttribute('href')") == f"{COMBAT}#{ROW}"
    answer, hits = "document.getElementById('answer')", "document.getElementById('found')"
    assert browser.run(f"{answer}.compareDocumentPosition({hits})") == 4  # the hits follow
    assert all(request.startswith(url) for request in browser.requests)


def test_perhaps_and_not_in_these_books_look_different(browser: Any, url: str) -> None:
    looks = {}
    for query, word in ((LOOK_UP, "Stated"), (VAGUE, "Perhaps"), ("How do I cook pasta?", "No answer found")):
        ask(browser, url, query)
        assert browser.run(text_of("#answer .badge")) == word
        style = "getComputedStyle(document.getElementById('answer'))"
        looks[word] = browser.run(f"{style}.borderLeftStyle + {style}.borderLeftColor")
    assert len(set(looks.values())) == 3


def test_of_a_passage_the_sentences_that_answer_are_marked_and_nothing_else(browser: Any, url: str) -> None:
    ask(browser, url, "What ends the shelter of sanctuary?")
    before = "An enemy who wants to strike the one under sanctuary must save or look for another victim."
    marks = "[...document.querySelectorAll('blockquote mark.read')].map(each => each.textContent.trim()).join(' ')"
    assert browser.run(marks) == f"{before} The shelter ends the moment its bearer attacks."
    assert "Range touch" in browser.run(text_of("blockquote"))
    assert browser.run(text_of("#answer .line")).startswith(f"“{before}” “The shelter ends the moment its bearer")


def test_a_generated_answer_says_by_whom_and_what_no_passage_says(browser, home, chat_server):
    chat_server.pieces = ["It is ", "10 [1], or 7777."]
    with served(home, environment=chat_server.environment) as client:
        ask(browser, str(client.base_url))
        assert browser.run(text_of("#answer .badge")) == "Generated"
        assert "by gpt-4o-mini at 127.0.0.1" in browser.run(text_of("#answer .verdict"))
        assert browser.run(text_of("#answer .line")).startswith("It is 10 lantern-and-blade › 03-combat.md, line")
        assert "7777 is in no passage" in seen(browser, text_of("#answer .doubts"), "7777")
        assert "6" in seen(browser, text_of("#answer tr.answers"), "6")


def test_why_says_what_was_asked_found_and_missing(browser: Any, url: str) -> None:
    ask(browser, url, LOOK_UP.replace("cleric", "clreic"))
    click(browser, ".why summary")
    told = browser.run(text_of(".why dl"))
    assert f"Read as\n{LOOK_UP}" in told
    assert "relevance 0.9" in told
    assert "does not say “hit”, “roll”" in told
    assert "% that this is the right answer" in told


def test_the_whole_table_opens_with_the_row_marked(browser: Any, url: str) -> None:
    ask(browser, url)
    assert browser.run(count_of("#answer tbody tr")) == 3
    click(browser, "#answer figure button")
    assert browser.run(count_of("#answer tbody tr")) == 21
    assert browser.run(text_of("#answer tr.answers .read")) == "10"
    before = len(browser.requests)
    click(browser, "#found .hit button")
    seen(browser, f"String({count_of('#found .hit:first-child tbody tr')})", "21")
    assert browser.run(text_of("#found .hit:first-child tr.answers td")) == "6"
    assert asked_since(browser, before) == [f"tables/{ROW}"]


def test_rows_of_one_table_are_one_entry_with_marks_and_relevance(browser: Any, url: str) -> None:
    ask(browser, url, "Compare the cost of a mace and a long sword")
    first = "#found .hit:first-child"
    assert browser.run(text_of(f"{first} h3")) == "Melee Weapons"
    shown = browser.run(count_of(f"{first} tbody tr"))
    assert shown > 2
    assert browser.run(text_of(f"{first} button")) == f"{24 - shown} more rows"
    assert "Mace" in browser.run(f"[...document.querySelectorAll('{first} mark')].map(each => each.textContent).join()")
    assert 0 < browser.run(f"document.querySelector('{first} meter').value") <= 1


def test_a_threshold_leaves_the_relevant_hits(browser: Any, url: str) -> None:
    ask(browser, url, VAGUE)
    rows = "#found tbody tr, #found .prose"
    every = browser.run(count_of(rows))
    all_relevances = "[...document.querySelectorAll('meter')].map(each => each.value)"
    relevances = browser.run(all_relevances)
    middle, least = (min(relevances) + max(relevances)) / 2, "document.getElementById('least')"
    browser.run(f"{least}.value = {middle}; {least}.dispatchEvent(new Event('input'))")
    assert 0 < browser.run(count_of(rows)) < every
    assert "of 8 hits are this relevant" in browser.run(text_of("#found > [role=status]"))
    assert min(browser.run(all_relevances)) >= browser.run(f"Number({least}.value)")


def test_the_filter_off_is_one_list_with_what_it_keeps_out_struck_out(browser: Any, url: str) -> None:
    ask(browser, url, strategy="prefilter", k=10)
    assert browser.run(count_of("#found .out")) == 0
    before = len(browser.requests)
    browser.run("document.getElementById('compare').focus()")
    browser.press(" ")
    told = seen(browser, text_of("#found > [role=status]"), "struck out")
    out = browser.run(count_of("#found .out tbody tr, #found .out .prose"))
    assert f"{out} of the first 10 hits answer other questions" in told
    reasons = browser.run("[...document.querySelectorAll('.reason')].map(each => each.textContent)")
    assert 'This row is about Opponent Armor Class 7; your question names "AC 6".' in reasons
    assert "line-through" in browser.run("getComputedStyle(document.querySelector('.out td')).textDecorationLine")
    assert asked_since(browser, before) == ["retrieve"]
    ask(browser, browser.run("location.href").partition("/?")[0], strategy="prefilter", k=10, compare=1, least=0.5)
    assert seen(browser, text_of("#found > [role=status]"), "struck out").endswith(told)
    assert browser.run("document.getElementById('least').value") == "0.5"
    click(browser, "#compare")
    seen(browser, f"String({count_of('#found .out')})", "0")
    assert "compare" not in browser.run("location.search")
    ask(browser, url, strategy="bm25")
    assert not browser.run("document.getElementById('compare')")


def test_an_address_reproduces_a_search_and_says_what_it_cannot_use(browser: Any, url: str) -> None:
    ask(browser, url, strategy="prefilter", k=3)
    assert browser.run("document.getElementById('strategy').value") == "prefilter"
    assert browser.run(text_of("#found > [role=status]")).startswith("3 hits")
    assert browser.run("document.getElementById('strategy').options.length") == len(STRATEGIES)
    browser.run("document.querySelector('.settings').open = true")
    assert "vectors" in browser.run(text_of("#about"))
    ask(browser, url, strategy="best", k=99)
    told = browser.run(text_of("#problem"))
    assert "no strategy “best”" in told
    assert "hybrid_graph" in told
    assert "“99” hits cannot be shown" in told
    assert browser.run(text_of("#found > [role=status]")).startswith("8 hits")


def test_a_question_is_typed_sent_by_enter_and_kept_in_the_browser_alone(browser: Any, url: str) -> None:
    browser.open(url)
    browser.run("localStorage.clear()")
    browser.open(url)
    assert "lantern-and-blade (980 passages and rows)" in seen(browser, text_of("#view"), "mace")
    assert "Asked before" not in browser.run(text_of("#view"))
    seen(browser, "document.activeElement.id", "question")
    browser.run("document.getElementById('question').value = 'How do I cook pasta?'")
    browser.press("Enter")
    seen(browser, text_of(".actions"), "Copy")
    assert browser.run("location.search") == "?q=How+do+I+cook+pasta%3F"
    click(browser, ".brand")
    assert "pasta" in seen(browser, text_of("#view"), "Asked before")
    click(browser, "#view button")
    seen(browser, f"String({text_of('#view')}.includes('Asked before'))", "false")
    click(browser, ".questions li:last-child a")
    assert seen(browser, text_of("#answer .value"), "10") == "10"
    browser.run("history.back()")
    seen(browser, text_of("h1"), "Ask these books")


def test_a_place_opens_in_its_book_and_the_books_lead_there_too(browser: Any, url: str) -> None:
    ask(browser, url)
    click(browser, "#answer .place")
    assert seen(browser, "document.querySelector('.here')?.id", ROW) == ROW
    assert browser.run("document.querySelector('.here') === document.activeElement")
    top = browser.run("document.querySelector('.here').getBoundingClientRect().top")
    assert 0 <= top < 900
    assert browser.run("location.pathname + location.hash") == f"{COMBAT}#{ROW}"
    assert browser.run(text_of("h1")) == "Combat"
    for link, heading in (("nav a[href='/books']", "Books"), (".cards a", "lantern-and-blade")):
        browser.run(f"document.querySelector({json.dumps(link)}).focus()")
        browser.press("Enter")
        seen(browser, text_of("h1"), heading)
    seen(browser, "document.activeElement.id", "main")
    box = "document.querySelector('[type=search]')"
    browser.run(f"{box}.value = 'attack clerics'; {box}.dispatchEvent(new Event('input'))")
    assert browser.run(count_of(".documents > li:not([hidden])")) == 1
    click(browser, ".documents > li:not([hidden]) > a")
    seen(browser, text_of("h1"), "Combat")


def test_a_link_to_a_row_that_is_folded_or_gone(browser: Any, url: str) -> None:
    browser.open(f"{url}{COMBAT}?table={ROW}")
    last = seen(browser, "document.querySelector('tbody tr:last-child')?.id", "-")
    browser.open(f"{url}{COMBAT}#{last}")
    assert seen(browser, "document.querySelector('.here')?.id", last) == last
    browser.open(f"{url}{COMBAT}#gone")
    assert "have changed since this link was made" in seen(browser, text_of("#problem"), "changed")
    browser.open(f"{url}{COMBAT}?table=gone")
    assert "its table no longer exists" in seen(browser, text_of("#problem"), "changed")
    assert seen(browser, text_of("h1"), "Combat") == "Combat"


def test_a_table_sorts_filters_and_says_when_its_rows_come_back(browser: Any, url: str) -> None:
    browser.open(f"{url}{COMBAT}?table={ROW}#{ROW}")
    seen(browser, "document.querySelector('.here')?.id", ROW)
    keys = "[...document.querySelectorAll('tbody tr:not([hidden])')].map(each => each.cells[0].textContent)"
    assert browser.run(keys)[0] == "10"
    click(browser, ".sort")
    assert browser.run(keys) == [str(number) for number in range(-10, 11)]
    assert browser.run("document.querySelector('th').getAttribute('aria-sort')") == "ascending"
    click(browser, ".sort")
    assert browser.run(keys)[0] == "10"
    box = "document.querySelector('[type=search]')"
    browser.run(f"{box}.value = '25'; {box}.dispatchEvent(new Event('input'))")
    assert browser.run(keys) == ["-10"]
    assert browser.run(text_of("section [role=status]")) == "1 row"
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    told = browser.run(text_of("#view"))
    assert "The question must say one of" in told
    assert "1 test question, 1 missed" in told
    assert "its row is at rank 3" in told


def test_the_evaluation_names_what_failed_and_what_feedback_will_do(browser: Any, url: str, home: Path) -> None:
    browser.open(f"{url}/evaluation")
    assert "Right answer first" in seen(browser, text_of(".cards"), "96")
    click(browser, "section summary")
    assert "another row came first" in browser.run(text_of("section details"))
    click(browser, ".say button")
    assert "querymust feedback" in seen(browser, text_of(".say [role=status]"), "Saved")
    assert json.loads((home / FEEDBACK_FILE).read_text().splitlines()[-1])["verdict"] == "relevant"


def test_feedback_is_kept_and_can_be_changed(browser: Any, url: str, home: Path) -> None:
    ask(browser, url, k=3)
    click(browser, ".hit details summary")
    pressed = "document.querySelector('.hit .say [aria-pressed=true]')?.textContent"
    for position, label in ((1, "This is the one"), (2, "Does not belong here")):
        button = f"document.querySelectorAll('.hit .say button')[{position - 1}]"
        browser.run(f"{button}.focus()")
        browser.press("Enter")
        assert seen(browser, pressed, label) == label
        assert browser.run(f"{button} === document.activeElement")
    kept = [json.loads(line)["verdict"] for line in (home / FEEDBACK_FILE).read_text().splitlines()]
    assert kept[-2:] == ["relevant", "irrelevant"]


def test_an_answer_is_copied_as_markdown_with_links(browser: Any, url: str) -> None:
    ask(browser, url)
    browser.run("window.copied = ''; navigator.clipboard.writeText = async text => { window.copied = text }")
    click(browser, ".actions button")
    copied = seen(browser, "window.copied", "**")
    assert copied.startswith(f"**{LOOK_UP}**\n\n*Stated.* Read from the books, not generated.\n\nI.A. Attack Matrix")
    assert "\n\n*Missing:* The passage that answers does not say “hit”, “roll”.\n\n" in copied
    assert f"- [1] {MATRIX} - Opponent Armor Class 6 (lantern-and-blade/03-combat.md, line 88)\n" in copied
    assert f"[1]: {url}{COMBAT}#{ROW} " in copied
    assert browser.run(text_of(".actions [role=status]")) == "Copied."


def test_an_uncertain_answer_is_copied_with_its_caution(browser: Any, url: str) -> None:
    for query, caution in (
        (VAGUE, "*Perhaps.* Read from"),
        ("How do I cook pasta?", "*No answer found.* Nothing states"),
    ):
        ask(browser, url, query)
        browser.run("window.copied = ''; navigator.clipboard.writeText = async text => { window.copied = text }")
        click(browser, ".actions button")
        copied = seen(browser, "window.copied", "**")
        assert copied.startswith(f"**{query}**\n\n{caution}")
        assert ("*Missing:* The closest passage does not say" in copied) == ("pasta" in query)


def test_dark_and_light_can_be_chosen_and_stay(browser: Any, url: str) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.open(url)
    light = browser.run(ground)
    click(browser, "#theme")
    click(browser, "#theme")
    assert browser.run("document.getElementById('theme').getAttribute('aria-label')") == "Theme: Dark"
    dark = browser.run(ground)
    assert dark != light
    browser.open(url)
    assert browser.run(ground) == dark
    browser.run("localStorage.clear()")
    browser.open(url, dark=True)
    assert browser.run(ground) == dark


@pytest.mark.parametrize(("level", "is_scrolled"), [("7th", False), ("19th", True)])
def test_on_a_phone_the_cell_that_answers_and_its_key_are_in_view(
    browser: Any, url: str, level: str, is_scrolled: bool
) -> None:
    ask(browser, url, LOOK_UP.replace("7th", level), width=390)
    box = "document.querySelector('#answer .scroll')"
    assert browser.run(f"{box}.scrollLeft > 0") == is_scrolled
    edges = "(each => [each.left, each.right])(document.querySelector('#answer {}').getBoundingClientRect())"
    key, cell, outer = (browser.run(edges.format(each)) for each in ("tr.answers td", "td.read", ".scroll"))
    assert outer[0] <= key[0] < key[1] <= cell[0] < cell[1] <= outer[1]


VIEWS = ["/", "/books", "/book/lantern-and-blade", COMBAT, f"{COMBAT}?table={ROW}#{ROW}", "/evaluation"]
VIEWS += [f"/?q={quote(query)}" for query in (LOOK_UP, VAGUE, "How do I cook pasta?")]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [360, 390, 1280])
def test_a_view_overflows_on_no_screen(browser: Any, url: str, view: str, width: int) -> None:
    show(browser, url + view, width)
    assert browser.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(browser: Any, axe: str, url: str, view: str, width: int) -> None:
    for dark in (False, True):
        show(browser, url + view, width, dark=dark)
        browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
        assert browser.violations(axe) == []


def show(browser: Any, address: str, width: int, **options: Any) -> None:
    browser.open(address, width, **options)
    done = ".actions, .cards, .documents, article, .questions, .sort"
    seen(browser, f"String({count_of(done)} > 0)", "true")


def test_a_screen_reader_finds_landmarks_headings_and_what_changed(browser: Any, url: str) -> None:
    ask(browser, url)
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    named = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]}
    wanted = {
        ("search", ""),
        ("main", ""),
        ("navigation", "Views"),
        ("heading", "Answer"),
        ("heading", "What was found"),
        ("combobox", "Ask these books"),
        ("slider", "Relevance at least"),
        ("switch", "Show near-duplicates that were left out"),
        ("meter", "Relevance"),
        ("table", MATRIX),
    }
    assert wanted <= named
    assert browser.run(text_of("#answer [role=status]")).startswith(
        "Stated Read from the books, not generated.\n\n10\n\n"
    )


def test_by_keyboard_alone_the_first_stop_skips_to_the_content(browser: Any, url: str) -> None:
    ask(browser, url)
    browser.run("document.activeElement.blur()")
    browser.press("Tab")
    assert browser.run("document.activeElement.textContent") == "Skip to the content"
    browser.press("Enter")
    assert browser.run("document.activeElement.id") == "main"
    for _ in range(20):
        browser.press("Tab")
        if browser.run("document.activeElement.textContent") == "All 21 rows":
            break
    browser.press("Enter")
    assert browser.run(count_of("#answer tbody tr")) == 21
    assert browser.run("document.activeElement.className") == "scroll"


def test_where_a_key_is_needed_the_page_asks_for_it(browser: Any, home: Path, tmp_path: Path) -> None:
    guarded = tmp_path / "home"
    shutil.copytree(home, guarded)
    secret = ApiKeys(guarded).add("reader", "read")
    with served(guarded) as client:
        browser.open(f"{client.base_url}/book/lantern-and-blade")
        assert "a key is required" in seen(browser, text_of("#problem"), "key")
        browser.run(f"document.getElementById('key').value = '{secret}'")
        browser.run(f"document.getElementById('question').value = '{LOOK_UP}'")
        click(browser, "#form .main")
        seen(browser, text_of("#answer .value"), "10")
        assert "key" not in browser.run("location.href")
    browser.run("sessionStorage.clear()")


def test_what_goes_wrong_is_said(browser: Any, url: str, tmp_path: Path) -> None:
    browser.open(f"{url}/book/nobody")
    assert "no book is called 'nobody'" in seen(browser, text_of("#problem"), "nobody")
    with served(tmp_path / "empty") as client:
        browser.open(str(client.base_url))
        seen(browser, text_of("#view"), "Nothing is live")
        browser.open(f"{client.base_url}/?q=axes")
        assert "HOME" in seen(browser, text_of("#problem"), "querymust build")
