"""A library of markdown books for timing builds, and small edits of any library."""

import random
import re
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

ROWS = 20
"""Rows of each table; each is a chunk."""
TABLES = 9
"""Of each document; with its prose they are 200 chunks."""
DOCUMENTS = 5
"""Of each book: 1,000 chunks, as many as a small manual has."""
PROSE = 20
"""Sections of prose of each document, a chunk each."""
CHUNKS_OF_A_DOCUMENT = TABLES * ROWS + PROSE
ADDED = "zz-added.md"

_CELL = re.compile(r"\|[ \t]*([^|\n]*\d[^|\n]*?)[ \t]*\|[ \t]*$")


def write_library(folder: Path, chunks: int, seed: int) -> None:
    """Books of five documents of 200 chunks each: rows of near-twin tables, and prose between them.

    Args:
        folder: of the library; made.
        chunks: how many there are to be; rounded up to whole documents.
        seed: of the words and numbers.
    """
    rng = random.Random(seed)
    words = _words(rng)
    for number in range(-(-chunks // CHUNKS_OF_A_DOCUMENT)):
        book = folder / f"book-{number // DOCUMENTS:04}"
        book.mkdir(parents=True, exist_ok=True)
        (book / f"{number % DOCUMENTS:02}.md").write_text(document(words, rng), "utf-8")
        (book / "book.toml").write_text(f'title = "{book.name}"\nlast_update_date = "2026-01-01"\n', "utf-8")


def document(words: Iterator[str], rng: random.Random) -> str:
    """One document: tables of a number and three figures, each with a subject of its own, then prose."""
    lines = [f"# {next(words).title()}"]
    for _ in range(TABLES):
        subject = next(words)
        lines += ["", f"## {subject.title()}", "", "| Armor Class | Price | Weight | Stock |", "|---|---|---|---|"]
        for row in range(ROWS):
            lines.append(f"| {row + 1} | {' | '.join(f'{rng.randint(1, 900)}' for _ in range(3))} |")
    for _ in range(PROSE):
        lines += ["", f"## {next(words).title()}", "", *_paragraphs(words, rng)]
    return "\n".join(lines) + "\n"


def edit_cell(library: Path) -> None:
    """Change the last number of the first table row that ends in one.

    Raises:
        ValueError: no row of the library does.
    """
    for path in sorted(library.rglob("*.md")):
        lines = path.read_text("utf-8").split("\n")
        heads = [at for at, line in enumerate(lines) if set(line) <= set("|-: ") and "-" in line and "|" in line]
        for at in (place + 1 for place in heads if place + 1 < len(lines)):
            if found := _CELL.search(lines[at]):
                lines[at] = f"{lines[at][: found.start(1)]}{found[1]}7{lines[at][found.end(1) :]}"
                path.write_text("\n".join(lines), "utf-8")
                return
    raise ValueError(f"{library} has no table row that ends in a number; name another library")


def add_document(library: Path, seed: int) -> None:
    """Put another document into the first book."""
    rng = random.Random(seed + 1)
    (_books(library)[0] / ADDED).write_text(document((f"{word}x" for word in _words(rng)), rng), "utf-8")


def remove_book(library: Path) -> None:
    """Delete the last book."""
    shutil.rmtree(_books(library)[-1])


def _books(library: Path) -> list[Path]:
    return sorted({path.parent for path in library.glob("*/*.md")})


def _paragraphs(words: Iterator[str], rng: random.Random) -> Iterator[str]:
    known = [next(words) for _ in range(6)]
    for _ in range(3):
        yield " ".join(rng.choice(known) for _ in range(40)).capitalize() + "."


def _words(rng: random.Random) -> Iterator[str]:
    """Invented words, no two the same in a hundred thousand chunks and more."""
    first = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
    words = [a + b + c for a, b, c in product(first, first, "nrlk")]
    rng.shuffle(words)
    for lap in ("", *first):
        yield from (lap + word for word in words)
