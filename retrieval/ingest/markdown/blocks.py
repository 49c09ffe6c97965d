"""Markdown as a flat list of blocks under their headings, with a title for each document."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePosixPath

from retrieval.ingest.document_names import is_markdown
from retrieval.ingest.markdown.html_tables import TableScan, table_spans
from retrieval.ingest.markdown.parser import (
    ATTRIBUTES,
    HTML_HEADING,
    heading_text,
    without_comments,
    without_raw,
    without_tags,
)
from retrieval.ingest.markdown.spans import BlockKind, Span, spaced_tables, spans_of, with_rows_apart, without_marks

_TABLE_TAG = re.compile(r"</?table\b", re.IGNORECASE)
_IMPORTS = re.compile(r"(?:import\s[^\n]*\sfrom\s+(['\"])[^\n]*\1;?\s*)+")
_TABLE_PART = re.compile(r"</?(?:t[drh]|tbody|thead|tfoot)\b", re.IGNORECASE)
_TEMPLATE = r"\{%[^{}]*%\}|\{\{[<%][^{}]*[>%]\}\}"
_TEMPLATES = re.compile(rf"\s*(?:(?:{_TEMPLATE})\s*)+")
"""Tags of GitBook, Jekyll and Hugo, which are not displayed."""
_TAB = re.compile(
    r"(?P<end></Tab(?:Item)?>|\{%-?\s*endtab\b[^{}]*%\}|\{\{[<%]\s*/\s*tab\b[^{}]*\}\})"
    r"|(?:<Tab(?:Item)?\s|\{%-?\s*tab\s|\{\{[<%]\s*tab\s)(?P<given>[^<>{}]*)"
)
_TAB_NAME = re.compile(
    r"""(?:\b(?:label|title|name|header)=|(?<![=\w]))(?P<quote>["'])(?P<name>(?:(?!(?P=quote))[^\n])+)(?P=quote)"""
)
MAX_DEPTH = 16
"""Depth of tables in cells of tables; greater depth means missing end tags, for which the search would not end."""


@dataclass(frozen=True, slots=True)
class Block:
    """A run of source lines of one kind. `lines` are 0-based, the end exclusive."""

    kind: BlockKind
    lines: tuple[int, int]
    source: str
    heading_path: tuple[str, ...]
    """Plain text of the headings above, from the highest level to the nearest; a heading's own path ends with it."""
    level: int = 0
    """1 to 6 for a heading, 0 otherwise."""
    is_paragraph: bool = False
    """Whether a text block is running text rather than a list, a quotation or code."""
    tabs: tuple[str, ...] = ()
    """Names of the enclosing tabs of Docusaurus, GitBook or Hugo, the outermost first."""

    @property
    def shown(self) -> str:
        """The source without comments; a paragraph also without the marks of its list or quotation."""
        markup = without_comments(self.source)
        return without_marks(markup).rstrip() if self.is_paragraph else markup


def parse_blocks(text: str) -> tuple[Block, ...]:
    """Return top-level blocks in reading order; every line of `text` is in one, except blank and hidden lines.

    A line is in two blocks only if an HTML table begins or ends within it; then each has its part as `source`.
    """
    headings: list[tuple[int, str]] = []
    tabs: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for span in _with_html_divided(
        with_rows_apart(_with_headers_whole(_with_tables_whole(_with_tables_apart(text), text), text))
    ):
        source = span.source.strip("\n")
        if span.kind == "html" or span.is_paragraph:
            _follow_tabs(source, tabs, len(headings))
        if not _is_shown(span.kind, source):
            continue
        if span.kind == "heading":
            headings = [entry for entry in headings if entry[0] < span.level] + [(span.level, heading_text(source))]
            # A tab without an end ends with its section.
            tabs = [entry for entry in tabs if entry[0] < len(headings)]
        path = tuple(title for _, title in headings if title)
        names = tuple(name for _, name in tabs)
        blocks.append(Block(span.kind, (span.start, span.end), source, path, span.level, span.is_paragraph, names))
    return tuple(blocks)


_BEGIN = re.compile(r"[ \t]*<(?:blockquote|(?P<details>details)|dl|h[1-6]|ol|p|ul)(?=[\s>])", re.IGNORECASE)
_HEADING_END = re.compile(r"</h[1-6]\s*>\s*$", re.IGNORECASE)
_WHOLE = re.compile(
    r"(?P<begin><(?:!--|(?:dl|ol|pre|script|style|ul)(?=[\s>])))|-->|</(?:dl|ol|pre|script|style|ul)>", re.IGNORECASE
)
"""Where an element that is not divided begins or ends."""


def _with_html_divided(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans, with HTML without a table as its headings, paragraphs, lists and quotations.

    Pages of content management systems have no blank line, at which Markdown would divide them.
    """
    for span in spans:
        if span.kind != "html" or _TABLE_TAG.search(span.source):
            yield span
            continue
        lines = span.source.split("\n")
        for start, end in pairwise(sorted({0, *_begun_blocks(lines), len(lines)})):
            source = "\n".join(lines[start:end])
            part = replace(span, start=span.start + start, end=span.start + end, source=source)
            heading = HTML_HEADING.fullmatch(source)
            if heading and "{{" not in heading["words"] and _has_words(heading["words"]):
                part = replace(part, kind="heading", level=int(heading["level"]))
            yield part


def _begun_blocks(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines at which a block begins: none within a list, a comment, a script or preformatted text, and not
    the first below a summary, which belongs to it."""
    depth = 0
    is_below_heading = is_below_summary = False
    for number, line in enumerate(lines):
        begin = _BEGIN.match(line)
        if not depth and (is_below_heading or begin):
            is_details = bool(begin and begin["details"])
            if is_details or not is_below_summary:
                yield number
            is_below_summary = is_details
        for mark in _WHOLE.finditer(line):
            depth = max(depth + (1 if mark["begin"] else -1), 0)
        is_below_heading = not depth and bool(_HEADING_END.search(line))


def _follow_tabs(source: str, tabs: list[tuple[int, str]], depth: int) -> None:
    """Open and close the tabs of a source; each has the number of headings above it."""
    for mark in _TAB.finditer(source):
        name = _TAB_NAME.search(mark["given"] or "")
        if mark["end"] and tabs:
            tabs.pop()
        elif name:
            tabs.append((depth, name["name"]))


def _is_shown(kind: BlockKind, source: str) -> bool:
    """Whether a block is displayed, unlike comments, tags without words, the end of a box, the imports of an MDX page,
    attribute lists of kramdown, and Pandoc's raw text for a single writer."""
    if kind == "html":
        return _has_words(source) or bool(_TABLE_TAG.search(without_comments(source)))
    source = without_raw(source)
    is_template = _IMPORTS.fullmatch(source.strip()) or _TEMPLATES.fullmatch(source) or ATTRIBUTES.fullmatch(source)
    return bool(source.strip(": \t\n")) and not is_template


def _with_headers_whole(spans: Iterable[Span], text: str) -> Iterator[Span]:
    """Yield the spans, with rows directly above a pipe table's header as part of the header."""
    lines = text.split("\n")
    above: Span | None = None
    for span in spans:
        if span.kind == "table" and above and above.is_paragraph and above.end == span.start and _is_rows(above.source):
            yield replace(span, start=above.start, source="\n".join(lines[above.start : span.end]))
            above = None
            continue
        if above:
            yield above
        above = span
    if above:
        yield above


def _is_rows(source: str) -> bool:
    return all(line.lstrip().startswith("|") for line in source.split("\n"))


def _with_tables_whole(spans: Iterable[Span], text: str) -> Iterator[Span]:
    """Yield the spans, with rows that continue a pipe table directly below a comment as part of the table."""
    lines = text.split("\n")
    waiting: list[Span] = []
    for span in spans:
        adjacent = bool(waiting) and waiting[-1].end == span.start
        if adjacent and span.kind == "html" and not without_comments(span.source).strip():
            waiting.append(span)
        elif adjacent and len(waiting) > 1 and span.is_paragraph and span.source.lstrip().startswith("|"):
            table = waiting[0]
            waiting = [replace(table, end=span.end, source="\n".join(lines[table.start : span.end]))]
        else:
            yield from waiting
            waiting = [span] if span.kind == "table" else []
            if not waiting:
                yield span
    yield from waiting


def _with_tables_apart(text: str) -> Iterator[Span]:
    """Yield the top-level spans, with every HTML table as a separate span."""
    lines = text.split("\n")
    spans = list(_with_spaced_whole(text, lines))
    index = 0
    while index < len(spans):
        span = spans[index]
        if span.kind != "html" or not _TABLE_TAG.search(span.source):
            yield span
        else:
            index = _last_of_table(spans, index)
            yield from _cut_at_tables("\n".join(lines[span.start : spans[index].end]), span.start)
        index += 1


def _with_spaced_whole(text: str, lines: Sequence[str]) -> Iterator[Span]:
    """Yield the top-level spans, with every table aligned under dashes as a separate span."""
    done = 0
    for start, end in spaced_tables(text):
        yield from spans_of("\n".join(lines[done:start]), done)
        yield Span("table", 0, start, end, "\n".join(lines[start:end]))
        done = end
    yield from spans_of("\n".join(lines[done:]), done)


def _last_of_table(spans: Sequence[Span], first: int) -> int:
    """Return the span in which the table that begins in span `first` ends.

    A blank line ends an HTML block in CommonMark, but real HTML tables are full of blank lines. A table without an end
    tag must not swallow the rest of the document: it ends with its last tag above the next heading.
    """
    scan = TableScan()
    scan.feed(spans[first].source)
    if not scan.depth:
        return first
    count = scan.count
    for index in range(first + 1, len(spans)):
        scan.feed(spans[index].source)
        if (spans[index].kind == "heading" and not scan.in_cell) or scan.depth > MAX_DEPTH:
            break
        if _TABLE_TAG.search(spans[index].source):
            if scan.count != count:  # another table began, or a comment that ends here contains this one
                break
            if not scan.depth:
                return index
    last = first
    for index in range(first + 1, len(spans)):
        if spans[index].kind == "heading" or _TABLE_TAG.search(spans[index].source):
            break
        last = index if spans[index].kind == "html" and _TABLE_PART.search(spans[index].source) else last
    return last


def _cut_at_tables(source: str, first: int) -> Iterator[Span]:
    done = 0
    tables = table_spans(source)
    for number, table in enumerate(tables):
        before = source[done : table.start]
        start = table.start if _has_words(before) else done
        if start > done:
            yield from spans_of(before, first + source.count("\n", 0, done))
        # Tags around a table have no words, and must not become a passage of their own.
        after = tables[number + 1].start if number + 1 < len(tables) else len(source)
        done = table.end if _has_words(source[table.end : after]) else after
        line = first + source.count("\n", 0, start)
        table_source = source[start:done].rstrip("\n")
        yield Span("html", 0, line, line + table_source.count("\n") + 1, table_source)
    yield from spans_of(source[done:], first + source.count("\n", 0, done))


def _has_words(markup: str) -> bool:
    return bool(without_tags(markup, "").strip())


_NUMBERED = re.compile(r"^[\W\d_]+")
_BETWEEN = re.compile(r"[\s_-]+")
_SAYS_NOTHING = re.compile(
    r"(?:appendix|book|chapter|contents?|data|document|index|introduction|main|manual|page|part|readme|rules?|section"
    r"|tables?|text)?[\W\d_]*(?:[a-z]|[ivx]+)?",
    re.IGNORECASE,
)


def with_title(blocks: Sequence[Block], path: str, stated: str) -> tuple[Block, ...]:
    """Return the blocks, under the title of their document unless the text begins with it.

    The title of a page that consists of `## Stats` and `## Gear` is given by its front matter or else by the name of
    its file: `04-fighter.md`. The sections of a page can also be `# Stats` and `# Gear`: Hugo and Jekyll display the
    title of the front matter above them.

    Args:
        stated: title in its front matter; empty without one.
    """
    headings = [block for block in blocks if block.level]
    top = min((block.level for block in headings), default=0)
    highest = [block.heading_path[-1] for block in headings if block.level == top and block.heading_path]
    begins_with_title = top == 1 and len(highest) == 1 and blocks[0].level == 1
    if begins_with_title or not is_markdown(PurePosixPath(path)):
        return tuple(blocks)
    own = stated if stated not in (*highest, PurePosixPath(path).stem) else ""
    title = own or (_called(path) if top > 1 and len(highest) > 1 else "")
    return tuple(replace(block, heading_path=(title, *block.heading_path)) if title else block for block in blocks)


def _called(path: str) -> str:
    """Return `Fighter` for `classes/04-fighter.md`; empty for generic names such as `index.md` and `chapter-3.md`."""
    name = _BETWEEN.sub(" ", _NUMBERED.sub("", PurePosixPath(path).stem)).strip()
    return "" if _SAYS_NOTHING.fullmatch(name) else name[:1].upper() + name[1:]
