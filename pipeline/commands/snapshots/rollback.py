"""`querymust rollback`: readers get the snapshot again that they got before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption
from pipeline.console.output import out

if TYPE_CHECKING:
    from pathlib import Path


def roll_back(
    snapshot: Annotated[
        str | None, typer.Argument(metavar="[SNAPSHOT]", help="One that was live; else the one before.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Make a snapshot live again that was live before, after comparing every file of it.

    Without a name it is the one that was live before this one, so a second rollback takes the first one back.
    Nothing is built and nothing is scored; the next build that holds goes live as always.

    \b
    Examples:
      querymust rollback
      querymust rollback 0123456789abcdef
    """
    from retrieval.errors import NothingLiveError
    from retrieval.home import Home
    from retrieval.index.snapshot.live import live_id, promote
    from retrieval.index.snapshot.snapshot import open_snapshot
    from retrieval.write_lock import write_lock

    root = Home.at(home).root
    if not root.is_dir():
        raise NothingLiveError.of(root, "nothing is built")
    with write_lock(root):
        before = live_id(root)
        chosen = _chosen(root, before, snapshot)
        with open_snapshot(root, chosen) as found:  # which compares the hash of every file
            n_chunks = len(found)
        promote(root, chosen, "rollback")
    out.print(f"live: {chosen}, {n_chunks:,} chunks", markup=False)
    if before:
        out.print(f"It was {before} before; back: querymust rollback {before}", markup=False)


def _chosen(root: Path, live: str | None, asked: str | None) -> str:
    from retrieval.errors import IndexMissingError, UnknownNameError
    from retrieval.index.snapshot.live import snapshot_folder
    from retrieval.index.snapshot.live_history import were_live

    there = [each for each in were_live(root) if each != live and snapshot_folder(root, each).is_dir()]
    if asked == live and asked is not None:
        raise IndexMissingError(f"snapshot {asked} is live already; name another one, or none for the one before")
    if asked is not None and asked not in there:
        raise UnknownNameError("snapshot that was live and is kept", asked, there)
    if not there:
        raise IndexMissingError(
            f"no other snapshot that was live is kept in {root}; change the library back and run: querymust build"
        )
    return asked or there[0]
