"""`querymust keys`: who may ask the server."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, CommandList, HomeOption
from pipeline.console.output import err, out

if TYPE_CHECKING:
    from retrieval.serve.api_keys import ApiKeys

keys_app = typer.Typer(cls=CommandList, help="Who may ask the server.", no_args_is_help=True, rich_markup_mode=None)


class Scope(StrEnum):
    """What a key allows."""

    read = "read"
    write = "write"


@keys_app.command("add")
def add_key(
    name: Annotated[str, typer.Argument(help="Who it is for.")],
    scope: Annotated[Scope, typer.Option("--scope", help="write may bring documents in, too.")] = Scope.read,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Make a key and show it, this once.

    \b
    Example:
      querymust keys add bot --scope write
    """
    out.print(_keys(home).add(name, scope.value))
    err.print(f"Keep it: it is shown this once. The key {name!r} may {scope.value}.")


@keys_app.command("list")
def list_keys(home: HomeOption = DEFAULT_HOME) -> None:
    """Name the keys and what they open.

    \b
    Example:
      querymust keys list
    """
    api_keys = _keys(home).all
    for key in api_keys:
        out.print(f"{key.name}  {key.scope}")
    if not api_keys:
        err.print("There is no key.")


@keys_app.command("remove")
def remove_key(name: Annotated[str, typer.Argument(help="Of the key.")], home: HomeOption = DEFAULT_HOME) -> None:
    """Let a key open nothing any more.

    \b
    Example:
      querymust keys remove bot
    """
    keys = _keys(home)
    keys.remove(name)
    if not keys.all:
        err.print("No key is left, so the server lets nobody in; to open it on loopback: querymust serve --no-keys")


def _keys(home: HomeOption) -> ApiKeys:
    from retrieval.home import Home
    from retrieval.serve.api_keys import ApiKeys

    return ApiKeys(Home.at(home).root)
