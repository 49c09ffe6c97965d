"""Tokens and plain text of markdown; the only file that imports markdown-it and its plugins."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin

__all__ = ["Token", "block_tokens", "inline_tokens", "split_row", "whole_tokens"]


@cache
def _block_parser() -> MarkdownIt:
    # Only blocks: inline parsing of a whole book would take most of the time, and its result is not used.
    parser = MarkdownIt("commonmark").enable("table").use(deflist_plugin).disable(["inline", "reference"])
    rules = parser.block.ruler
    plain = dict(zip(rules.get_active_rules(), rules.getRules(""), strict=True))["deflist"]
    rules.at("deflist", _within_section(plain), {"alt": ["paragraph", "reference", "blockquote"]})
    return parser


_MEANING = re.compile(r"[:~][ \t]")
HEADING_MARK = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
"""Opens an ATX heading."""


def _within_section(deflist: RuleFuncBlockType) -> RuleFuncBlockType:
    """Return the rule of definition lists, bounded by the next heading.

    The plugin takes any line above a meaning for a term, and so a heading, or the meaning of a heading, too.
    """

    def rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if silent:
            return deflist(state, start, end, silent)
        if _MEANING.match(state.src, state.bMarks[start] + state.tShift[start]):
            return False
        if "headings" not in state.env:
            lines = state.src.split("\n")
            state.env["headings"] = [number for number, line in enumerate(lines) if HEADING_MARK.match(line)]
        headings: list[int] = state.env["headings"]
        following = bisect_right(headings, start)
        return deflist(state, start, min([end, *headings[following : following + 1]]), silent)

    return rule


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


@cache
def _whole_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def block_tokens(text: str) -> list[Token]:
    """Return the block tokens of a document, without parsing its paragraphs."""
    return _block_parser().parse(text)


def inline_tokens(markup: str) -> list[Token]:
    """Return the inline tokens of one paragraph or cell."""
    return _inline_parser().parseInline(markup)


def whole_tokens(text: str) -> list[Token]:
    """Return block tokens with their inline tokens."""
    return _whole_parser().parse(text)


def html_of(tokens: list[Token]) -> str:
    """Return the HTML of tokens; the caller must remove those that may not be displayed."""
    renderer = RendererHTML()
    return str(renderer.render(tokens, _whole_parser().options, {}))


_INLINE_CODE = r"(?<!`)(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)"
"""A code span in one line. It begins at the first of its backticks, so that a run of them is matched only once."""
_CODE_SPAN = re.compile(_INLINE_CODE)
PIPE = re.compile(r"(?<!\\)\|")
"""A pipe that separates cells."""


def split_row(line: str, columns: int = 0) -> tuple[str, ...]:
    """Return the raw cells of a pipe-table line, however many it has.

    Args:
        columns: that it should have, or 0. GitHub splits code at its pipes, Python-Markdown and kramdown do not: pipes
            in code do not separate cells if the line has exactly this number of cells without them.
    """
    cells = _cells(line)
    whole = _cells(_CODE_SPAN.sub(lambda match: PIPE.sub(r"\|", match[0]), line)) if 0 < columns < len(cells) else cells
    return whole if len(whole) == columns else cells


def _cells(line: str) -> tuple[str, ...]:
    cells = escapedSplit(line.strip())
    if cells and not cells[0]:
        cells = cells[1:]
    if cells and not cells[-1].strip() and line.rstrip().endswith("|"):
        cells = cells[:-1]
    return tuple(cells)


_TAG = re.compile(r"<[^<>]*>")
_TAG_OR_COMMENT = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)
_OF_CODE = r"""
    (?P<code>
        ^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*(?P=fence)|\Z)
        | (?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)*?(?<!`)(?P=ticks)(?!`)
    )
