"""`querymust chat`: questions one after another, some of which refer to the previous one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pipeline.commands.answer import How, HowOption, print_sources
from pipeline.commands.options import DEFAULT_HOME, HomeOption, StrategyOption
from pipeline.console.output import err, out, print_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.rag.answerer import Answerer
    from retrieval.rag.follow_up import Turn
    from retrieval.rag.passages import Passage


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
            print_sources(event.answer)
            out.print()
            cited = {citation.chunk_id for citation in event.answer.citations}
            first = next((passage.hit.chunk for passage in passages if passage.hit.chunk.id in cited), None)
            return Turn.of(question, first) if first and event.answer.mode != "none" else None
    return None
