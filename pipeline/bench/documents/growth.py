"""How the time of the ingest grows with whatever an author can repeat."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pipeline.bench.documents.ingesting import chunks_of

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
