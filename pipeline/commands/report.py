"""`querymust report`: what a home holds, as one page that opens without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, remembered_questions
from pipeline.console.output import out, progress_bar


def write_report(
    open_: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="File to write; else report.html in the home.", dir_okay=False)
    ] = None,
    no_times: Annotated[
        bool, typer.Option("--no-times", help="Leave out dates and milliseconds, to compare the bytes of two reports.")
    ] = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Write one self-contained HTML page on the newest snapshot: scores, failures, filter, trend, gate.

    The page needs no server and no network. It judges the snapshot that was built last, live or not.

    \b
    Examples:
      querymust report
      querymust report --open
      querymust report --out scores.html --no-times
    """
    from pipeline.report.glance import glance
    from pipeline.report.page import default_path, write_page
    from pipeline.report.report import report_of
    from retrieval.home import Home

    found = Home.at(home)
    remembered_questions(found)
    with progress_bar("report") as bar:
        made = report_of(found, times=not no_times, progress=lambda done, total: bar("rankings", done, total))
        path = (out_file or default_path(found)).expanduser().resolve()
        size = write_page(made, path)
    out.print(f"wrote {path} ({size / 1000:,.0f} kB)", markup=False)
    for answer in glance(made):
        out.print(f"\n{answer.asks}\n  {answer.says}", markup=False)
    if open_:
        import webbrowser

        webbrowser.open(path.as_uri())
