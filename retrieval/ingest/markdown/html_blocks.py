"""Raw HTML as headings, paragraphs and lists, as pages of content management systems have it."""

import re
from collections.abc import Iterator
from dataclasses import replace

from retrieval.ingest.markdown.parser import without_tags
from retrieval.ingest.markdown.spans import Span

_BEGIN = re.compile(r"[ \t]*<(?:blockquote|(?P<details>details)|dl|h[1-6]|ol|p|ul)(?=[\s>])", re.IGNORECASE)
_HEADING = re.compile(r"\s*<h([1-6])(?=[\s>])[^>]*>(.*?)</h\1\s*>\s*", re.IGNORECASE | re.DOTALL)
_HEADING_END = re.compile(r"</h[1-6]\s*>\s*$", re.IGNORECASE)
_WHOLE = re.compile(
    r"(?P<begin><(?:!--|(?:dl|ol|pre|script|style|ul)(?=[\s>])))|-->|</(?:dl|ol|pre|script|style|ul)>", re.IGNORECASE
)
"""Where an element that is not divided begins or ends."""
_TEMPLATE = "{{"


def html_blocks(span: Span) -> Iterator[Span]:
    """Yield the blocks of a span of HTML without a table, each with its lines: one begins where a line opens a
    paragraph, a list, a quotation or a heading. A heading with words is a span of that kind."""
    lines = span.source.split("\n")
    starts = [0, *(number for number in _cuts(lines) if number)]
    for start, end in zip(starts, (*starts[1:], len(lines)), strict=True):
        source = "\n".join(lines[start:end])
        heading = _HEADING.fullmatch(source)
        part = replace(span, start=span.start + start, end=span.start + end, source=source)
        if heading and _TEMPLATE not in heading[2] and without_tags(heading[2], "").strip():
            part = replace(part, kind="heading", level=int(heading[1]))
        yield part


def _cuts(lines: list[str]) -> Iterator[int]:
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
