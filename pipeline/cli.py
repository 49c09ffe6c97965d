"""The `querymust` command: the composition root, the one place that knows paths and the environment."""

import sys
from typing import Annotated

import typer

from pipeline.commands import (
    ablation,
    answer,
    ask,
    bench,
    bench_stages,
    bench_understanding,
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
from pipeline.commands.snapshots import gc, pull, push, rollback, verify
from pipeline.commands.stages import chunk, describe, embed, transform
from pipeline.commands.teaching import feedback, questions_by_model, terms
from pipeline.console.output import out, print_error
from pipeline.runs.full_disk import is_full_disk
from retrieval.errors import RetrievalError

app = typer.Typer(
    name="querymust",
    help="Retrieval over reference books: every table row knows which questions it is for.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

app.command("quickstart")(quickstart.quickstart)
app.command("build")(build.build_library)
app.command("status")(status.status)
app.command("books")(books.list_indexed_books)
app.command("search")(search.search)
app.command("ask")(ask.ask)
app.command("answer")(answer.answer)
app.command("show")(show.show_chunk)
app.command("eval")(evaluate.evaluate)
app.command("explain")(explain.explain_chunk)
app.command("lint")(lint.lint_index)
app.command("report")(report.write_report)
app.command("verify")(verify.verify_index)
app.command("rollback")(rollback.roll_back)
app.command("gc")(gc.collect_garbage)
app.command("push")(push.push)
app.command("pull")(pull.pull)
app.command("export")(export)
app.command("serve")(serve.serve)
app.command("mcp")(serve.serve_mcp)
app.command("ui")(ui.serve_ui)
app.command("suggest-terms")(terms.suggest_terms)
app.command("feedback")(feedback.use_feedback)
app.command("fit")(fit.fit)
app.command("transform-tables")(transform.transform)
app.command("chunk")(chunk.chunk)
app.command("describe-passages")(describe.describe)
app.command("embed")(embed.embed)
app.add_typer(serve.keys_app, name="keys")
app.add_typer(questions.app, name="questions")
app.add_typer(collections.app, name="collections")
questions.app.command("by-model")(questions_by_model.write_by_model)
bench.app.command("load")(serve.bench_load)
bench.app.command("first-stage")(bench_stages.bench_first_stage)
bench.app.command("spread")(bench_stages.bench_spread)
bench.app.command("ablation")(ablation.bench_ablation)
bench.app.command("hints")(bench_understanding.bench_hints)
bench.app.command("answers")(bench_understanding.bench_answers)
bench.app.command("conditions")(bench_understanding.bench_conditions)
app.add_typer(bench.app, name="bench")


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
