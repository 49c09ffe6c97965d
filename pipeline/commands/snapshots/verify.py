"""`querymust verify`: whether a snapshot still is what the build made."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_error, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.index.chroma.soundness import Fault

ADVICE = "run: querymust build (it makes what is damaged again), or give readers the index before: querymust rollback"


def verify_index(
    snapshot: Annotated[str | None, typer.Argument(metavar="[SNAPSHOT]", help="Its id; else the live one.")] = None,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Compare the hash of every file of a snapshot, its counts and its collections; status 1 if one is wrong.

    Nothing is changed.

    \b
    Examples:
      querymust verify
      querymust verify 0123456789abcdef --json
    """
    from retrieval.errors import IndexMissingError
    from retrieval.home import Home
    from retrieval.index.snapshot.live import live_id, snapshot_folder

    root = Home.at(home).root
    name = snapshot or live_id(root)
    if name is None:
        raise IndexMissingError(f"nothing is live in {root}; run: querymust build --library DIR")
    if not snapshot_folder(root, name).is_dir():
        raise IndexMissingError(f"{root} has no snapshot {name!r}; querymust gc --dry-run lists those that there are")
    faults = _faults(root, name)
    if json_:
        print_json({"snapshot": name, "sound": not faults, "faults": [asdict(fault) for fault in faults]})
    for fault in faults if not json_ else ():
        print_error(f"{name}: {fault.check}: {fault.detail}")
    if faults:
        if not json_:
            print_error(ADVICE)
        raise typer.Exit(1)
    if not json_:
        out.print(f"{name}: every file, count and collection is as it was built", markup=False)


def _faults(root: Path, name: str) -> tuple[Fault, ...]:
    from retrieval.errors import IndexCorruptError
    from retrieval.index.chroma.soundness import Fault
    from retrieval.index.snapshot.live import snapshot_folder
    from retrieval.index.snapshot.manifest import Manifest
    from retrieval.index.snapshot.snapshot import open_snapshot
    from retrieval.index.snapshot.verification import verify_snapshot

    try:
        with open_snapshot(root, name, hashes=False) as opened:
            lost = () if opened.neighbour_search else (Fault("files", "neighbour_search.json cannot be read"),)
            return (*verify_snapshot(opened), *lost)
    except IndexCorruptError as error:
        folder = snapshot_folder(root, name)
        try:
            files = Manifest.read(folder).disagreements(folder, hashes=True)
            return tuple(Fault("files", each) for each in files) or (Fault("counts", str(error)),)
        except IndexCorruptError as unreadable:
            return (Fault("manifest", str(unreadable)),)
