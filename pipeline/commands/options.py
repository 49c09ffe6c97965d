"""Options that commands share, and the grouped list of commands of `--help`."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from retrieval.errors import RetrievalError
from retrieval.settings import REMEMBERED, SETTINGS_FILE
from retrieval.strategy import OFFERED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.home import Home
    from retrieval.search.retriever import Retriever
    from retrieval.settings import Settings


HomeOption = Annotated[
    Path,
    typer.Option(
        "--home", envvar="QUERYMUST_HOME", help="Folder that stores everything that was built.", file_okay=False
    ),
]
QuestionsOption = Annotated[
    list[Path] | None, typer.Option("--questions", help="JSONL file of questions with gold; can be repeated.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
AllOption = Annotated[bool, typer.Option("--all", help="Print complete lists.")]
ModelOption = Annotated[str | None, typer.Option("--model", help="Chat model; default: tables.model in rag.yaml.")]
BudgetOption = Annotated[
    float | None, typer.Option("--budget", min=0, metavar="USD", help="Maximum total cost of the home's models.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only print what would be sent, and its cost.")]
StrategyOption = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        metavar="NAME",
        help=(
            f"Search strategy: {', '.join(OFFERED[:-1])} or {OFFERED[-1]}. Default: `strategy` in rag.yaml, or default."
        ),
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option("--where", help="Only chunks with this metadata, KEY=VALUE; can be repeated.", metavar="FILTER"),
]
KOption = Annotated[int, typer.Option("--k", "-k", min=1, max=1000, help="Number of results.")]


def _given_reason(reason: str | None) -> str | None:
    if reason is not None and not reason.strip():
        raise typer.BadParameter("give the reason in a few words; the home stores it")
    return reason


ForceOption = Annotated[
    str | None,
    typer.Option(
        "--force",
        metavar="REASON",
        callback=_given_reason,
        help="Go live although scores are too low; the reason is stored.",
    ),
]
AcceptOption = Annotated[
    str | None,
    typer.Option(
        "--accept",
        metavar="REASON",
        callback=_given_reason,
        help="Go live with damaged or empty text; the reason is stored.",
    ),
]

DEFAULT_HOME = Path(".querymust")


def asked_model(settings: Settings, model: str | None, budget: float | None) -> Settings:
    """Return the settings, changed by the options for the chat model to which books are sent."""
    tables = settings.tables
    tables = replace(tables, model=model or tables.model, budget_usd=tables.budget_usd if budget is None else budget)
    return replace(settings, tables=tables)


def existing(paths: Sequence[Path] | None) -> tuple[Path, ...]:
    """Return the paths as absolute paths.

    Raises:
        FileNotFoundError: one of them does not exist.
    """
    absolute = tuple(path.expanduser().resolve() for path in paths or ())
    for path in absolute:
        if not path.is_file():
            raise FileNotFoundError(2, "no such file", str(path))
    return absolute


def remembered_questions(home: Home) -> tuple[Path, ...]:
    """Return the question files of the home's settings as absolute paths.

    Raises:
        RetrievalError: one of them no longer exists.
    """
    try:
        return existing(home.settings.questions)
    except FileNotFoundError as error:
        raise RetrievalError(
            f"the question file {error.filename} is missing, but {home.root / REMEMBERED}, "
            f"{SETTINGS_FILE} or QUERYMUST_QUESTIONS names it; "
            "put it back, give others with --questions FILE, or forget it: querymust build --no-questions"
        ) from error


def chosen_strategy(root: Path, name: str | None) -> str:
    """Return the name of the strategy from the option, else from the home's `rag.yaml`.

    Raises:
        UnknownNameError: there is no such strategy.
    """
    from retrieval.home import Home

    return Home.at(root).strategy(name)


def live_retriever(root: Path) -> Retriever:
    """Return a retriever for the live snapshot of the home at `root`, with the embedder that computed its vectors.

    Raises:
        NothingLiveError: no index is live there.
    """
    from retrieval.search.retriever import Retriever

    return Retriever.open(root.expanduser().resolve())


_WHOLE = 1000
"""Characters of a command's summary: more than any summary has, so that none is cut off."""


_DASHED_TEXT = re.compile(r"-[^=\s]*\s")
"""No option has a blank before its `=`: an argument such as `--max-count default` is text."""


class CommandList(TyperGroup):
    """A group whose commands are listed under their help panels, in the order in which they were added."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Treat a question that begins with a dash as a question: click would look for an option with that name."""
        parsed: list[str] = super().parse_args(ctx, [f" {text}" if _DASHED_TEXT.match(text) else text for text in args])
        return parsed

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # click's signature
        """Return the names in the order in which they were added, panel by panel; click would sort them."""
        panels = list(dict.fromkeys(map(_panel, self.commands.values())))
        return sorted(self.commands, key=lambda name: panels.index(_panel(self.commands[name])))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel."""
        width = max(map(len, self.commands))
        commands = (self.commands[name] for name in self.list_commands(ctx))
        for panel, members in groupby(commands, _panel):
            with formatter.section(panel):
                formatter.write_dl(
                    [(str(member.name).ljust(width), member.get_short_help_str(_WHOLE)) for member in members]
                )


def _panel(command: Any) -> str:
    return getattr(command, "rich_help_panel", None) or "Commands"
