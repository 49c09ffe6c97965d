"""Generated documents through the ingest: `python -m tools bench documents`."""

import math
import random
import re
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType
from uuid import UUID

from retrieval.errors import InvalidDocumentError
from retrieval.ingest.losses import recorded_losses
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.reading import read_table
from retrieval.language.vocabulary import Vocabulary
from retrieval.rag.contract import Prepared, RuleDocument, prepare
from retrieval.types import Book, Chunk
from tools.corpora.indexes import Tell

_ID = UUID("00000000-0000-5000-8000-000000000000")
_METADATA = {"source": "generated", "doc_type": "core-rules", "last_update_date": "2026-01-01"}
_WORD = re.compile(r"w\d+x")


def prepared(text: str) -> Prepared:
    """A document that is ready to be cut.

    Raises:
        InvalidDocumentError: it is refused.
    """
    return prepare(RuleDocument(_ID, "generated.md", text, _METADATA))


def chunks_of(text: str) -> tuple[Chunk, ...]:
    """The chunks of a document; it raises what `prepared` does, also where nothing of the text can be shown."""
    return prepared(text).cut(Vocabulary.default())[0]


def lost_words(text: str, chunks: Iterable[Chunk]) -> list[str]:
    """Words `w<number>x` of a source that no chunk holds: neither as it is shown or searched, nor above it."""
    held = " ".join(part for chunk in chunks for part in (chunk.text, chunk.search_text, *chunk.heading_path))
    there = set(_WORD.findall(held))
    return [word for word in _WORD.findall(text) if word not in there]


def over_nothing(text: str) -> frozenset[str]:
    """Words of headers over columns in which no row has a value: a row shows no empty cell, and so not their names."""
    document = prepared(text).document
    tables = parse_book(Book(document.book, "generated", (document,))).tables
    readings = map(read_table, tables)
    below = [(table.header, [row.cells for row in table.rows]) for table in tables]
    below += [(reading.columns, [row.cells for row in reading.rows if row.role != "heading"]) for reading in readings]
    return frozenset(
        word for header, rows in below for column in _empty(header, rows) for word in _WORD.findall(column)
    )


