"""The `querymust` command: the composition root, the one place that knows paths and the environment."""

import sys
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from pipeline.commands import (
    answer,
    ask,
    books,
    build,
    collections,
    evaluate,
    explain,
    fit,
    lint,
    questions,
    quickstart,
    report,
    search,
    serve,
    show,
    status,
    ui,
)
from pipeline.commands.artifacts.export import export
from pipeline.commands.command_list import CommandList
from pipeline.commands.snapshots import gc, pull, push, rollback, verify
from pipeline.commands.stages import chunk, describe, embed, transform
from pipeline.commands.teaching import feedback, questions_by_model, terms
from pipeline.console.output import out, print_error
from pipeline.runs.full_disk import is_full_disk
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
    "Ask and answer": {"ask": ask.ask},
    "Build": {
        "rollback": rollback.roll_back,
        "gc": gc.collect_garbage,
        "transform-tables": transform.transform,
        "chunk": chunk.chunk,
        "describe-passages": describe.describe,
        "embed": embed.embed,
    },
    "Look inside": {
        "books": books.list_indexed_books,
        "show": show.show_chunk,
        "explain": explain.explain_chunk,
        "lint": lint.lint_index,
        "verify": verify.verify_index,
        "ui": ui.serve_ui,
    },
    "Share and serve": {
        "push": push.push,
        "pull": pull.pull,
        "export": export,
        "mcp": serve.serve_mcp,
    },
    "Evaluate": {
        "suggest-terms": terms.suggest_terms,
        "feedback": feedback.use_feedback,
    },
    "For developers": {"fit": fit.fit},
}
"""Commands by the heading under which `--help` lists them."""

GROUPS: Mapping[str, Mapping[str, typer.Typer]] = {
    "Ask and answer": {"collections": collections.app},
    "Share and serve": {"keys": serve.keys_app},
    "Evaluate": {"questions": questions.app},
}
"""Commands that have commands of their own."""

for _panel, _commands in COMMANDS.items():
    for _name, _function in _commands.items():
        app.command(_name, rich_help_panel=_panel)(_function)
    for _name, _group in GROUPS.get(_panel, {}).items():
        app.add_typer(_group, name=_name, rich_help_panel=_panel)

questions.app.command("by-model")(questions_by_model.write_by_model)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        out.print(f"querymust {version('querymust')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command; what the user can fix is one clear line and exit status 2."""
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
