"""`querymust answer` and `chat`: answers read from the cells and sentences of the books, or worded by a model."""

from __future__ import annotations

import sys
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption, StrategyOption, WhereOption
from pipeline.console.output import err, out, print_error, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.rag.answerer import Answerer
    from retrieval.rag.follow_up import Turn
    from retrieval.rag.passages import Answer, Passage


class How(StrEnum):
    """Who words the answer."""

    auto = "auto"
    read = "read"
    generate = "generate"


HowOption = Annotated[
    How,
    typer.Option(
        "--how", help="read: from cells and sentences; generate: by a model; auto: by a model if an API key is set."
    ),
]


def answer(
    question: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    how: HowOption = How.auto,
    strategy: StrategyOption = None,
    where: WhereOption = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Answer a question, and cite the source of each part of the answer.

    Without OPENAI_API_KEY, the answer is read from the books: the cells of the row that answers, or an unchanged
    sentence. If a model cites no passage, the exit status is 1.

    \b
    Examples:
      querymust answer "What does a 7th level cleric need to roll to hit AC 6?"
      querymust answer "turning a vampire" --where book=rules
      querymust answer "dagger or long sword, which costs more?" --how read
      OPENAI_API_KEY=... querymust answer "How do I make an attack roll?" --json
    """
    from retrieval.rag.answerer import Answerer
    from retrieval.search.metadata_filter import filter_of

    answerer, is_cited = Answerer(home.expanduser(), how=how.value, strategy=strategy), True
    for event in answerer.answer(question, filter_of(where)):
        if event.event == "error":
            print_error(event.data)
            raise typer.Exit(2)
        if event.event == "token" and not json_:
            out.print(event.data, end="")
        if event.event == "context" and not event.passages and not json_:
            err.print(event.data)
        if event.event == "generation" and answerer.model is not None:
            err.print(event.data)
        if event.answer is not None:
            print_json(asdict(event.answer)) if json_ else _print_sources(event.answer)
            is_cited = event.answer.mode != "generated" or bool(event.answer.citations)
    answerer.close()
    if not is_cited:
        print_error("the model cited no passage; check the answer in the books")
        raise typer.Exit(1)


def chat(how: HowOption = How.auto, strategy: StrategyOption = None, home: HomeOption = DEFAULT_HOME) -> None:
    """Ask one question after another; `and AC 4?` and `how heavy is it?` refer to the previous question.

    Rules complete a follow-up question. If no rule applies, the model (if any) completes it. The completed question is
    printed. `exit`, `quit` or Ctrl-D ends the conversation, which is not stored.

    \b
    Example:
      querymust chat
    """
    from retrieval.rag.answerer import Answerer

    answerer = Answerer(home.expanduser(), how=how.value, strategy=strategy)
    turn: Turn | None = None
    for typed in _typed_lines():
        question = _completed(typed, turn, answerer)
        if question != typed:
            err.print(f"Asked: {question}", style="dim")
        turn = _tell(answerer, question) or turn
    answerer.close()


def _typed_lines() -> Iterator[str]:
    """Yield the lines that a person types or a file contains, until its end, `exit` or `quit`."""
    if is_terminal := sys.stdin.isatty():
        import readline  # noqa: F401 -- lines can be edited, and come back with the arrow keys

        err.print("Ask a question. Type exit or press Ctrl-D to stop.", style="dim")
    while True:
        try:
            line = input("> " if is_terminal else "").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if line.casefold() in {"exit", "quit"}:
            return
        if line:
            yield line


def _completed(typed: str, turn: Turn | None, answerer: Answerer) -> str:
    """Return the question that was typed, completed if it refers to the previous one."""
    from retrieval.errors import RetrievalError
    from retrieval.rag.follow_up import complete, is_follow_up

    if turn is None or not is_follow_up(typed):
        return typed
    whole = complete(typed, turn)
    if whole is None and answerer.model is not None:
        try:
            pieces = answerer.model.tell(_REWRITE.format(turn=turn, typed=typed))
            return "".join(part.text for part in pieces).strip() or typed
        except RetrievalError as error:
            print_error(str(error))
    return whole or typed


_REWRITE = """Rewrite the last question so that it can be understood alone. Answer with the question only.
Question before: {turn.question}
What answered it: {turn.name}
Last question: {typed}"""


def _tell(answerer: Answerer, question: str) -> Turn | None:
    """Print the answer as it arrives; return the turn if a passage answered."""
    from retrieval.rag.follow_up import Turn

    passages: tuple[Passage, ...] = ()
    for event in answerer.answer(question):
        if event.event == "error":
            print_error(event.data)
        if event.event == "token":
            out.print(event.data, end="")
        if event.event == "generation" and answerer.model is not None:
            err.print(event.data, style="dim")
        passages = event.passages or passages
        if event.answer is not None:
            _print_sources(event.answer)
            out.print()
            cited = {citation.chunk_id for citation in event.answer.citations}
            first = next((passage.hit.chunk for passage in passages if passage.hit.chunk.id in cited), None)
            return Turn.of(question, first) if first and event.answer.mode != "none" else None
    return None


def _print_sources(answer: Answer) -> None:
    out.print(answer.text if answer.mode == "none" else "")
    if answer.mode == "generated":
        out.print(f"\n{_origin(answer)}")
    for citation in answer.citations:
        first, last = citation.lines
        lines = f"line {first}" if first == last else f"lines {first}-{last}"
        out.print(f"[{citation.number}] {citation.title}  ({citation.book}/{citation.document}, {lines})")
    if answer.read_as is not None:
        err.print(f"read as: {answer.read_as}")
    if answer.doubts:
        err.print(f"Not in the passages: {', '.join(answer.doubts)}. Check the books.")


def _origin(answer: Answer) -> str:
    """Return which model generated an answer, and what it used."""
    tokens = f"{answer.tokens:,} tokens" if answer.tokens else "unknown tokens"
    cost = f"${answer.usd:.4f}" if answer.usd is not None else "unknown cost"
    return f"Generated by {answer.model} at {answer.server}, not read from the books: {tokens}, {cost}."
