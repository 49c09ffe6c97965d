"""`querymust gc`: remove the snapshots that nobody needs any more."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import counted, out, print_json


def collect_garbage(
    home: HomeOption = DEFAULT_HOME,
    keep: Annotated[
        int, typer.Option("--keep", min=0, help="How many that were live are kept, beside the live one.")
    ] = 3,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and remove nothing.")] = False,
    json_: JsonOption = False,
) -> None:
    """Remove old snapshots; a build that goes live does it too, and keeps three.

    The live one, the last ones that were live and the newest one always stay. Scores and run history stay too.

    \b
    Examples:
      querymust gc --dry-run
      querymust gc --keep 1
    """
    from retrieval.errors import NothingLiveError
    from retrieval.home import Home
    from retrieval.index.snapshot.live import SNAPSHOTS
    from retrieval.index.snapshot.retention import remove_snapshots, snapshots_of
    from retrieval.write_lock import write_lock

    opened = Home.at(home)
    if not (opened.root / SNAPSHOTS).is_dir():
        raise NothingLiveError.of(opened.root, "no snapshot was built")
    with write_lock(opened.root):
        candidate = opened.candidate if (opened.root / "candidate").is_file() else None
        gone = remove_snapshots(opened.root, candidate, keep, pretend=dry_run)
        stay = [each for each in snapshots_of(opened.root, candidate, keep) if each.why]
    if json_:
        print_json({"removed": [asdict(each) for each in gone], "kept": [asdict(each) for each in stay]})
        return
    for each in stay:
        out.print(f"{each.id}  {_megabytes(each.size)}  kept: {each.why}", markup=False)
    for each in gone:
        out.print(f"{each.id}  {_megabytes(each.size)}  {'would go' if dry_run else 'removed'}", markup=False)
    done = "would be removed" if dry_run else "removed"
    out.print(f"{counted(len(gone), 'snapshot')} {done}, {_megabytes(sum(each.size for each in gone)).strip()}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:8,.1f} MB"
