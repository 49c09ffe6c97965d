"""The books that faults are tried on: tables of near-twins and prose. Every row and passage shows its revision."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROWS = 6
"""Of each table, of which a document has two."""
EDITIONS = 3
"""Each differs from the one before in books, in documents and in single cells."""
_BOOKS = (
    # By edition: the edition that each of a book's documents is in; a book that is not there has none.
    ((0, 0), (1, 0), (2, 1)),
    ((0,), (0,), (0,)),
    ((0,), (1,), ()),
    ((), (), (2,)),
)


@dataclass(frozen=True, slots=True)
class Written:
    """One document of an edition. Key: (book, name)."""

    book: str
    name: str
    text: str
    question: str
    """That a row of it answers."""


def edition(number: int, seed: int) -> tuple[Written, ...]:
    """The documents of one edition.

    Args:
        number: 0 to `EDITIONS` - 1.
        seed: of the words and numbers.
    """
    return tuple(
        _document(f"book-{book}", f"{position:02}.md", revision, random.Random(f"{seed}/{book}/{position}"))
        for book, revisions in enumerate(_BOOKS)
        for position, revision in enumerate(revisions[number])
    )


def alternating(revision: int, seed: int) -> tuple[Written, ...]:
    """Three documents that are all in one revision: no answer of one revision is an answer of another."""
    return tuple(_document(f"book-{book}", "00.md", revision, random.Random(f"{seed}/{book}")) for book in range(3))


def write_books(documents: tuple[Written, ...], library: Path) -> None:
    """Write an edition as a library: a folder for each book."""
    for document in documents:
        book = library / document.book
        book.mkdir(parents=True, exist_ok=True)
        (book / document.name).write_text(document.text, "utf-8")
        (book / "book.toml").write_text(f'title = "{document.book}"\n', "utf-8")


def write_rule_documents(documents: tuple[Written, ...], folder: Path) -> None:
    """Write an edition as the contract's documents: files with front matter, one folder for all."""
    folder.mkdir(parents=True)
    for document in documents:
        head = f"---\nsource: {document.book}\ndoc_type: core-rules\nlast_update_date: 2026-01-01\n---\n"
        (folder / f"{document.book}-{document.name}").write_text(head + document.text, "utf-8")


def _document(book: str, name: str, revision: int, rng: random.Random) -> Written:
    words = _words(rng)
    lines = [f"# {next(words).title()}"]
    subjects = [next(words).title() for _ in range(2)]
    for subject in subjects:
        lines += ["", f"## {subject}", "", "| Armor Class | Price | Weight |", "|---|---|---|"]
        for row in range(1, ROWS + 1):
            # The revision is the last figure of every number: no row of one revision is a row of another.
            price, weight = (rng.randint(10, 99) * 10 + revision for _ in range(2))
            lines.append(f"| {row} | {price} | {weight} |")
    for _ in range(2):
        known = [next(words) for _ in range(6)]
        capitalize = " ".join(rng.choice(known) for _ in range(30)).capitalize()
        lines += ["", f"## {next(words).title()}", "", f"{capitalize}. Revision {revision}."]
    question = f"What is the price for armor class {rng.randint(1, ROWS)} of {subjects[0]}?"
    return Written(book, name, "\n".join(lines) + "\n", question)


def _words(rng: random.Random) -> Iterator[str]:
    """Invented words, no two of a document the same."""
    seen: set[str] = set()
    while True:
        word = "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3)) + rng.choice("nrlk")
        if word not in seen:
            seen.add(word)
            yield word
