"""`querymust questions`: do the questions read, and is their gold still in the live index?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.command_list import CommandList
from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption, existing
from pipeline.console.output import out, print_error, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.questions.answers import Groups
    from evals.questions.gold import Resolution
    from evals.questions.questions import Question

app = typer.Typer(
    cls=CommandList, help="Check question files and find their gold.", no_args_is_help=True, rich_markup_mode=None
)

FilesArgument = Annotated[list[Path], typer.Argument(help="JSONL files of questions.", show_default=False)]


@app.command("check")
def check(files: FilesArgument, home: HomeOption = DEFAULT_HOME, json_: JsonOption = False) -> None:
    """Read the files and say which gold is no longer found in the live index; exit status 1 if any.

    An id is unique within its file; of several files it is printed as FILE:ID.

    \b
    Examples:
      querymust questions check mine.jsonl
      querymust questions check mine.jsonl theirs.jsonl
    """
    questions, resolution = _resolved(files, home)
    record = {
        "questions": len(questions),
        "with_gold": resolution.questions_with_gold,
        "evaluability": resolution.evaluability,
        "stale": [str(finding) for finding in resolution.stale],
        "ambiguous": [str(finding) for finding in resolution.ambiguous],
    }
    if json_:
        print_json(record)
    else:
        out.print(
            f"{len(questions)} questions, {resolution.questions_with_gold} with gold, {len(resolution.gold)} resolve"
        )
        for finding in resolution.ambiguous:
            out.print(f"ambiguous: {finding}", markup=False)
    for finding in resolution.stale if not json_ else ():
        print_error(f"stale: {finding}")
    if resolution.stale:
        raise typer.Exit(1)


@app.command("resolve")
def resolve_gold(files: FilesArgument, home: HomeOption = DEFAULT_HOME, json_: JsonOption = False) -> None:
    """Print the ids of the chunks that answer each question in the live index; under `any of`, those of one answer.

    An id of a question is unique within its file; of several files it is printed as FILE:ID.

    \b
    Examples:
      querymust questions resolve mine.jsonl
      querymust questions resolve mine.jsonl --json
    """
    questions, resolution = _resolved(files, home)
    if json_:
        print_json({question.id: list(resolution.gold.get(question.id, ())) for question in questions})
        return
    for question in questions:
        found = resolution.gold.get(question.id, ())
        out.print(f"{question.id}  {question.query}", markup=False, style="bold")
        for line in _gold_lines(found, resolution.groups.get(question.id, ())):
            out.print(f"    {line}", markup=False)
        if not found:
            out.print("    no gold" if not question.gold else "    stale gold")


@app.command("generate")
def generate(
    folder: Annotated[Path, typer.Option("--out", help="Where to write; a folder for each book.", show_default=False)],
    seed: Annotated[int, typer.Option("--seed", help="Of the choice of rows and words.")] = 0,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Write questions about every table and section of the live index by templates, marked as generated.

    \b
    Example:
      querymust questions generate --out generated
    """
    from evals.generation.document_questions import write_generated
    from evals.generation.generation import GenerationSettings, generate_questions
    from retrieval.index.snapshot.snapshot import open_snapshot

    with open_snapshot(home.expanduser().resolve()) as snapshot:
        documents = generate_questions(tuple(snapshot.chunks), snapshot.vocabulary, GenerationSettings(seed=seed))
    files = write_generated(folder, documents)
    count = sum(len(document.questions) for document in documents)
    if json_:
        print_json({"questions": count, "files": [str(path) for path in files]})
    else:
        out.print(f"{count} questions in {len(files)} files under {folder}")


def _gold_lines(found: Sequence[str], groups: Groups) -> list[str]:
    """The chunk ids, those of a group under `any of`."""
    grouped = {name for group in groups for name in group}
    alone = [name for name in found if name not in grouped]
    return alone + [line for group in groups for line in ("any of", *(f"  {name}" for name in group))]


def _resolved(files: list[Path], home: Path) -> tuple[tuple[Question, ...], Resolution]:
    from evals.questions.gold import resolve
    from retrieval.index.snapshot.snapshot import open_snapshot

    questions = _read(files)
    with open_snapshot(home.expanduser().resolve()) as snapshot:
        return questions, resolve(questions, tuple(snapshot.chunks))


def _read(files: list[Path]) -> tuple[Question, ...]:
    """The questions of the files, with ids that are unique among all of them."""
    from evals.questions.questions import load_questions

    given = dict(zip(existing(files), files, strict=True))
    return tuple(
        question if len(given) == 1 else replace(question, id=f"{name}:{question.id}")
        for path, name in given.items()
        for question in load_questions(path)
    )
