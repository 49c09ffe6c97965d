"""`querymust keys`: who may ask the server."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, CommandList, HomeOption
from pipeline.console.output import err, out

if TYPE_CHECKING:
    from retrieval.serve.api_keys import ApiKeys

keys_app = typer.Typer(
    cls=CommandList,
    help="Create, list and revoke the API keys of the server.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Scope(StrEnum):
    """What a key allows."""

    read = "read"
    write = "write"


@keys_app.command("add")
def add_key(
    name: Annotated[str, typer.Argument(help="Name of the key.")],
    scope: Annotated[Scope, typer.Option("--scope", help="write also allows adding documents.")] = Scope.read,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Create a key and print it once.

    \b
    Example:
      querymust keys add bot --scope write
    """
    out.print(_keys(home).add(name, scope.value))
    err.print(f"Store it now: it is shown only once. The key {name!r} has the scope {scope.value}.")


@keys_app.command("list")
def list_keys(home: HomeOption = DEFAULT_HOME) -> None:
    """List the keys and their scopes.

    \b
    Example:
      querymust keys list
    """
    api_keys = _keys(home).all
    for key in api_keys:
        out.print(f"{key.name}  {key.scope}")
    if not api_keys:
        err.print("There are no keys.")


@keys_app.command("remove")
def remove_key(name: Annotated[str, typer.Argument(help="Name of the key.")], home: HomeOption = DEFAULT_HOME) -> None:
    """Revoke a key.

    \b
    Example:
      querymust keys remove bot
    """
    keys = _keys(home)
    keys.remove(name)
    if not keys.all:
        err.print(
            "No keys are left, so the server rejects every request; to serve without keys on loopback: querymust "
            "serve --no-keys"
        )


def _keys(home: HomeOption) -> ApiKeys:
    from retrieval.home import Home
    from retrieval.serve.api_keys import ApiKeys

    return ApiKeys(Home.at(home).root)
