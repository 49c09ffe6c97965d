"""What the command prints: results on standard output, progress and errors on standard error."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: object) -> None:
    """One JSON document, plain, for another program to read."""
    out.print(json.dumps(value, ensure_ascii=False, indent=2), markup=False)


def print_error(sentence: str) -> None:
    """One clear line, or as many as the error has."""
    err.print("[bold red]error:[/] ", end="")
    err.print(sentence, markup=False)


def counted(number: int, noun: str) -> str:
    """`1 book`, `12,833 books`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def named(names: Sequence[str], shown: int | None = None) -> str:
    """The names, or the first of them and how many more there are; one more is named, for that is as short."""
    if shown is None or len(names) <= shown + 1:
        return ", ".join(names)
    return f"{', '.join(names[:shown])} and {len(names) - shown:,} more"


@contextmanager
def progress_bar(title: str) -> Iterator["Bar"]:
    """A bar that goes away when the work is done; a file or a pipe gets none."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield Bar(progress, title)


class Bar:
    """A progress bar that can be told what runs now."""

    def __init__(self, progress: Progress, title: str) -> None:
        self._progress = progress
        self._title = title
        self._task = progress.add_task(title, total=None)

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Show `done` of `total` and what runs now."""
        self._progress.update(self._task, description=f"{self._title}: {doing}", completed=done, total=total)