"""
_OF_COMMENTS = r"| ^[ \t]*<!--(?:(?!-->).)*-->[ \t]*(?:\n|\Z) | <!--.*?-->"
_OF_COMMENTS_IN_ROWS = r"| ^[ \t]*<!--(?:(?!-->).)*-->[ \t]*(?:\n|\Z) | <!--[^\n]*?-->"
"""A comment that begins in a cell ends in its row, because rows are separated before their contents are parsed."""
_CODE = re.compile(_OF_CODE, re.MULTILINE | re.DOTALL | re.VERBOSE)
_CODE_OR_COMMENT = re.compile(_OF_CODE + _OF_COMMENTS, re.MULTILINE | re.DOTALL | re.VERBOSE)
"""Code comes first, because a comment in it is text."""
_CODE_OR_COMMENT_IN_ROWS = re.compile(_OF_CODE + _OF_COMMENTS_IN_ROWS, re.MULTILINE | re.DOTALL | re.VERBOSE)
_ATTRIBUTE_LIST = r"""\{:(?: [ ]*(?:[.\#]|[\w-]+=["'])[^{}\n]* | (?:toc|/\w*)[ ]* | :[\w ]+ )\}"""
"""`{: .class #id}`, `{:toc}` and `{::nomarkdown}` of kramdown, but not `{:ok, value}`."""
ATTRIBUTES = re.compile(rf"(?:\s*{_ATTRIBUTE_LIST})+\s*", re.VERBOSE)
_CODE_OR_ATTRIBUTES = re.compile(
    rf"{_OF_CODE} | ^[ \t>]*{_ATTRIBUTE_LIST}[ \t]*(?:\n|\Z) | (?<![ \t])[ \t]*{_ATTRIBUTE_LIST}",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_INLINE_MARK = re.compile(r"[*_`\[\]<>&\\~!]")
_ROLE = re.compile(r"(?:(?<!`)\{[a-z][\w:+.-]*\}|(?<![\w`:]):[a-z][\w:+.-]*:)`([^`<\n]+?)(?:\s*<[^`\n]*>)?`")
"""`{ref}` or `:ref:` before a code span, a link in Sphinx; the target in its brackets is not displayed."""
_REFERENCE = re.compile(r"(?<![\w\]])\[([^\[\]<>=]+)\]\[[\w .-]*\]")
"""A link whose address is elsewhere in the document, but not `a[i][j]`."""
_ICON = re.compile(
    r"""
    (?<!`)(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)
    | (?<![^\s(*_|>])(?P<marks>[*_]{1,3})?
      :(?!(?:zero|one|two|three|four|five|six|seven|eight|nine):)(?P<name>[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*):
      (?![\w:`/|])(?:\{[^{}\n]*\})?(?(marks)(?P=marks))[ \t]*
    | \{\{[<%]\s*icon\s+(?:name=)?["']?(?P<icon>[\w/-]+)[^{}\n]*[>%]\}\}
    """,
    re.VERBOSE,
)
"""`:tada:`, `:material-pencil:{ .large }`, `{{< icon name="pencil" >}}`; code comes first, because
there it is text. `:one:` is kept as a number."""
_COMPONENT = re.compile(
    rf"""
    {_INLINE_CODE}
    | <(?P<name>[A-Z][\w.]*)
      (?P<given>(?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}))?)*)\s*(?P<closed>/)?>
    | </(?P<end>[A-Z][\w.]*)\s*>
    """,
    re.VERBOSE,
)
"""`<Icon name="bolt" style={{ margin: 2 }} />`, `<Tag kind="new">Beta</Tag>`, in MDX; code comes first."""
_SHOWN_BY_COMPONENT = re.compile(r"""\s(?:content|label|text|title)=\{?(["'])(?P<words>.*?)\1""")
_TEMPLATE_LINK = re.compile(_INLINE_CODE + r"|(?<=\]\()(?:\{\{[^{}]*\}\}|\{%[^{}]*%\})[^\s()]*(?=\))")
"""`{{< relref "/a.md" >}}`, `{% link a.md %}`: an address in Hugo or Jekyll, with blanks that Markdown forbids."""
_BRACKETED = re.compile(r"\([^()\n]*\)")
"""The brackets of a remark after an icon: `:x: (not tested)`."""
_RAW = re.compile(r"(?<!`)(`+)(?!`)[^`\n]*(?<!`)\1\{=[\w-]+\}")
_FOOTNOTE = re.compile(r"\s?\[\^[^\[\]\s]+\](?!:)")
_UNSEEN = re.compile("[\u00ad\u200b\u200c\u2060\ufeff]")
_UNDERLINE = re.compile(r"\s*(?:=+|-+)\s*")
_HTML_NAME = re.compile(r"</?([a-z][a-z0-9-]*)|<!--", re.IGNORECASE)
_SUBSCRIPT = re.compile(r"</?sub\b", re.IGNORECASE)
_ELEMENT_NAMES = (
    "a abbr acronym address area article aside audio b base bdi bdo big blink blockquote body br button canvas "
    "caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset "
    "figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img "
    "input ins kbd label legend li link main map mark marquee menu meta meter nav nobr noscript object ol optgroup "
    "option output p param picture pre progress q rp rt ruby s samp script search section select slot small source "
    "span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr "
    "track tt u ul var video wbr"
)
_BLOCKS_OF_WORDS = frozenset({"fence", "code_block", "html_block"})
_HTML_ELEMENTS = frozenset(_ELEMENT_NAMES.split())


def without_comments(markup: str) -> str:
    """Return the markup without `<!-- ... -->` and lines that only contain one. In code, a comment is text."""
    if "<!--" not in markup or markup.startswith(("    ", "\t")):
        return markup
    return _substituted(markup, _CODE_OR_COMMENT, _CODE, lambda match: match["code"] or "")


def without_attributes(markup: str) -> str:
    """Return the markup without attribute lists of kramdown, which are not displayed. In code, they are text."""
    if "{:" not in markup or markup.startswith(("    ", "\t")):
        return markup
    return _CODE_OR_ATTRIBUTES.sub(lambda match: match["code"] or "", markup)


def without_tags(markup: str, by: str) -> str:
    """Return the markup with each tag and comment replaced by `by`."""
    return _substituted(markup, _TAG_OR_COMMENT, _TAG, lambda _: by)


def _substituted(
    markup: str, pattern: re.Pattern[str], beyond: re.Pattern[str], by: Callable[[re.Match[str]], str]
) -> str:
    """Return the result of `pattern.sub`, with `beyond`, the pattern without comments, after the last full comment.

    Searching for the end of every unclosed comment would take quadratic time.
    """
    end = markup.rfind("-->")
    last = markup.rfind("<!--", 0, end) if end >= 0 else -1
    parts, at = [], 0
    while at <= last and (match := pattern.search(markup, at)):
        parts += [markup[at : match.start()], by(match)]
        at = match.end()
    for match in beyond.finditer(markup, at):
        parts += [markup[at : match.start()], by(match)]
        at = match.end()
    return "".join((*parts, markup[at:]))


def with_blank_comments(rows: str) -> str:
    """Return the rows of a pipe table without comments, with the same number of lines."""
    if "<!--" not in rows:
        return rows
    blanked = _CODE_OR_COMMENT_IN_ROWS
    return _substituted(rows, blanked, _CODE, lambda match: match["code"] or "\n" * match[0].count("\n"))


HTML_HEADING = re.compile(
    r"\s*<h(?P<level>[1-6])(?=[\s>])[^>]*>(?P<words>.*?)</h(?P=level)\s*>\s*", re.IGNORECASE | re.DOTALL
)


def heading_text(source: str) -> str:
    """Return the words of an ATX, setext or HTML heading, or of a bold line; a setext heading is a whole paragraph."""
    if HTML_HEADING.fullmatch(source):
        return plain_text(" ".join(source.split()))
    lines = source.split("\n")
    opening = HEADING_MARK.match(lines[0])
    words = " ".join(lines[:-1] or lines) if not opening and _UNDERLINE.fullmatch(lines[-1]) else lines[0]
    words = words[opening.end() if opening else 0 :].rstrip()
    before = words.rstrip("#")
    if before != words and before[-1:].isspace():
        words = before.rstrip()
    return plain_text(_without_attributes(words))


def _without_attributes(words: str) -> str:
    """Return the words without a final `{#anchor .class}`. A pattern would be slow on a line of blanks."""
    before, brace, inside = words.removesuffix("}").rpartition("{")
    is_attribute = brace and words.endswith("}") and "}" not in inside and inside.lstrip()[:1] in {":", "#", "."}
    return before.rstrip() if is_attribute else words


def plain_text(markup: str) -> str:
    """Return the visible text of a line: no marks, addresses, footnote marks, icons, or tags of HTML elements.

    `<id>` and `x < 5` are words. A line of icons only is replaced by their names.
    """
    return _without_marks(_without_icons(_without_components(without_attributes(markup))))


def plain_lines(markup: str) -> tuple[str, ...]:
    """Return the `plain_text` of each line of a passage; in a fence nothing is an icon."""
    lines, is_code = [], False
    for line in markup.split("\n"):
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        lines.append(_without_marks(line) if is_code else plain_text(line))
    return tuple(lines)


def _without_marks(markup: str) -> str:
    if _INLINE_MARK.search(markup):
        markup = _TEMPLATE_LINK.sub(lambda match: match[0] if match["ticks"] else "#", without_raw(markup))
        markup = "".join(_words(inline_tokens(_ROLE.sub(r"`\1`", markup))))
        markup = _REFERENCE.sub(r"\1", _FOOTNOTE.sub("", markup))
    return " ".join(_UNSEEN.sub("", markup).split())


def _without_components(markup: str) -> str:
    """Return the markup without tags of components, but with their text and the labels of self-closing tags.

    `<T>` and `<Name>` are words: a component has attributes, is self-closing, or is closed after its text.
    """
    if "<" not in markup:
        return markup
    opened: set[str] = set()
    last_end = {match["end"]: match.start() for match in _COMPONENT.finditer(markup) if match["end"]}

    def shown(match: re.Match[str]) -> str:
        name = match["name"]
        if match["end"] in opened:
            return ""
        is_closed = bool(match["closed"]) or match.end() < last_end.get(name, 0)
        if not (name and (is_closed or "=" in match["given"])) or name.lower() in _HTML_ELEMENTS:
            return match[0]
        if not match["closed"]:
            opened.add(match["name"])
            return ""
        return " ".join(words["words"] for words in _SHOWN_BY_COMPONENT.finditer(match["given"]))

    return _COMPONENT.sub(shown, markup)


def _without_icons(markup: str) -> str:
    if ":" not in markup and "{{" not in markup:
        return markup
    bare = _ICON.sub(lambda match: match[0] if match["ticks"] else "", markup)
    if any(map(str.isalnum, _BRACKETED.sub("", bare))):
        return bare
    return _ICON.sub(lambda match: match[0] if match["ticks"] else f"{_icon_name(match)} ", markup)


def _icon_name(match: re.Match[str]) -> str:
    """Return `gb` for `:flag_gb:`, `white check mark` for `:white_check_mark:`."""
    return re.sub(r"[\W_]+", " ", match["icon"] or match["name"]).removeprefix("flag ")


def is_links(markup: str) -> bool:
    """Whether a text has no words except those of links."""
    if "[" not in markup and "<" not in markup:
        return not any(map(str.isalnum, markup))
    within = 0
    for token in whole_tokens(markup):
        if token.type in _BLOCKS_OF_WORDS:
            return False
        for child in token.children or ():
            within += child.nesting if child.type in ("link_open", "link_close") else 0
            if not within and any(map(str.isalnum, child.content)):
                return False
    return True


def readable(markup: str) -> str:
    """Return a line without markup that is only for other programs: roles, footnote marks, attributes, references."""
    markup = _without_attributes(_FOOTNOTE.sub("", _ROLE.sub(r"`\1`", without_raw(markup))))
    return _REFERENCE.sub(r"\1", _UNSEEN.sub("", markup))


def without_raw(markup: str) -> str:
    """Return the markup without Pandoc's raw text for one writer: `\\pagebreak`{=latex}, in backticks."""
    return _RAW.sub("", markup) if "{=" in markup else markup


def plain_paragraphs(markup: str) -> tuple[str, ...]:
    """Return the plain text of headings, paragraphs, list items and lines of code, in reading order."""
    paragraphs: list[str] = []
    for token in whole_tokens(without_raw(markup)):
        if token.type == "inline":
            paragraphs.append(" ".join("".join(_words(token.children or [])).split()))
        elif token.type in {"fence", "code_block"}:
            paragraphs += token.content.splitlines()
        elif token.type == "html_block":
            paragraphs.append(plain_text(without_tags(token.content, " ")))
    return tuple(text for text in paragraphs if text.strip())


def _words(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children is not None and token.type != "image":
            yield from _words(token.children)
        elif token.type in ("softbreak", "hardbreak") or (token.type == "html_inline" and _is_html(token.content)):
            # H<sub>2</sub>O is one word; a raised 1 may refer to a footnote.
            yield "" if _SUBSCRIPT.match(token.content) else " "
        else:
            yield token.content


def _is_html(tag: str) -> bool:
    match = _HTML_NAME.match(tag)
    return match is not None and (match[1] is None or match[1].lower() in _HTML_ELEMENTS)
