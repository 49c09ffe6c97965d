"""The list of commands that `querymust --help` prints: under headings, each with its whole first sentence."""

from itertools import groupby
from typing import Any

from typer.core import TyperGroup

_WHOLE = 1000
"""Characters of a command's summary: more than any has, so that none is cut."""


class CommandList(TyperGroup):
    """A group whose commands are listed under their help panels, in the order in which they were added."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # click's signature
        """Names in the order in which they were added, panel by panel; click would sort them."""
        panels = list(dict.fromkeys(map(_panel, self.commands.values())))
        return sorted(self.commands, key=lambda name: panels.index(_panel(self.commands[name])))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel."""
        width = max(map(len, self.commands))
        commands = (self.commands[name] for name in self.list_commands(ctx))
        for panel, members in groupby(commands, _panel):
            with formatter.section(panel):
                formatter.write_dl([(str(each.name).ljust(width), each.get_short_help_str(_WHOLE)) for each in members])


def _panel(command: Any) -> str:
    return getattr(command, "rich_help_panel", None) or "Commands"