def _empty(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    for position, name in enumerate(header):
        if not any(position < len(cells) and cells[position].strip() for cells in rows):
            yield name


TIMES = 8
"""How much longer the second document is."""
BOUND = 1.3
"""An exponent above it is reported: n log n is below 1.2 here, n squared is 2."""
_TRIES = 3
"""The quickest of so many counts: what else the machine does only lengthens."""


def _table(rows: int) -> str:
    return "# T\n\n| Name | Price | Weight |\n|---|---|---|\n" + "".join(f"| n{i} | {i} | {i} |\n" for i in range(rows))


def _html(rows: int) -> str:
    body = "".join(f"<tr><td>n{i}</td><td>{i}</td></tr>\n" for i in range(rows))
    return f"# T\n\n<table>\n<tr><th>Name</th><th>Price</th></tr>\n{body}</table>\n"


SHAPES: Mapping[str, tuple[int, Callable[[int], str]]] = MappingProxyType(
    {
        "rows of a pipe table": (150, _table),
        "rows of an HTML table": (150, _html),
        "columns of a table": (
            60,
            lambda n: "# T\n\n" + "\n".join("|" + cell * n for cell in (" c |", "---|", " 1 |", " 2 |")) + "\n",
        ),
        "rows of header cells": (
            800,
            lambda n: "# T\n\n<table>" + "".join(f"<tr><th>h{i}</th><th>v</th></tr>" for i in range(n)) + "</table>\n",
        ),
        "labels of tables": (800, lambda n: "# T\n\n" + "".join(f"Table {i}: some words\n\n" for i in range(n))),
        "lines of labels": (800, lambda n: "# T\n\n" + "".join(f"Table {i}: some words\n" for i in range(n))),
        "near-duplicate tables": (
            200,
            lambda n: "# T\n\n" + "".join(f"| A | B |\n|---|---|\n| row {i} | x |\n\n" for i in range(n)),
        ),
        "tables": (
            20,
            lambda n: "# T\n" + "".join(f"\n## t{i}\n\n| A | B |\n|---|---|\n| {i} | x |\n" for i in range(n)),
        ),
        "sections": (150, lambda n: "".join(f"# s{i}\n\nSome words of section {i}.\n\n" for i in range(n))),
        "paragraphs": (300, lambda n: "# T\n\n" + "".join(f"Some words of paragraph {i}.\n\n" for i in range(n))),
        "length of a line": (4_000, lambda n: "# T\n\n" + "word " * n + "\n"),
        "length of a sentence without blanks": (20_000, lambda n: "# T\n\n" + "x" * n + "\n"),
        "length of a cell": (2_000, lambda n: f"# T\n\n| A | B |\n|---|---|\n| a | {'word ' * n}|\n"),
        "length of a heading": (2_000, lambda n: f"# {'word ' * n}\n\nText.\n"),
        "length of a header cell": (1_000, lambda n: f"# T\n\n| A | {'word ' * n}|\n|---|---|\n| a | b |\n"),
        "items of a list": (300, lambda n: "# T\n\n" + "".join(f"- item {i}\n" for i in range(n))),
        "nesting of a list": (40, lambda n: "# T\n\n" + "".join(f"{'  ' * i}- item {i}\n" for i in range(n))),
        "nesting of quotes": (40, lambda n: f"# T\n\n{'> ' * n}word\n"),
        "nesting of elements": (200, lambda n: f"# T\n\n{'<div>' * n}word{'</div>' * n}\n"),
        "brackets": (1_000, lambda n: f"# T\n\n{'[' * n}word\n"),
        "stars": (1_000, lambda n: f"# T\n\n{'*a **b ' * n}\n"),
        "back-ticks": (500, lambda n: "# T\n\n" + " ".join("`" * (i % 40 + 1) for i in range(n)) + "\n"),
        "lines of a fence": (600, lambda n: "# T\n\n```\n" + "some code\n" * n + "```\n"),
        "footnotes": (100, lambda n: "# T\n\n" + "".join(f"Word[^{i}].\n\n[^{i}]: note {i}\n\n" for i in range(n))),
        "comments": (400, lambda n: "# T\n\n" + "<!-- a -->\n\nword\n\n" * n),
        "unclosed comments": (1_000, lambda n: "# T\n\n" + "<!-- a " * n + "\n"),
    }
)


@dataclass(frozen=True, slots=True)
class Growth:
    """How one thing grows. Key: of."""

    of: str
    n: int
    """Of the shorter document; the other has `TIMES` as many."""
    milliseconds: float
    """Of the shorter one."""
    exponent: float
    """Of n, or of the length of the text where that grows faster, that fits the two."""


def grow(of: str) -> Growth:
    """Time a shape of `SHAPES` at n and at `TIMES` n."""
    n, write = SHAPES[of]
    texts = write(n), write(n * TIMES)
    short, long = map(_quickest, texts)
    # What is nested is written behind blanks of its own, so that the text grows faster than its depth.
    times = max(TIMES, len(texts[1]) / len(texts[0]))
    return Growth(of, n, round(short * 1e3, 2), round(math.log(long / short, times), 2))


def _quickest(text: str) -> float:
    taken = []
    for _ in range(_TRIES):
        begun = time.process_time()
        chunks_of(text)
        taken.append(time.process_time() - begun)
    return max(min(taken), 1e-6)


_STRANGE = (
    "\u200f\u202eשלום", "مرحبا", "\x07", "\x1b[31m", "\u00a0", "\ufeff", "e\u0301\u0301", "\U0001f469\u200d\U0001f467",
    "\U0001d504", "\u2028", "&nbsp;", "\\|",
)  # fmt: skip
_STYLES = (
    "{}", "{}", "{}", "*{}*", "**{}**", "`{}`", "[{}](http://e.org/a_(b))", "![{}](a.png)", "~~{}~~", "<b>{}</b>",
)  # fmt: skip
_VALUES = (
    "2026-13-99", "[1, [2, {a: b}]]", "'unclosed", "yes", "007", "1e999", "null", "{a: {b: c}}", "|\n  two\n  lines",
    "2026-01-01", '"quoted: colon"', "!!python/object:os.system x", "&a [*a]", "\u202eabc",
)  # fmt: skip


class Author:
    """Writes one document. `@` stands for a word, which must be found again."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._blocks: tuple[Callable[[], str], ...] = (
            self._paragraph, self._paragraph, self._heading, self._heading, self._list, self._pipe_table,
            self._pipe_table, self._html_table, self._html_table, self._fence, self._quote, self._oddity,
            self._broken_table, self._boxed,
        )  # fmt: skip

    def document(self) -> str:
        """A document of up to twelve blocks, with front matter now and then."""
        blocks = [self._rng.choice(self._blocks)() for _ in range(self._rng.randint(1, 12))]
        if self._rng.random() < 0.1:
            unclosed = ("```\n@ @", "~~~python\n@", "<table><tr><td>@", "| @ | @ |\n|---|", "<div>\n@")
            blocks.append(self._rng.choice(unclosed))
        numbers = count(1)
        body = re.sub("@", lambda _: f"w{next(numbers)}x", self._rng.choice(("\n\n", "\n\n", "\n")).join(blocks))
        return self._front_matter() + body + self._rng.choice(("\n", "", "\n\n\n"))

    def _front_matter(self) -> str:
        if self._rng.random() < 0.7:
            return ""
        keys = self._rng.sample(("title", "tags", "author", "date", "Weird Key", "category", "version"), 3)
        lines = "".join(f"{key}: {self._rng.choice(_VALUES)}\n" for key in keys)
        return f"---\n{lines}---\n"

    def _words(self, most: int = 8) -> str:
        words = ["@"] * self._rng.randint(1, most)
        if self._rng.random() < 0.15:
            words.insert(self._rng.randint(0, len(words)), self._rng.choice(_STRANGE))
        return " ".join(self._rng.choice(_STYLES).format(word) for word in words)

    def _paragraph(self) -> str:
        longest = 300 if self._rng.random() < 0.05 else 30
        return "\n".join(self._words(longest) for _ in range(self._rng.randint(1, 3)))

    def _heading(self) -> str:
        level, words = self._rng.randint(1, 6), self._words(200 if self._rng.random() < 0.03 else 5)
        mark = "#" * level
        return self._rng.choice(
            (f"{mark} {words}", f"{mark} {words} {mark}", f"{words}\n===", f"{words}\n---", f"**{words}**")
        )

    def _list(self) -> str:
        lines = []
        for _ in range(self._rng.randint(1, 8)):
            mark = self._rng.choice(("-", "*", "+", "1.", "7)", "- [ ]"))
            lines.append(f"{'  ' * self._rng.randint(0, 6)}{mark} {self._words()}")
        return "\n".join(lines)

    def _cell(self) -> str:
        chance = self._rng.random()
        if chance < 0.15:
            return ""
        if chance < 0.3:
            return str(self._rng.randint(0, 99))
        return self._words(400 if chance > 0.995 else 3)

    def _pipe_table(self) -> str:
        columns, rows = self._rng.randint(1, 5), self._rng.randint(0, 8)
        ragged = [max(1, columns + self._rng.choice((0, 0, 0, 0, -1, 1))) for _ in range(rows + 1)]
        lines = ["| " + " | ".join(self._cell() for _ in range(width)) + " |" for width in ragged]
        lines.insert(1, "|" + self._rng.choice(("---|", ":-:|", "-|")) * ragged[0])
        return "\n".join([*([f"Table {self._rng.randint(1, 9)}: @"] if self._rng.random() < 0.3 else []), *lines])

    def _broken_table(self) -> str:
        """A table of cells that are half of something, over a delimiter row that may not fit."""
        pieces = (
            '"@"', '"from the"', "`@", "@`", "**@", "[@](", "@ \\", "^^", '"', "½", "2½ @", "-", "…",
            "9" * 40, "1-1", "1e999", "-0", "≥ 5", "a_@", "@; @", "(@", "@)", "$@^2$", "{@}", "<br>", "<td>@", "∞",
            "@, @ and @", "see @", "Table @", "D", "d6+@", "**@** | @",
        )  # fmt: skip
        columns, rows = self._rng.randint(1, 4), self._rng.randint(1, 7)
        lines = ["|" + "|".join(self._rng.choice(pieces) for _ in range(columns)) + "|" for _ in range(rows + 1)]
        lines = [line[self._rng.choice((0, 0, 0, 1)) :] for line in lines]
        cells = max(1, columns + self._rng.choice((0, 0, 0, -1, 1)))
        lines.insert(1, "|" + self._rng.choice(("---|", ":-:|", "-|", "--|", "- |")) * cells)
        return "\n".join(lines)

    def _boxed(self) -> str:
        opening = self._rng.choice(('=== "@"', '!!! note "@"', "??? tip", ":::note @", "- @", "> [!NOTE]", "1. @"))
        inside = self._rng.choice((self._pipe_table, self._broken_table, self._paragraph, self._html_table))()
        return opening + "\n\n" + "\n".join(f"    {line}" for line in inside.split("\n"))

    def _html_table(self) -> str:
        def cell() -> str:
            name = self._rng.choice(("td", "td", "td", "th"))
            span = self._rng.choice(("", "", "", ' rowspan="2"', ' colspan="3"', ' rowspan="0"', ' colspan="x"'))
            return f"<{name}{span}>{self._cell()}</{name}>"

        rows = ["".join(cell() for _ in range(self._rng.randint(1, 4))) for _ in range(self._rng.randint(1, 6))]
        caption = "<caption>@</caption>" if self._rng.random() < 0.3 else ""
        return "\n".join(["<table>", caption, *(f"<tr>{row}</tr>" for row in rows), "</table>"]).replace("\n\n", "\n")

    def _fence(self) -> str:
        return f"```{self._rng.choice(('', 'python', 'c++ {1,2}'))}\n{self._words()}\n\n{self._words()}\n```"

    def _quote(self) -> str:
        inner = self._rng.choice((self._paragraph, self._list, self._pipe_table))()
        return "\n".join(f"> {line}" for line in inner.split("\n"))

    def _oddity(self) -> str:
        return self._rng.choice((
            "---", "***", "<!-- hidden -->", "@[^1]\n\n[^1]: @", ":::note @\n@\n:::", "<div>@</div>",
            "    @ @", "@  \n@",
            "<details><summary>@</summary>\n\n@\n\n</details>", "\\# @", "Table: @",
            "- @\n\n  @\n\n  | @ |\n  |---|\n  | @ |",
            "@ @:", "$$\n@\n$$", "<br/>@<br>", "#@", "@\n\t@", "1. @\n\n   ```\n   @\n   ```",
        ))  # fmt: skip


_NAMED = 20
"""Documents that are named; all are counted."""


@dataclass(frozen=True, slots=True)
class DocumentsReport:
    """What became of the documents of one seed. Key: (seed, documents)."""

    seed: int
    documents: int
    refused: int
    """With one clear error, as the ingest refuses what has nothing to show."""
    crashed: int
    rule_failed: int
    """Documents of which a part is missing because a rule raised."""
    lost: int
    """Documents of which a word is in no chunk."""
    headers_over_nothing: int
    """Documents of which only the names of columns are lost in which no row has a value."""
    chunks: int
    said: tuple[str, ...]
    """The first that crashed, on which a rule failed or that lost a word, by their numbers."""
    growth: tuple[Growth, ...]

    @property
    def steep(self) -> tuple[Growth, ...]:
        """What grows faster than it may."""
        return tuple(growth for growth in self.growth if growth.exponent > BOUND)

    def lines(self) -> Iterator[str]:
        """The counts, then how each thing grows."""
        yield (
            f"{self.documents} documents, {self.chunks} chunks: {self.refused} refused, {self.crashed} crashed, "
            f"a rule failed on {self.rule_failed}, {self.lost} lost a word, "
            f"{self.headers_over_nothing} only names of columns without a value"
        )
        yield from self.said
        for growth in self.growth:
            mark = " (too steep)" if growth in self.steep else ""
            yield f"{growth.of}: n^{growth.exponent:.2f}, {growth.milliseconds:.1f} ms at {growth.n}{mark}"


def run_documents(documents: int, seed: int, tell: Tell, *, timed: bool = True) -> DocumentsReport:
    """Write so many documents of a seed and bring each through the ingest; then time how it grows.

    Args:
        documents: how many.
        seed: of what is written; document 17 of a seed is the same however many there are.
        tell: called as the work goes on.
        timed: whether the growth is timed.
    """
    counts = {"refused": 0, "crashed": 0, "rule_failed": 0, "lost": 0, "headers_over_nothing": 0, "chunks": 0}
    output: list[str] = []
    for number in range(documents):
        if number % 100 == 0:
            tell(f"{documents} documents", number, documents)
        text = Author(random.Random(f"{seed}/{number}")).document()
        try:
            with recorded_losses() as losses:
                chunks = chunks_of(text)
            lost = lost_words(text, chunks)
            unnamed = over_nothing(text) if lost else frozenset()
        except InvalidDocumentError:
            counts["refused"] += 1
            continue
        except Exception as error:
            counts["crashed"] += 1
            output.append(f"document {number}: {''.join(traceback.format_exception_only(error)).strip()}")
            continue
        counts["chunks"] += len(chunks)
        if losses:
            counts["rule_failed"] += 1
            output.append(f"document {number}: {next(iter(losses))}")
        if missing := [word for word in lost if word not in unnamed]:
            counts["lost"] += 1
            output.append(f"document {number} lost {', '.join(missing[:5])}")
        elif lost:
            counts["headers_over_nothing"] += 1
    growth = []
    for number, of in enumerate(SHAPES if timed else ()):
        tell(of, number, len(SHAPES))
        growth.append(grow(of))
    return DocumentsReport(seed, documents, **counts, said=tuple(output[:_NAMED]), growth=tuple(growth))
