"""`querymust push`: what is live here is offered to readers elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import counted, out, print_json, progress_bar


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
    from retrieval.index.travel.place import Place
    from retrieval.index.travel.push import push_snapshot

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
