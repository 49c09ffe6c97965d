"""`querymust verify`: whether a snapshot still is what the build made."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_error, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retrieval.index.chroma.soundness import Fault
    from retrieval.index.snapshot.snapshot import Snapshot

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
    from retrieval.errors import IndexMissingError, NothingLiveError
    from retrieval.home import Home
    from retrieval.index.snapshot.live import live_id, snapshot_folder

    root = Home.at(home).root
    name = snapshot or live_id(root)
    if name is None:
        raise NothingLiveError.of(root)
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
        out.print(f"{name}: every {_verified(root, name)}", markup=False)


def _verified(root: Path, name: str) -> str:
    """What was compared of a sound snapshot; of a large library, why there are no collections."""
    from retrieval.index.chroma.place import NOWHERE
    from retrieval.index.snapshot.snapshot import open_snapshot

    with open_snapshot(root, name, hashes=False) as opened:
        search = opened.neighbour_search
        if search is not None and opened.kept_collections.place == NOWHERE:
            return f"file and count is as it was built; {search.reason}"
        return "file, count and collection is as it was built"


def _faults(root: Path, name: str) -> tuple[Fault, ...]:
    from retrieval.errors import IndexCorruptError
    from retrieval.index.chroma.soundness import Fault
    from retrieval.index.snapshot.live import snapshot_folder
    from retrieval.index.snapshot.manifest import Manifest
    from retrieval.index.snapshot.snapshot import open_snapshot
    from retrieval.index.snapshot.verification import verify_snapshot

    folder = snapshot_folder(root, name)
    try:
        manifest = Manifest.read(folder)
    except IndexCorruptError as unreadable:
        return (Fault("manifest", str(unreadable)),)
    # Files that are damaged are not read: what they hold may be anything.
    if damaged := tuple(Fault("files", each) for each in manifest.disagreements(folder, hashes=True)):
        return damaged
    try:
        with open_snapshot(root, name, hashes=False) as opened:
            beside = [Fault("files", each) for each in _damaged_beside(opened)]
            return (*verify_snapshot(opened), *beside)
    except IndexCorruptError as error:
        return (Fault("counts", str(error)),)


def _damaged_beside(opened: Snapshot) -> Iterator[str]:
    """A sentence for each file that is not part of what the snapshot's id is the hash of."""
    from retrieval.errors import IndexCorruptError
    from retrieval.rag.calibration import calibration_of
    from retrieval.rag.originals import lacking

    if opened.neighbour_search is None:
        yield "neighbour_search.json cannot be read"
    try:
        calibration_of(opened.folder, opened.manifest.embedder.name)
    except IndexCorruptError as error:
        yield str(error)
    yield from lacking(opened)
