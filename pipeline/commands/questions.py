"""`querymust questions`: checks question files, and has a model write questions."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    BudgetOption,
    CommandList,
    DryRunOption,
    HomeOption,
    JsonOption,
    ModelOption,
    asked_model,
    existing,
)
from pipeline.console.output import counted, err, first_of, out, print_error, print_estimate, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.asked_by_model.asking import AskedPlace, WrittenQuestions
    from evals.questions.gold import Groups, Resolution
    from evals.questions.questions import Question
    from retrieval.home import Home
    from retrieval.models.inquiries import Inquiries


app = typer.Typer(
    cls=CommandList, help="Check question files and find their gold.", no_args_is_help=True, rich_markup_mode=None
)

FilesArgument = Annotated[list[Path], typer.Argument(help="JSONL files of questions.", show_default=False)]


@app.command("check")
def check(files: FilesArgument, home: HomeOption = DEFAULT_HOME, json_: JsonOption = False) -> None:
    """Check question files, and list gold that is not in the newest index, live or not; exit status 1 if any.

    An id is unique within its file. With several files, it is printed as FILE:ID.

    \b
    Examples:
      querymust questions check mine.jsonl
      querymust questions check mine.jsonl theirs.jsonl
    """
    questions, resolution = _resolved(files, home, newest=True)
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
            f"{len(questions)} questions, {resolution.questions_with_gold} with gold, {len(resolution.gold)} resolved"
        )
        for finding in resolution.ambiguous:
            out.print(f"ambiguous: {finding}")
    for finding in resolution.stale if not json_ else ():
        print_error(f"stale: {finding}")
    if resolution.stale:
        raise typer.Exit(1)


@app.command("resolve")
def resolve_gold(files: FilesArgument, home: HomeOption = DEFAULT_HOME, json_: JsonOption = False) -> None:
    """Print the ids of the chunks that answer each question in the live index; for `any of`, those of one answer.

    The id of a question is unique within its file. With several files, it is printed as FILE:ID.

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
        gold = resolution.gold.get(question.id, ())
        out.print(f"{question.id}  {question.query}", style="bold")
        for line in _gold_lines(gold, resolution.groups.get(question.id, ())):
            out.print(f"    {line}")
        if not gold:
            out.print("    no gold" if not question.gold else "    stale gold")


