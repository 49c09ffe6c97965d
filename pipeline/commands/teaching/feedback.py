"""`querymust feedback`: what people said of hits, as questions with gold and as predicates to think about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption, live_retriever, remembered_questions
from pipeline.console.output import counted, out, print_json

if TYPE_CHECKING:
    from evals.questions.questions import Question
    from evals.terms.effect import Effect
    from evals.terms.predicate_suggestion import PredicateSuggestion, Unhelped


def use_feedback(
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write the questions there, with their gold.")
    ] = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Turn feedback on hits into questions with gold, and into predicates for rows that do not belong there.

    A predicate is an entry for the book's tables.toml, with what it would do to the questions and the scores, tried on
    a copy of the index. Nothing is applied: you write it there, and the next build asks the gate.

    \b
    Examples:
      querymust feedback
      querymust feedback --write from_people.jsonl
    """
    from evals.questions.questions import write_questions
    from evals.terms.effect import Trial
    from evals.terms.feedback_questions import questions_of
    from evals.terms.predicate_suggestion import suggest_predicates
    from retrieval.home import Home
    from retrieval.serve.feedback import read_feedback

    opened = Home.at(home)
    said, retriever = read_feedback(opened.root), live_retriever(opened.root)
    chunks = {chunk.id: chunk for chunk in retriever.snapshot.chunks}
    gone = len({each.chunk_id for each in said} - set(chunks))
    questions = questions_of(said, chunks)
    suggested, unhelped = suggest_predicates(said, retriever.snapshot, chunks)
    tried = []
    if suggested:
        trial = Trial(retriever, [each.query for each in said], remembered_questions(opened), opened.evaluations)
        for each in suggested:
            changed = [each.guarded if chunk.id == each.chunk.id else chunk for chunk in chunks.values()]
            tried.append((each, trial.of(chunks=changed)))
    if write is not None and questions:
        write_questions(write.expanduser(), questions)
    if json_:
        print_json(_record(questions, tried, unhelped, gone))
        return
    where = f", in {write}" if write is not None and questions else ""
    out.print(f"{counted(len(said), 'word')} of feedback: {counted(len(questions), 'question')} with gold{where}")
    if gone:
        out.print(f"{counted(gone, 'chunk')} that feedback is about left the index; ask those questions again")
    _print_feedback(tried, unhelped)


def _record(
    questions: tuple[Question, ...],
    tried: list[tuple[PredicateSuggestion, Effect]],
    unhelped: tuple[Unhelped, ...],
    gone: int,
) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "questions": [{"id": each.id, "query": each.query, "gold": len(each.gold)} for each in questions],
        "predicates": [
            {
                "chunk": each.chunk.id,
                "title": each.chunk.title,
                "book": each.chunk.book,
                "names": list(each.names),
                "questions": list(each.questions),
                "tables.toml": each.entry,
                "effect": asdict(effect),
            }
            for each, effect in tried
        ],
        "unhelped": [{"chunk": each.chunk.id, "question": each.question, "why": each.why} for each in unhelped],
        "gone": gone,
    }


def _print_feedback(tried: list[tuple[PredicateSuggestion, Effect]], unhelped: tuple[Unhelped, ...]) -> None:
    for each, effect in tried:
        out.print(f"\n{each.chunk.title} does not belong to: {'; '.join(each.questions)}", markup=False, style="bold")
        out.print(f"{effect.scores}", markup=False)
        others = [query for query in effect.excluded if query not in each.questions]
        if others:
            out.print(f"it would also keep chunks out for: {'; '.join(others)}", markup=False)
        out.print(f"in {each.chunk.book}/tables.toml:\n\n{each.entry}", markup=False)
    for one in unhelped:
        out.print(f"\n{one.chunk.title}, for {one.question!r}: {one.why}", markup=False)
