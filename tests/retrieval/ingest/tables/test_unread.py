"""What looks like a table and was not read."""

import pytest

from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.unread import unread_tables
from retrieval.types import Book, Document

TABLE = "| Code | Meaning |\n| --- | --- |\n| 7 | lost |\n"


def unread(text: str, first_line: int = 1) -> tuple[str, ...]:
    book = Book("b", "B", (Document("b", "page.md", text, first_line=first_line),))
    return unread_tables(book.documents, parse_book(book).tables)


def test_rows_in_a_tag_are_told_with_their_line() -> None:
    (sentence,) = unread(f"# Codes\n\n<div>\n{TABLE}</div>\n", first_line=6)
    assert sentence.startswith("page.md:10: the line of dashes of a table that was not read; check")


def test_a_missing_end_of_code_is_told_where_the_code_begins() -> None:
    (sentence,) = unread(
        f"# Codes\n\n```gcode\n$N1=\n\n## Feedback\n\n{TABLE}\n## Errors\n\n{TABLE}\n```bash\nls\n```\n"
    )
    assert sentence == (
        "page.md:3: a block of code to line 20 contains headings and a table; the end of a block of code may be missing"
    )


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        f"<!--\n{TABLE}-->\n",
        f"```\nHow to write a table:\n\n{TABLE}```\n",
        f"```markdown title='Template'\n# Title\n\n## Settings\n\n{TABLE}\n## More\n```\n",
        "=== Tab\n\n    ```txt\n    | Code | Meaning |\n    | --- | --- |\n    | 7 | lost |\n    ```\n",
        "| Code | Meaning |\n| --- | --- |\n| 7 |\n",
        "| Code | Meaning |\n| --- | --- |\n",
        "a | b\n",
    ],
)
def test_tables_comments_and_examples_are_no_finding(text: str) -> None:
    assert unread(f"# Codes\n\n{text}") == ()
