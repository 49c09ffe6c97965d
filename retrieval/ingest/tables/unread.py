"""Finds what looks like a table and was not read as one, so that the author of a page can repair it."""

from collections.abc import Iterable, Sequence
from functools import partial

from retrieval.ingest.losses import attempt
from retrieval.ingest.markdown.parser import HEADING_MARK, PIPE, Token, block_tokens, split_row, with_blank_comments
from retrieval.ingest.markdown.spans import is_delimiter
from retrieval.ingest.tables.table import Table
from retrieval.types import Document

Lines = tuple[int, int]
"""The first and the last line of a file, 1-based."""

_MOST_HEADINGS = 1
"""Headings in a block of code that shows how to write a page; more belong to the page itself."""
_INDENTED = "code_block"
_CODE = ("fence", _INDENTED)
"""Tokens of blocks of code."""
_PAGES = ("markdown", "md", "mdx")
"""Languages of blocks of code that show a page."""


def unread_tables(documents: Iterable[Document], tables: Iterable[Table]) -> tuple[str, ...]:
    """Return a sentence for each run of rows that is in no table, with its document and line.

    Tables in comments and in blocks of code are not meant to be read, unless the code also contains the headings of
    several sections: then the end of an earlier block is missing.

    Args:
        documents: of one book.
        tables: those that were read.
    """
    lines: dict[str, list[Lines]] = {}
    for table in tables:
        lines.setdefault(table.document, []).append(table.lines)
    sentences: list[str] = []
    for document in documents:
        rule = partial(_sentences, document, lines.get(document.path, ()))
        sentences += attempt(rule, tuple, "the check for tables that were not read", document.path)
    return tuple(sentences)


def _sentences(document: Document, tables: Sequence[Lines]) -> tuple[str, ...]:
    text = with_blank_comments(document.text)
    lines = text.split("\n")
    suspects = [
        number
        for number in range(1, len(lines) - 1)
        if PIPE.search(lines[number])
        and is_delimiter(lines[number].strip())
        and all(map(_is_row, (lines[number - 1], lines[number + 1])))
        and not any(first <= number + document.first_line <= last for first, last in tables)
    ]
    tokens = [token for token in block_tokens(text) if token.type in _CODE and token.map] if suspects else []
    sentences: list[str] = []
    for number in suspects:
        code = next((token for token in tokens if token.map and token.map[0] <= number < token.map[1]), None)
        if code is None or not _is_fenced(code, lines, number):
            sentences.append(
                f"{document.path}:{number + document.first_line}: the line of dashes of a table that was not read; "
                "check its indentation, the number of its columns and the lines above it"
            )
        elif code.map and code.type != _INDENTED and _has_sections(code):
            first, last = code.map[0] + document.first_line, code.map[1] + document.first_line - 1
            sentences.append(
                f"{document.path}:{first}: a block of code to line {last} contains headings and a table; "
                "the end of a block of code may be missing"
            )
    return tuple(dict.fromkeys(sentences))  # a block with several tables is one finding


def _is_fenced(code: Token, lines: Sequence[str], number: int) -> bool:
    """Whether a line is between fences; in a tab of MkDocs, these are within an indented block."""
    before = lines[code.map[0] : number] if code.map else ()
    return code.type != _INDENTED or bool(sum(line.lstrip().startswith(("```", "~~~")) for line in before) % 2)


def _is_row(line: str) -> bool:
    """Whether a line has words in at least two cells."""
    return sum(bool(cell.strip()) for cell in split_row(line.strip())) > 1


def _has_sections(fence: Token) -> bool:
    language = fence.info.strip().split(" ")[0].casefold()
    headings = sum(bool(HEADING_MARK.match(line)) for line in fence.content.split("\n"))
    return headings > _MOST_HEADINGS and language not in _PAGES
