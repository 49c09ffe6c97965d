"""Markdown of books as HTML."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot
from retrieval.serve.rendering import Renderer

if TYPE_CHECKING:
    from retrieval.home import Home

HIT = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture(scope="module")
def snapshot(sample: Home) -> Snapshot:
    return open_snapshot(sample.root)


@pytest.fixture(scope="module")
def plain(snapshot: Snapshot) -> Renderer:
    return Renderer.of(snapshot)


def test_the_lines_around_a_box_are_not_shown(plain: Renderer) -> None:
    shown = plain.block(":::note\nKeep it **dry**.\n:::")
    assert "Keep it <strong>dry</strong>." in shown
    assert ":::" not in shown


@pytest.mark.parametrize(
    "markdown",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<div onclick='alert(1)'>\n<svg onload=alert(1)>\n</div>",
        "![picture](https://example.com/a.png)",
        "[a link](javascript:alert(1))",
        "[a link](data:text/html,x)",
        "[a link](other.md)",
        "<javascript:alert(1)>",
        '<b style="background:url(//example.com)">bold</b>',
        "<iframe src='https://example.com'></iframe>",
        '| a |\n|---|\n| <a href="https://example.com" onmouseover="x">b</a> |',
        '[web](https://example.com/"onmouseover="alert(1))',
        "<form action=/v1/ingest><input name=q></form>",
        "```html onload=alert(1)\n<script>alert(1)</script>\n```",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "<p>\n&lt;script&gt;alert(1)&lt;/script&gt;\n</p>",
    ],
)
def test_nothing_of_a_book_runs_or_loads(plain: Renderer, markdown: str) -> None:
    allowed = r"</?(?:p|b|i|em|strong|code|pre|table|thead|tbody|tr|th|td|ul|ol|li|br)(?: class=\"heading\")?>"
    link = r'<a href="https://[^"<>]*" rel="noopener noreferrer nofollow">|</a>'
    for html in (plain.block(markdown), plain.plain(markdown)):
        assert "<" not in re.sub(f"{allowed}|{link}", "", html)


@pytest.mark.parametrize(
    ("box", "title"),
    [
        (":::note[Read this]\nPay first.\n:::", "Read this"),
        (":::tip Read this\nPay first.\n:::", "Read this"),
        ('!!! warning "Read this"\n    Pay first.', "Read this"),
        ("!!! warning\n    Pay first.", "Warning"),
        ("> [!NOTE]\n> Pay first.", "Note"),
    ],
)
def test_a_box_is_shown_with_its_title_or_its_kind(plain: Renderer, box: str, title: str) -> None:
    assert f"<strong>{title}</strong><br />\nPay first." in plain.block(box)


def test_markdown_is_shown_as_it_reads(plain: Renderer) -> None:
    html = plain.block(
        "## Rope {#rope}\n\nA *strong* rope[^1], see {ref}`knots <knot>`.\n\n<!-- hidden -->\n- H<sub>2</sub>O"
    )
    assert '<p class="heading">Rope</p>' in html
    assert "A <em>strong</em> rope, see <code>knots</code>." in html
    assert "<li>H<sub>2</sub>O</li>" in html
    assert "hidden" not in html
    assert plain.block("5 < 6 & `x`") == "<p>5 &lt; 6 &amp; <code>x</code></p>\n"
    assert plain.block("an <id> of HTML") == "<p>an &lt;id&gt; of HTML</p>\n"


def test_a_cell_is_shown_as_it_stands(plain: Renderer) -> None:
    assert plain.plain("<path> of *all* & `x`") == "&lt;path&gt; of *all* &amp; `x`"


def test_a_web_link_stays_a_link(plain: Renderer) -> None:
    html = plain.block("[here](https://example.com/a?b=1&c=2)")
    assert html == '<p><a href="https://example.com/a?b=1&amp;c=2" rel="noopener noreferrer nofollow">here</a></p>\n'


@pytest.mark.parametrize(
    "href", ["05-magic.md", "./05-magic.md#spells", "05-magic.html", "../05-magic/", "/05-magic", "%30%35-magic.md"]
)
def test_a_link_to_another_document_leads_to_its_page(plain: Renderer, snapshot: Snapshot, href: str) -> None:
    chunk = next(chunk for chunk in snapshot.chunks if chunk.document == "03-combat.md")
    assert plain.block(f"[spells]({href})", chunk) == (
        '<p><a href="/book/lantern-and-blade/05-magic.md">spells</a></p>\n'
    )
    assert plain.block(f"[spells]({href})", replace(chunk, book="other")) == "<p>spells</p>\n"


@pytest.mark.parametrize(
    "href", ["none.md", "#spells", "", "/", "javascript:05-magic.md", "//[05-magic.md", "../../../etc/passwd", "?a=b"]
)
def test_a_link_to_no_document_is_text(plain: Renderer, snapshot: Snapshot, href: str) -> None:
    assert "href" not in plain.block(f"[spells]({href})", next(iter(snapshot.chunks)))


def test_words_of_the_question_are_marked_whatever_their_form(snapshot: Snapshot) -> None:
    renderer = Renderer.of(snapshot, HIT.replace("cleric", "clreic"))
    assert renderer.plain("Clerics & druids") == "<mark>Clerics</mark> &amp; druids"
    assert renderer.plain("Opponent Armor Class") == "<mark>Opponent Armor Class</mark>"
    assert renderer.block("**7**-9") == "<p><strong><mark>7</mark></strong>-9</p>\n"
    assert renderer.plain("need") == "need"