@app.command("generate")
def generate(
    folder: Annotated[
        Path, typer.Option("--out", help="Folder to write to, with one folder per book.", show_default=False)
    ],
    seed: Annotated[int, typer.Option("--seed", help="Seed for the choice of rows and words.")] = 0,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Write questions from templates about every table and section of the live index, marked as generated.

    \b
    Example:
      querymust questions generate --out generated
    """
    from evals.generation.generation import generate_questions, write_generated
    from retrieval.index.snapshot.snapshot import open_snapshot

    with open_snapshot(home.expanduser().resolve()) as snapshot:
        documents = generate_questions(tuple(snapshot.chunks), snapshot.vocabulary, seed)
    files = write_generated(folder.expanduser(), documents)
    count = sum(len(document.questions) for document in documents)
    if json_:
        print_json({"questions": count, "files": [str(path) for path in files]})
    else:
        out.print(f"{count} questions in {len(files)} files under {folder}")


def _gold_lines(chunk_ids: Sequence[str], groups: Groups) -> list[str]:
    """Return the chunk ids, with those of a group under `any of`."""
    grouped = {name for group in groups for name in group}
    alone = [name for name in chunk_ids if name not in grouped]
    return alone + [line for group in groups for line in ("any of", *(f"  {name}" for name in group))]


def _resolved(files: list[Path], home: Path, *, newest: bool = False) -> tuple[tuple[Question, ...], Resolution]:
    """Return the questions, and their gold in the live or the newest index, which the gate may have rejected."""
    from evals.questions.gold import resolve
    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import open_snapshot

    questions, opened = _read(files), Home.at(home)
    has_newest = newest and (opened.root / "candidate").is_file()  # a folder that snapshots are pushed to has none
    with open_snapshot(opened.root, opened.candidate if has_newest else "live") as snapshot:
        return questions, resolve(questions, tuple(snapshot.chunks))


def _read(files: list[Path]) -> tuple[Question, ...]:
    """Return the questions of the files, with ids that are unique across all files."""
    from evals.questions.questions import load_questions

    given = dict(zip(existing(files), files, strict=True))
    return tuple(
        question if len(given) == 1 else replace(question, id=f"{name}:{question.id}")
        for path, name in given.items()
        for question in load_questions(path)
    )


def write_by_model(
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder to write to, with one folder per book.", show_default=False)
    ] = None,
    model: ModelOption = None,
    per_place: Annotated[
        int, typer.Option("--per-place", min=1, max=20, help="Number of questions per table or section.")
    ] = 3,
    budget: BudgetOption = None,
    dry_run: DryRunOption = False,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Have a chat model write questions about every table and section of the live index, marked as generated.

    The questions are checked. The home stores what was paid for: a second run sends only what is new. Without a key,
    use querymust questions generate.

    \b
    Examples:
      querymust questions by-model --dry-run
      querymust questions by-model --out asked --model gpt-4o-mini --budget 0.50
    """
    from evals.asked_by_model.asking import ask_about, places_of
    from evals.generation.generation import write_generated
    from retrieval.files.locks import write_lock
    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import open_snapshot

    opened = Home.at(home)
    with open_snapshot(opened.root) as snapshot:
        places = places_of(snapshot.chunks, per_place)
        asking = _asking(opened, model, budget)
        if dry_run:
            _estimate(opened, asking, places, json_=json_)
            return
        if folder is None:
            raise typer.BadParameter("give a folder for the questions, or use --dry-run", param_hint="--out")
        with write_lock(opened.root):
            written = ask_about(places, snapshot, asking)
    files = write_generated(folder.expanduser(), written.documents)
    if json_:
        print_json(_record(written, files))
        return
    out.print(f"{counted(written.n_questions, 'question')} in {counted(len(files), 'file')} under {folder}")
    _print_cost(written)


def _asking(home: Home, model: str | None, budget: float | None) -> Inquiries:
    from evals.asked_by_model.asking import prompt_version
    from pipeline.building.model_work import options_of
    from retrieval.models.access import Access
    from retrieval.models.inquiries import Inquiries

    options = options_of(asked_model(home.settings, model, budget))
    otherwise = "run: querymust questions generate"
    return Inquiries(Access.of_environment(), home.models, options, prompt_version(), otherwise=otherwise)


def _estimate(home: Home, asking: Inquiries, places: Sequence[AskedPlace], *, json_: bool) -> None:
    from evals.asked_by_model.asking import IS_USABLE

    waiting = asking.unanswered([asked_place.inquiry(asking.model) for asked_place in places], IS_USABLE)
    requests, chosen = (inquiry.request for inquiry in waiting), f"{counted(len(places), 'place')} in {home.root}"
    print_estimate(requests, "places", asking.options, asking.prompt, chosen, json_=json_)


def _record(written: WrittenQuestions, files: Sequence[Path]) -> dict[str, object]:
    return {
        "questions": written.n_questions,
        "files": [str(path) for path in files],
        "disbelieved": [asdict(question) for question in written.disbelieved],
        "left": list(written.left),
        "used": asdict(written.bill.used),
        "usd": written.bill.usd,
    }


def _print_cost(written: WrittenQuestions) -> None:
    usd = "" if written.bill.usd is None else f", ${written.bill.usd:.4f}"
    err.print(f"{written.bill.used.total:,} tokens{usd}")
    lines = [f"not used: {question.question!r}: {question.why}" for question in written.disbelieved]
    lines += [f"no answer: {why}" for why in dict.fromkeys(written.left)]
    for line in first_of(lines):
        err.print(line)
