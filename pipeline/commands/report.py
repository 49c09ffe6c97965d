"""`querymust report`: the content of a home, as one page that needs no server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, existing, remembered_questions
from pipeline.console.output import out, progress_bar
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from retrieval.home import Home

QUESTION_FILES = ("*.jsonl", "*.jsonl.gz", "*.json")


def write_report(
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="File to write; default: report.html in the home.", dir_okay=False)
    ] = None,
    no_times: Annotated[
        bool, typer.Option("--no-times", help="Omit dates and milliseconds, to compare two reports byte by byte.")
    ] = False,
    report_dir: Annotated[
        Path | None, typer.Option("--report-dir", help="Folder for report.html and report.json.", file_okay=False)
    ] = None,
    queries_dir: Annotated[
        Path | None,
        typer.Option("--queries-dir", help="Question file, or folder of question files, instead of the home's own."),
    ] = None,
    model_id: Annotated[
        str | None, typer.Option("--model-id", help="Require a snapshot that was built with this embedder.")
    ] = None,
    best_practice_eval: Annotated[  # noqa: ARG001 -- there are no other settings
        bool, typer.Option("--best-practice-eval", help="Standard settings: k 15 and 100, every strategy. Always on.")
    ] = False,
    expand_gold: Annotated[
        bool, typer.Option("--expand-gold", help="Show what neighbours in the graph would add if they were gold too.")
    ] = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Write one self-contained HTML page about the newest snapshot: scores, failures, filter, trend, gate.

    The page needs no server and no network. It describes the snapshot that was built last, live or not.

    \b
    Examples:
      querymust report
      querymust report --open
      querymust report --out scores.html --no-times
      querymust report --queries-dir questions --expand-gold --report-dir reports
    """
    from pipeline.report.glance import glance, write_summary
    from pipeline.report.page import REPORT_FILE, default_path, write_page
    from pipeline.report.report import report_of
    from retrieval.home import Home

    if report_dir is not None and out_file is not None:
        raise typer.BadParameter("give --out or --report-dir, not both", param_hint="--report-dir")
    asking = _asking(Home.at(home), queries_dir)
    _require_model(asking, model_id)
    chosen = report_dir / REPORT_FILE if report_dir else out_file
    with progress_bar("report") as bar:
        made = report_of(
            asking,
            times=not no_times,
            expand_gold=expand_gold,
            progress=lambda done, total: bar("rankings", done, total),
        )
        path = (chosen or default_path(asking)).expanduser().resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        size = write_page(made, path)
    if report_dir is not None:
        write_summary(made, path.with_suffix(".json"))
    out.print(f"wrote {path} ({size / 1000:,.0f} kB)")
    for answer in glance(made):
        out.print(f"\n{answer.asks}\n  {answer.says}")
    if open_:
        import webbrowser

        webbrowser.open(path.as_uri())


def _asking(home: Home, queries: Path | None) -> Home:
    """Return the home with the questions of a file or a folder in place of its own.

    Raises:
        FileNotFoundError: there is no such file or folder.
        RetrievalError: the folder contains no question file.
    """
    if queries is None:
        remembered_questions(home)
        return home
    folder = queries.expanduser().resolve()
    files = sorted(path for pattern in QUESTION_FILES for path in folder.glob(pattern)) if folder.is_dir() else [folder]
    if not files:
        raise RetrievalError(f"{folder} contains no questions; put {', '.join(QUESTION_FILES)} there, or give a file")
    return replace(home, settings=replace(home.settings, questions=existing(files)))


def _require_model(home: Home, model: str | None) -> None:
    """Check that this model computed the snapshot's vectors; a hub's name needs no `st:` here.

    Raises:
        RetrievalError: another model computed them.
    """
    from retrieval.index.embedding.embedders import EMBEDDERS
    from retrieval.index.embedding.sentence_model import PREFIX
    from retrieval.index.snapshot.live import snapshot_folder
    from retrieval.index.snapshot.manifest import Manifest
    from retrieval.settings import embedder_of

    if model is None:
        return
    wanted = embedder_of(model)
    if wanted not in EMBEDDERS and not wanted.startswith(PREFIX):
        wanted = PREFIX + wanted
    made_with = Manifest.read(snapshot_folder(home.root, home.candidate)).embedder.name
    if wanted != made_with:
        raise RetrievalError(
            f"the newest snapshot of {home.root} was built with {made_with!r}, not {model!r}; "
            f"rebuild it: querymust build --embedder {wanted}"
        )
