"""`querymust rollback`, `gc`, `verify`, `push` and `pull`."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import counted, err, out, print_error, print_json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retrieval.home import Home
    from retrieval.index.places import Place
    from retrieval.index.signature import Verifier
    from retrieval.index.snapshot.snapshot import Snapshot
    from retrieval.index.transfer import Pulled


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a snapshot that has changed since it was built."""

    check: str
    """`manifest`, `files` or `counts`."""
    detail: str


def roll_back(
    snapshot: Annotated[
        str | None, typer.Argument(metavar="[SNAPSHOT]", help="A snapshot that was live; default: the previous one.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Promote a snapshot that was live before, after a check of all its files.

    Without a name, this is the last intact snapshot that was live before the current one, so a second rollback undoes
    the first. Damaged snapshots are skipped and listed.
    Nothing is built or scored; the next build that passes its checks goes live as usual.

    \b
    Examples:
      querymust rollback
      querymust rollback 0123456789abcdef
    """
    from retrieval.errors import NothingLiveError
    from retrieval.files.locks import write_lock
    from retrieval.home import Home
    from retrieval.index.snapshot.live import live_id, promote

    root = Home.at(home).root
    if not root.is_dir():
        raise NothingLiveError.of(root, "nothing is built")
    with write_lock(root):
        before = live_id(root)
        chosen, n_chunks = _first_intact(root, _candidates(root, before, snapshot))
        promote(root, chosen, "rollback")
    out.print(f"live: {chosen}, {n_chunks:,} chunks")
    if before:
        out.print(
            f"The live snapshot was {before} before; to go back, run: querymust rollback {before}{Home.at(home).option}"
        )


def _first_intact(root: Path, candidates: Sequence[str]) -> tuple[str, int]:
    """Return the first of these snapshots in which every file has its hash, and its number of chunks; the last one
    must be intact."""
    from retrieval.errors import IndexCorruptError
    from retrieval.index.snapshot.snapshot import open_snapshot

    for candidate in candidates:
        try:
            with open_snapshot(root, candidate) as snapshot:  # compares the hash of every file
                return candidate, len(snapshot)
        except IndexCorruptError as error:
            if candidate == candidates[-1]:
                raise
            err.print(f"skipped: {error}")
    raise AssertionError(candidates)


def _candidates(root: Path, live: str | None, wanted: str | None) -> list[str]:
    """Return the snapshots to roll back to, best first."""
    from retrieval.errors import IndexMissingError, UnknownNameError
    from retrieval.index.snapshot.live import snapshot_folder, were_live

    there = [snapshot for snapshot in were_live(root) if snapshot != live and snapshot_folder(root, snapshot).is_dir()]
    if wanted == live and wanted is not None:
        raise IndexMissingError(f"snapshot {wanted} is already live; give another one, or none for the previous one")
    if wanted is not None and wanted not in there:
        raise UnknownNameError("snapshot that was live and is kept", wanted, there)
    if not there:
        raise IndexMissingError(
            f"{root} has no other snapshot that was live; restore the library and run: querymust build"
        )
    return [wanted] if wanted else there


def collect_garbage(
    home: HomeOption = DEFAULT_HOME,
    keep: Annotated[
        int, typer.Option("--keep", min=0, help="Number of earlier live snapshots to keep, besides the live one.")
    ] = 3,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be removed.")] = False,
    json_: JsonOption = False,
) -> None:
    """Remove old snapshots; a build that goes live does this too, and keeps three.

    The live snapshot, the last ones that were live, and the newest one are always kept, as are scores and run history.

    \b
    Examples:
      querymust gc --dry-run
      querymust gc --keep 1
    """
    from retrieval.errors import NothingLiveError
    from retrieval.files.locks import write_lock
    from retrieval.home import Home
    from retrieval.index.snapshot.folders import remove_snapshots, snapshots_of
    from retrieval.index.snapshot.live import SNAPSHOTS

    opened = Home.at(home)
    if not (opened.root / SNAPSHOTS).is_dir():
        raise NothingLiveError.of(opened.root, "no snapshot was built")
    with write_lock(opened.root):
        candidate = opened.candidate if (opened.root / "candidate").is_file() else None
        gone = remove_snapshots(opened.root, candidate, keep, pretend=dry_run)
        stay = [snapshot for snapshot in snapshots_of(opened.root, candidate, keep) if snapshot.why]
    if json_:
        print_json(
            {"removed": [asdict(snapshot) for snapshot in gone], "kept": [asdict(snapshot) for snapshot in stay]}
        )
        return
    for snapshot in stay:
        out.print(f"{snapshot.id}  {_megabytes(snapshot.size)}  kept: {snapshot.why}")
    for snapshot in gone:
        out.print(f"{snapshot.id}  {_megabytes(snapshot.size)}  {'would be removed' if dry_run else 'removed'}")
    done = "would be removed" if dry_run else "removed"
    out.print(f"{counted(len(gone), 'snapshot')} {done}, {_megabytes(sum(snapshot.size for snapshot in gone)).strip()}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:8,.1f} MB"


ADVICE = "run: querymust build (it rebuilds what is damaged), or go back to the previous index: querymust rollback"


def verify_index(
    snapshot: Annotated[
        str | None, typer.Argument(metavar="[SNAPSHOT]", help="Id of the snapshot; default: the live one.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Check the hash of every file of a snapshot, and its counts; exit with status 1 if one is wrong.

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
        raise IndexMissingError(f"{root} has no snapshot {name!r}; querymust gc --dry-run lists those that exist")
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
        out.print(f"{name}: every file and count matches the build")


def _faults(root: Path, name: str) -> tuple[Fault, ...]:
    from retrieval.errors import IndexCorruptError
    from retrieval.index.snapshot.live import snapshot_folder
    from retrieval.index.snapshot.manifest import Manifest
    from retrieval.index.snapshot.snapshot import open_snapshot

    folder = snapshot_folder(root, name)
    try:
        manifest = Manifest.read(folder)
    except IndexCorruptError as unreadable:
        return (Fault("manifest", str(unreadable)),)
    # Damaged files are not read, because they may contain anything.
    if damaged := tuple(Fault("files", disagreement) for disagreement in manifest.disagreements(folder, hashes=True)):
        return damaged
    try:
        with open_snapshot(root, name, hashes=False) as opened:
            return tuple(Fault("files", fault) for fault in _damaged_beside(opened))
    except IndexCorruptError as error:
        return (Fault("counts", str(error)),)


def _damaged_beside(opened: Snapshot) -> Iterator[str]:
    """Yield a sentence for each damaged file that is not covered by the hash that is the snapshot's id."""
    from retrieval.errors import IndexCorruptError
    from retrieval.rag.ingestion import lacking
    from retrieval.rag.relevance import calibration_of

    try:
        calibration_of(opened.folder, opened.manifest.embedder.name)
    except IndexCorruptError as error:
        yield str(error)
    yield from lacking(opened)


def push(
    url: Annotated[str, typer.Argument(metavar="URL", help="A folder, or an address that fsspec supports.")],
    home: HomeOption = DEFAULT_HOME,
    keep: Annotated[
        int, typer.Option("--keep", min=0, help="Number of earlier snapshots to keep there, besides this one.")
    ] = 3,
    check: Annotated[
        bool, typer.Option("--check", help="Also read back the files that are there, and send damaged ones again.")
    ] = False,
    sign: Annotated[
        Path | None, typer.Option("--sign", metavar="KEY.pem", help="Sign the list of files with this Ed25519 key.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Copy the live snapshot to a location from which readers can pull it: a folder, s3://, gs://.

    Files that are there with the right hash are not sent again, so an interrupted push continues if you run it again.
    Each file is read back and compared. Readers get the snapshot only when it is complete.

    \b
    Examples:
      querymust push /srv/rules
      querymust push s3://bucket/rules --keep 1
      querymust push s3://bucket/rules --sign key.pem
    """
    from retrieval.home import Home
    from retrieval.index.places import Place
    from retrieval.index.signature import Signer
    from retrieval.index.transfer import push_snapshot

    root = Home.at(home).root
    remote, signer = Place(url), Signer(sign) if sign else None
    with progress_bar("push") as bar:
        done = push_snapshot(root, remote, bar, keep=keep, check=check, signer=signer)
    if json_:
        print_json({"place": remote.name, **asdict(done)})
        return
    what = f"{counted(done.files, 'file')}, {done.size / 1e6:,.1f} MB; sent {done.sent:,}"
    out.print(f"{remote.name} offers {done.snapshot}: {what}")
    if done.before not in {None, done.snapshot}:
        out.print(f"It offered {done.before} before.")
    if done.removed:
        out.print(f"{counted(len(done.removed), 'older snapshot')} removed there")


def pull(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The location given to `querymust push`, or its http:// address.")
    ],
    home: HomeOption = DEFAULT_HOME,
    keep: Annotated[
        int, typer.Option("--keep", min=0, help="Number of earlier live snapshots to keep, besides the live one.")
    ] = 3,
    every: Annotated[
        float | None,
        typer.Option(
            "--every", min=0.1, metavar="SECONDS", help="Look for a new snapshot at this interval, until Ctrl-C."
        ),
    ] = None,
    max_gb: Annotated[float, typer.Option("--max-gb", min=0, help="Largest snapshot that is fetched, in GB.")] = 20,
    public_key: Annotated[
        Path | None,
        typer.Option("--public-key", metavar="PUB.pem", help="Pull only what the owner of this Ed25519 key signed."),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Copy the snapshot at a location into the home, and promote it when every hash is right.

    Files that are here with the right hash are not fetched again, so an interrupted pull continues if you run it
    again. A server that uses the home answers the next question from the new snapshot.

    \b
    Examples:
      querymust pull /srv/rules
      querymust pull s3://bucket/rules --every 30 --public-key pub.pem
    """
    from retrieval.home import Home
    from retrieval.index.places import Place
    from retrieval.index.signature import Verifier

    opened, remote = Home.at(home), Place(url)
    pull_once = partial(_pull, opened, remote, keep, max_gb, Verifier(public_key) if public_key else None)
    if every is None:
        _say(opened, remote, pull_once(), json_=json_)
        return
    seen = None
    while True:
        seen = _follow(opened, remote, pull_once, seen, json_=json_)
        time.sleep(every)


def _follow(home: Home, remote: Place, pull_once: Callable[[], Pulled], seen: str | None, *, json_: bool) -> str | None:
    """Pull the offered snapshot if it has changed, and return its id. A failure is printed, and the pull is retried."""
    from retrieval.errors import RetrievalError
    from retrieval.index.transfer import live_at

    try:
        if seen is not None and live_at(remote) == seen:
            return seen
        done = pull_once()
    except RetrievalError as error:
        print_error(str(error))
        return None
    _say(home, remote, done, json_=json_)
    return done.snapshot


def _pull(home: Home, remote: Place, keep: int, max_gb: float, verifier: Verifier | None) -> Pulled:
    from retrieval.files.locks import write_lock
    from retrieval.index.snapshot.folders import remove_snapshots
    from retrieval.index.transfer import pull_snapshot

    with write_lock(home.root), progress_bar("pull") as bar:
        done = pull_snapshot(home.root, remote, bar, most=round(max_gb * 1e9), verifier=verifier)
        home.nominate(done.snapshot)
        remove_snapshots(home.root, done.snapshot, keep)
    return done


def _say(home: Home, remote: Place, done: Pulled, *, json_: bool) -> None:
    if json_:
        print_json({"place": remote.name, **asdict(done)})
        return
    what = f"{counted(done.files, 'file')}, {done.size / 1e6:,.1f} MB; fetched {done.fetched:,}"
    out.print(f"live: {done.snapshot}, {done.n_chunks:,} chunks: {what}")
    if done.before not in {None, done.snapshot}:
        out.print(
            f"The live snapshot was {done.before} before; to go back, run: querymust rollback "
            f"{done.before}{home.option}"
        )
