"""`querymust push` and `pull`."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import counted, out, print_error, print_json, progress_bar

if TYPE_CHECKING:
    from retrieval.home import Home
    from retrieval.index.places import Place
    from retrieval.index.transfer import Pulled


def push(
    url: Annotated[str, typer.Argument(metavar="URL", help="A folder, or an address that fsspec knows.")],
    home: HomeOption = DEFAULT_HOME,
    keep: Annotated[
        int, typer.Option("--keep", min=0, help="How many that were pushed before stay there, beside this one.")
    ] = 3,
    check: Annotated[
        bool, typer.Option("--check", help="Also read back what is complete there, and send what is damaged again.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Bring the live snapshot to a place, from where readers pull it: a folder, s3://, gs://.

    What is there with the right hash is not sent again, so an interrupted push goes on when it is run again. Each file
    is read back and compared. Readers get the snapshot when all of it is there.

    \b
    Examples:
      querymust push /srv/rules
      querymust push s3://bucket/rules --keep 1
    """
    from retrieval.home import Home
    from retrieval.index.places import Place
    from retrieval.index.transfer import push_snapshot

    root = Home.at(home).root
    place = Place(url)
    with progress_bar("push") as bar:
        done = push_snapshot(root, place, bar, keep=keep, check=check)
    if json_:
        print_json({"place": place.name, **asdict(done)})
        return
    what = f"{counted(done.files, 'file')}, {done.size / 1e6:,.1f} MB; sent {done.sent:,}"
    out.print(f"{place.name} offers {done.snapshot}: {what}", markup=False)
    if done.before not in {None, done.snapshot}:
        out.print(f"It offered {done.before} before.", markup=False)
    if done.removed:
        out.print(f"{counted(len(done.removed), 'older snapshot')} removed there", markup=False)


def pull(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="What `querymust push` was given; or http:// for the same.")
    ],
    home: HomeOption = DEFAULT_HOME,
    keep: Annotated[int, typer.Option("--keep", min=0, help="How many that were live stay, beside the live one.")] = 3,
    every: Annotated[
        float | None, typer.Option("--every", min=0.1, metavar="SECONDS", help="Look again and again, until Ctrl-C.")
    ] = None,
    max_gb: Annotated[float, typer.Option("--max-gb", min=0, help="What is larger is not fetched.")] = 20,
    json_: JsonOption = False,
) -> None:
    """Bring the snapshot that a place offers into the home, and make it live once every hash is right.

    What is here with the right hash is not fetched again, so an interrupted pull goes on when it is run again. A
    server that runs over the home answers from the new snapshot with the next question.

    \b
    Examples:
      querymust pull /srv/rules
      querymust pull s3://bucket/rules --every 30
    """
    from retrieval.home import Home
    from retrieval.index.places import Place

    opened, place = Home.at(home), Place(url)
    if every is None:
        _say(place, _pull(opened, place, keep, max_gb), json_=json_)
        return
    seen = None
    while True:
        seen = _follow(opened, place, keep, max_gb, seen, json_=json_)
        time.sleep(every)


def _follow(home: Home, place: Place, keep: int, max_gb: float, seen: str | None, *, json_: bool) -> str | None:
    """Pull what is offered if it is not what was seen last; what is seen now. A failure is told, and tried again."""
    from retrieval.errors import RetrievalError
    from retrieval.index.transfer import live_at

    try:
        if seen is not None and live_at(place) == seen:
            return seen
        done = _pull(home, place, keep, max_gb)
    except RetrievalError as error:
        print_error(str(error))
        return None
    _say(place, done, json_=json_)
    return done.snapshot


def _pull(home: Home, place: Place, keep: int, max_gb: float) -> Pulled:
    from retrieval.files.locks import write_lock
    from retrieval.index.snapshot.live import remove_snapshots
    from retrieval.index.transfer import pull_snapshot

    with write_lock(home.root), progress_bar("pull") as bar:
        done = pull_snapshot(home.root, place, bar, most=round(max_gb * 1e9))
        home.nominate(done.snapshot)
        remove_snapshots(home.root, done.snapshot, keep)
    return done


def _say(place: Place, done: Pulled, *, json_: bool) -> None:
    if json_:
        print_json({"place": place.name, **asdict(done)})
        return
    what = f"{counted(done.files, 'file')}, {done.size / 1e6:,.1f} MB; fetched {done.fetched:,}"
    out.print(f"live: {done.snapshot}, {done.n_chunks:,} chunks: {what}", markup=False)
    if done.before not in {None, done.snapshot}:
        out.print(f"It was {done.before} before; back: querymust rollback {done.before}", markup=False)
