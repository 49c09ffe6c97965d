import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest.markdown import parser as module
from retrieval.ingest.markdown.parser import (
    heading_text,
    is_links,
    plain_lines,
    plain_paragraphs,
    plain_text,
    split_row,
    with_blank_comments,
    without_attributes,
    without_comments,
    without_tags,
)


def test_a_row_keeps_escaped_pipes_empty_cells_and_what_is_too_much():
    assert [cell.strip() for cell in split_row(r"| a | b\|c |  | d |")] == ["a", "b|c", "", "d"]
    assert [cell.strip() for cell in split_row("a|b")] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "columns", "cells"),
    [
        ("| `on | off` | turns it |", 2, ["`on | off`", "turns it"]),
        ("`` a`|b `` | c | `d|e`", 3, ["`` a`|b ``", "c", "`d|e`"]),
        (r"| `a\|b` | `c|d` |", 2, ["`a|b`", "`c|d`"]),
        ("| `on | off` |", 2, ["`on", "off`"]),
        ("| `on | off` | turns | it |", 2, ["`on", "off`", "turns", "it"]),
        ("| ` | off | |", 2, ["`", "off", ""]),
    ],
)
def test_pipes_in_code_part_no_cells_where_the_row_has_its_columns_without_them(line, columns, cells):
    assert [cell.strip() for cell in split_row(line, columns)] == cells


def test_markup_is_taken_off_the_words():
    assert plain_text("**Bite.** _Hit:_ [5](x) &amp; `6`<br>7 \\* ~~8~~") == "Bite. Hit: 5 & 6 7 * 8"
    assert heading_text("## The **End** ##") == "The End"


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("get <id> <a-side>", "get <id> <a-side>"),
        ("x < 5 and y > 3", "x < 5 and y > 3"),
        ("`Vec<T>` or `<br>`", "Vec<T> or <br>"),
        ("see <https://example.org/a>", "see https://example.org/a"),
        ("*a*<BR/>b <span class='x'>c</span><!-- d -->", "a b c"),
    ],
)
def test_only_tags_of_html_are_markup(markup, words):
    assert plain_text(markup) == words


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ('<Icon name="oven" style={{ margin: "1rem" }} /> Ovens', "Ovens"),
        ("Bake <Badge text='beta' size='small' /> <Tag kind=\"new\">Hot</Tag>", "Bake beta Hot"),
        ("bake <Dish> at `<Heat kind='a' />`", "bake <Dish> at <Heat kind='a' />"),
        ("press <Keys.Hard>Go</Keys.Hard>, then <Name>", "press Go, then <Name>"),
        ("`<Dish>a</Dish>` </Dish> <Dish>", "<Dish>a</Dish> </Dish> <Dish>"),
        ('[ovens]({{< relref "/a.md#b" >}}), [pans]({% link b.md %})', "ovens, pans"),
        ("`[ovens]({{< a b >}})` and [pans]({{ base }}/c)", "[ovens]({{< a b >}}) and pans"),
    ],
)
def test_components_and_addresses_that_a_site_is_made_with_are_markup(markup, words):
    assert plain_text(markup) == words


def test_a_passage_shows_what_a_reader_of_the_page_sees() -> None:
    markup = """# A *title*

[![build](b.svg)](https://ci.example) See [docs][1] and [a link](https://example.org)\\.
Second line.

- one **item**
- two

```
x = a * b * c
```

<div class="x">In <b>HTML</b></div>

[1]: https://example.org/docs
"""
    assert plain_paragraphs(markup) == (
        "A title",
        "build See docs and a link. Second line.",
        "one item",
        "two",
        "x = a * b * c",
        "In HTML",
    )


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("a <!-- b --> c", "a  c"),
        ("a\n<!-- b\n\n  c -->\nd", "a\nd"),
        ("`<!-- a -->` and <!-- b -->c", "`<!-- a -->` and c"),
        ("```\n<!-- a -->\n```\n<!-- b -->", "```\n<!-- a -->\n```\n"),
        ("- a\n  ~~~\n  <!-- b -->\n  ~~~\n", "- a\n  ~~~\n  <!-- b -->\n  ~~~\n"),
        ("    <!-- code -->", "    <!-- code -->"),
        ("a <!-- open", "a <!-- open"),
        ("a ` b <!-- c -->", "a ` b "),
    ],
)
def test_a_comment_is_not_shown_unless_it_is_code(markup, shown):
    assert without_comments(markup) == shown


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        (r"http\_method\.name", "http_method.name"),
        ("a&nbsp;b 1&ndash;3 &lt;id&gt;", "a b 1–3 <id>"),
        ("![stable](https://b.example/s.svg) **`limit`**<br/>_integer_", "stable limit integer"),
        ("[![build](b.svg)](https://ci.example) passed", "build passed"),
        ("[the guide][guide] and [`limit`][]", "the guide and limit"),
        ("a[i][j], bits [7:4][3:0], url [a=<k>][c]", "a[i][j], bits [7:4][3:0], url [a=<k>][c]"),
        ("Copper[^1] or tin [^note].", "Copper or tin."),
        ("CO<sub>2</sub> in m<sup>3</sup>", "CO2 in m 3"),
        ("{ref}`limits <limits-label>` of {py:class}`Pump`", "limits of Pump"),
        ("a `{client_ip}` and `port` of [one](x) `{host}`", "a {client_ip} and port of one {host}"),
        (":ref:`limits <limits-label>` at 12:30:`x`", "limits at 12:30:x"),
        ("sof\u00adt\u200bly", "softly"),
    ],
)
def test_words_are_those_that_a_reader_sees(markup, words):
    assert plain_text(markup) == words


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        (":tada: Where to begin", "Where to begin"),
        ("Ferry :material-information-outline:{ title='late'}", "Ferry"),
        ("**:warning:** Care, **:warning: Fire**", "Care, Fire"),
        ('{{< icon name="dotted-circle" >}} No', "No"),
        (":white_check_mark:", "white check mark"),
        ("**:x:**", "x"),
        (":x: (not tested)", "x (not tested)"),
        (":flag_gb:", "gb"),
        ('{{< icon "check" >}}', "check"),
        ("pin = :one:", "pin = :one:"),
        ("`:memory:` :tada:", ":memory:"),
        ("in `:memory:`, at 10:30:45, std::a::b, (?:http:|x), ':empty:'", None),
    ],
)
def test_an_icon_says_its_name_only_where_nothing_else_is_said(markup: str, words: str | None) -> None:
    assert plain_text(markup) == (markup.replace("`", "") if words is None else words)


