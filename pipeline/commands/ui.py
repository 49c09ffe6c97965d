"""`querymust ui`: the assets, checks, runs and dashboards of a home in Dagster's own UI."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption
from pipeline.console.output import counted, err, out


def serve_ui(
    port: Annotated[int, typer.Option("--port", help="Port to listen on.", min=1, max=65_535)] = 3000,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; whoever reaches it may do all.")
    ] = "127.0.0.1",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Serve Dagster's UI, its sensors and its schedule over a home, until Ctrl-C.

    It needs no key and asks for no password, so it listens to this machine alone unless --host says otherwise. A home
    that was never built is shown too: its pages say what comes first.

    \b
    Examples:
      querymust ui
      querymust ui --port 3333 --home elsewhere
    """
    from pipeline.runs.webserver import Server
    from retrieval.home import Home

    server = Server(Home.at(home), host, port)
    server.check_port()
    from pipeline.runs.in_process import cancel_dead  # loads Dagster, which takes seconds

    if dead := cancel_dead(server.home):
        err.print(f"{counted(dead, 'run')} had lost its process and is marked as canceled.", markup=False)
    out.print(f"{server.url} shows {server.home.root} in some seconds; Ctrl-C ends it.", markup=False)
    server.become()
