"""Console output: results on standard output, progress and errors on standard error."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment

if TYPE_CHECKING:
    from retrieval.models.chat import ChatRequest
    from retrieval.models.spending import ModelOptions


_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters, except line feeds and tabs."""


def printable(text: str) -> str:
    """Return the text with a space for each control code: those of a book or file name could control the terminal."""
    return _COMMANDS.sub(" ", text)


class SafeConsole(Console):
    """A console on which printed text cannot move the cursor, set a title or start a colour.

    Brackets are printed as they are: a book may contain `[1]`, which rich would take for markup.

    With `NO_COLOR` it writes neither colours nor bold or dim text.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        plain = bool(os.environ.get("NO_COLOR"))
        super().__init__(
            stderr=stderr, highlight=False, soft_wrap=True, markup=False, color_system=None if plain else "auto"
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments to write; the control segments that rich itself makes are unchanged."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else Segment(printable(piece.text), piece.style)


out = SafeConsole()
err = SafeConsole(stderr=True)


def print_json(value: object) -> None:
    """Print one plain JSON document for another program to read."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    out.print(_COMMANDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def first_of(lines: Sequence[str], most: int = 5) -> Iterator[str]:
    """Yield the first lines, and how many more there are."""
    yield from lines[:most]
    if len(lines) > most:
        yield f"and {len(lines) - most} more; --json lists all"


def print_error(sentence: str) -> None:
    """Print an error, on as many lines as it has."""
    err.print("[bold red]error:[/] ", end="", markup=True)
    err.print(sentence)


def counted(number: int, noun: str) -> str:
    """Return a number and a noun, such as `1 book` or `12,833 books`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def named(names: Sequence[str], shown: int | None = None) -> str:
    """Return the names, or the first `shown` and how many more there are; a single further name is not left out."""
    if shown is None or len(names) <= shown + 1:
        return ", ".join(names)
    return f"{', '.join(names[:shown])} and {len(names) - shown:,} more"


@contextmanager
def progress_bar(title: str) -> Iterator["Bar"]:
    """Show a progress bar that disappears when the work is done; a file or a pipe gets none."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield Bar(progress, title)


class Bar:
    """A progress bar that names the current step."""

    def __init__(self, progress: Progress, title: str) -> None:
        self._progress = progress
        self._title = title
        self._task = progress.add_task(f"{title}: starting", total=1)

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Show `done` of `total` and the current step."""
        self._progress.update(self._task, description=f"{self._title}: {doing}", completed=done, total=total)


def print_estimate(
    requests: "Iterable[ChatRequest]", about: str, options: "ModelOptions", prompt: str, chosen: str, *, json_: bool
) -> None:
    """Print the cost of requests about `about` as one JSON document, or in words after `chosen` on the selection."""
    from retrieval.models.spending import CostEstimate

    estimate = CostEstimate.of(requests, about, options.asked_price)
    if json_:
        usd = {"likely_usd": estimate.likely_usd, "most_usd": estimate.most_usd, "budget_usd": options.budget_usd}
        counts = {f"n_{about}": estimate.n_requests, "likely": asdict(estimate.likely), "most": asdict(estimate.most)}
        print_json(counts | {"model": options.model, "prompt": prompt} | usd)
        return
    out.print(f"{chosen}. {estimate}")
    out.print("Nothing was sent.")