def test_comments_are_blanked_and_nothing_in_a_fence_is_an_icon():
    assert with_blank_comments("a\n<!-- b\nc -->\nd <!-- e -->") == "a\n\n\nd "
    assert plain_lines(":tada: A\n```\nls :sftp:\n```\n:tada: B") == ("A", "```", "ls :sftp:", "```", "B")


def test_a_heading_is_read_without_its_anchor():
    assert heading_text("## `pump.limit` {#pump-limit}") == "pump.limit"
    assert heading_text("## Limits {: .wide #l }") == "Limits"
    assert heading_text("## Sets {a, b}") == "Sets {a, b}"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("# A #", "A"),
        ("# A#", "A#"),
        ("## #", "#"),
        ("# A {#b}", "A"),
        ("# A {: .b} ", "A"),
        ("# A {b}", "A {b}"),
        ("# A {#b} ##", "A"),
        ("A {.b}\n===", "A"),
    ],
)
def test_a_heading_has_no_marks_before_or_behind_it(source, words):
    assert heading_text(source) == words


@given(
    st.lists(
        st.sampled_from(["<!--", "-->", "`", "```", "\n", "\n\n", "a", " ", "<b>", "<", ">", "-", "~~~\n"]), max_size=24
    )
)
def test_comments_go_as_a_search_for_each_of_them_would_have_it(pieces: list[str]) -> None:
    markup = "".join(pieces)
    code_or_comment, tag_or_comment = module._CODE_OR_COMMENT_IN_ROWS, module._TAG_OR_COMMENT
    blank = code_or_comment.sub(lambda match: match["code"] or "\n" * match[0].count("\n"), markup)
    assert with_blank_comments(markup) == (blank if "<!--" in markup else markup)
    assert without_tags(markup, " ") == tag_or_comment.sub(" ", markup)


def test_a_comment_that_begins_in_a_cell_ends_in_its_row():
    assert with_blank_comments("| a | <!-- b |\n|---|---|\n| c | --> d |") == "| a | <!-- b |\n|---|---|\n| c | --> d |"
    assert with_blank_comments("| a | <!-- b --> c |") == "| a |  c |"
    assert with_blank_comments("| a |\n<!-- b\nc -->\n| d |") == "| a |\n\n\n| d |"


def test_comments_without_an_end_are_not_each_looked_for_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    class Counting:
        def search(self, markup: str, at: int) -> None:
            searched.append(at)

    monkeypatch.setattr(module, "_CODE_OR_COMMENT", Counting())
    markup = "--> " + "<!-- a " * 50
    assert without_comments(markup) == markup
    assert searched == []


@pytest.mark.parametrize(
    ("markup", "is_so"),
    [
        ("[Sheet](https://a.b/c)", True),
        ("- [Oak](#oak)\n- [Ash](#ash)", True),
        ("[One](a.md) | [Two](b.md)", True),
        ("See [the sheet](https://a.b/c)", False),
        ("[x] done", False),
        ("---", True),
        ("`code` [a](b)", False),
        ("<div>words</div>", False),
    ],
)
def test_links_alone_are_told_from_words(markup: str, *, is_so: bool) -> None:
    assert is_links(markup) is is_so


def test_what_pandoc_gives_to_one_writer_is_not_shown() -> None:
    raw = "`\\\\vspace{-1em}`{=latex} `\\\\begin{across}{0.3}`{=latex}"
    assert plain_text(raw) == ""
    assert plain_text(f"Sails {raw} furl `x`{{.c}}") == "Sails furl x{.c}"
    assert plain_paragraphs(f"{raw}\n\nSails.") == ("Sails.",)


@pytest.mark.parametrize(
    ("markup", "displayed"),
    [
        ("Port 10111\n{: .label }\nopens.", "Port 10111\nopens."),
        ("[Get it](a.zip){:.btn .small} here", "[Get it](a.zip) here"),
        ('A link{: rel="external"}.', "A link."),
        ("- Contents\n{:toc}", "- Contents\n"),
        ("The tuple {:ok, value}", "The tuple {:ok, value}"),
        ("`{: .x}` is one", "`{: .x}` is one"),
        ("```\n{: .x}\n```", "```\n{: .x}\n```"),
    ],
)
def test_attribute_lists_of_kramdown_are_not_displayed(markup: str, displayed: str) -> None:
    assert without_attributes(markup) == displayed
