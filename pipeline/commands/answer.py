"""`querymust answer`: an answer read from the cells and sentences of the books, or worded by a model."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import err, out, print_error, print_json

if TYPE_CHECKING:
    from retrieval.answer.answers import Answer


class How(StrEnum):
    """Who words the answer."""

    auto = "auto"
    read = "read"
    generate = "generate"


def answer(
    question: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    how: Annotated[
        How,
        typer.Option("--how", help="read: from cells and sentences; generate: by a model; auto: by it with a key."),
    ] = How.auto,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Answer a question, and say where each part of the answer is from.

    Without OPENAI_API_KEY the answer is read: the cells of the row that answers, or a sentence as it stands.

    \b
    Examples:
      querymust answer "What does a 7th level cleric need to roll to hit AC 6?"
      querymust answer "dagger or long sword, which costs more?" --how read
      OPENAI_API_KEY=... querymust answer "How do I make an attack roll?" --json
    """
    from retrieval.answer.answerer import Answerer
    from retrieval.answer.json_record import answer_record

    answerer = Answerer(home.expanduser(), how=how.value)
    for event in answerer.answer(question):
        if event.event == "error":
            print_error(event.data)
            raise typer.Exit(2)
        if event.event == "token" and not json_:
            out.print(event.data, end="", markup=False)
        if event.event == "context" and not event.passages and not json_:
            err.print(event.data, markup=False)
        if event.answer is not None:
            print_json(answer_record(event.answer)) if json_ else _print_sources(event.answer)
    answerer.close()


def _print_sources(answer: Answer) -> None:
    out.print(answer.text if answer.mode == "none" else "", markup=False)
    for each in answer.citations:
        first, last = each.lines
        lines = f"line {first}" if first == last else f"lines {first}-{last}"
        out.print(f"[{each.number}] {each.title}  ({each.book}/{each.document}, {lines})", markup=False)
    if answer.read_as is not None:
        err.print(f"read as: {answer.read_as}", markup=False)
    if answer.doubts:
        err.print(f"Not in the passages: {', '.join(answer.doubts)}. Look it up.", markup=False)
