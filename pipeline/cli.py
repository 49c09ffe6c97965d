"""The `querymust` command: its sub-commands, and the errors that end it with a sentence instead of a traceback."""

import sys
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from pipeline.commands import (
    answer,
    ask,
    books,
    build,
    chat,
    collections,
    evaluate,
    keys,
    lint,
    questions,
    quickstart,
    report,
    search,
    serve,
    show,
    snapshots,
    stages,
    status,
    terms,
)
from pipeline.commands.export import export
from pipeline.commands.options import CommandList
from pipeline.console.output import out, print_error
from pipeline.runs.outcomes import is_full_disk
from retrieval.errors import RetrievalError

app = typer.Typer(
    name="querymust",
    cls=CommandList,
    help="Retrieval over reference books: every table row knows which questions it is for.",
    epilog="querymust COMMAND --help shows the options of a command, with examples.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

COMMANDS: Mapping[str, Mapping[str, Callable[..., None]]] = {
    "Most used": {
        "quickstart": quickstart.quickstart,
        "build": build.build_library,
        "answer": answer.answer,
        "search": search.search,
        "status": status.status,
        "eval": evaluate.evaluate,
        "report": report.write_report,
        "serve": serve.serve,
    },
    "Ask and answer": {"ask": ask.ask, "chat": chat.chat},
    "Build": {
        "rollback": snapshots.roll_back,
        "gc": snapshots.collect_garbage,
        "transform-tables": stages.transform,
        "chunk": stages.chunk,
        "describe-passages": stages.describe,
        "embed": stages.embed,
    },
    "Look inside": {
        "books": books.list_indexed_books,
        "show": show.show_chunk,
        "explain": show.explain_chunk,
        "lint": lint.lint_index,
        "verify": snapshots.verify_index,
        "ui": serve.serve_ui,
    },
    "Share and serve": {"push": snapshots.push, "pull": snapshots.pull, "export": export, "mcp": serve.serve_mcp},
    "Evaluate": {"suggest-terms": terms.suggest_terms, "feedback": terms.use_feedback},
}
"""Commands by the heading under which `--help` lists them."""

GROUPS: Mapping[str, Mapping[str, typer.Typer]] = {
    "Ask and answer": {"collections": collections.app},
    "Share and serve": {"keys": keys.keys_app},
    "Evaluate": {"questions": questions.app},
}
"""Commands that have commands of their own."""

for _panel, _commands in COMMANDS.items():
    for _name, _function in _commands.items():
        app.command(_name, rich_help_panel=_panel)(_function)
    for _name, _group in GROUPS.get(_panel, {}).items():
        app.add_typer(_group, name=_name, rich_help_panel=_panel)

questions.app.command("by-model")(questions.write_by_model)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        out.print(f"querymust {version('querymust')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the `querymust` command."""
    run_app(app)


def run_app(app: Callable[[], object]) -> None:
    """Run a command-line application; what its user can fix is one clear line and exit status 2."""
    try:
        app()
    except RetrievalError as error:
        print_error(str(error))
        sys.exit(2)
    except FileNotFoundError as error:
        print_error(f"no such file: {error.filename}")
        sys.exit(2)
    except OSError as error:
        if not is_full_disk(error):
            raise
        where = error.filename or "the home"
        print_error(f"{where} cannot be written ({error.strerror}); make room, and run the same command again")
        sys.exit(2)


if __name__ == "__main__":
    main()
