"""`querymust suggest-terms` and `feedback`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    QuestionsOption,
    live_retriever,
    remembered_questions,
)
from pipeline.console.output import counted, err, out, print_error, print_json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.questions.questions import Question
    from evals.term_effects import Effect, PredicateSuggestion, Unhelped, VocabularyTrial
    from evals.terms import SaidQuestion, TermSuggestion
    from retrieval.home import Home
    from retrieval.search.retriever import Retriever


SHOWN = 3
"""The maximum number of questions of each kind that are printed."""


def suggest_terms(
    questions: QuestionsOption = None,
    top: Annotated[int, typer.Option("--top", min=1, max=100, help="Maximum number of words; each is tested.")] = 5,
    accept: Annotated[
        str | None,
        typer.Option("--accept", metavar="WORD=MEANS", help="Add this alias to the library's vocabulary.toml."),
    ] = None,
    reject: Annotated[
        str | None, typer.Option("--reject", metavar="WORD=MEANS", help="Never propose this alias again.")
    ] = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Propose aliases for question words unknown to the live index, and test each on a copy of it.

    The questions come from `serve --keep-questions`, from feedback, and from the question files. Only --accept and
    --reject change anything, and the gate may refuse an alias. It takes effect with the next build, which goes through
    the gate again.

    \b
    Examples:
      querymust suggest-terms
      querymust suggest-terms --questions mine.jsonl --top 10
      querymust suggest-terms --accept "woods=forest"
      querymust suggest-terms --reject "woods=wood"
    """
    from evals.term_effects import VocabularyTrial
    from evals.terms import decided_terms, keep_decision, suggest
    from retrieval.home import Home

    opened = Home.at(home)
    files = tuple(questions or remembered_questions(opened))
    if accept is not None and reject is not None:
        raise typer.BadParameter("give either --accept or --reject", param_hint="--reject")
    if reject is not None:
        keep_decision(opened.root, *_pair(reject, "--reject"), "rejected")
        return
    retriever = live_retriever(opened.root)
    known = _known_questions(opened, retriever, files)
    trial = VocabularyTrial(retriever, [question.query for question in known], files, opened.evaluations)
    if accept is not None:
        _accept(opened, retriever, trial, *_pair(accept, "--accept"))
        return
    suggestions = suggest(retriever.snapshot, known, decided_terms(opened.root))[:top]
    tried = _tried(retriever, trial, suggestions)
    if json_:
        print_json(
            [
                asdict(suggestion) | {"because": suggestion.because, "effect": asdict(effect)}
                for suggestion, effect in tried
            ]
        )
        return
    helpful = [(suggestion, effect) for suggestion, effect in tried if not effect.is_none]
    for suggestion, effect in helpful:
        _print(suggestion, effect)
    if len(helpful) < len(tried):
        out.print(f"{counted(len(tried) - len(helpful), 'more word')} would change nothing.")
    if not tried:
        out.print(f"No unknown word in {counted(len(known), 'question')} resembles a word in the index.")


def _pair(text: str, option: str) -> tuple[str, str]:
    word, _, means = (part.strip() for part in text.partition("="))
    if not word or not means:
        raise typer.BadParameter("write WORD=MEANS, such as woods=forest", param_hint=option)
    return word, means


def _known_questions(home: Home, retriever: Retriever, files: Sequence[Path]) -> list[SaidQuestion]:
    """Return every known question, with the chunks that are known to answer it."""
    from evals.questions.question_sets import question_sets
    from evals.terms import SaidQuestion
    from retrieval.serve.logs import asked_questions, read_feedback

    chunks = tuple(retriever.snapshot.chunks)
    by_id = {chunk.id: chunk for chunk in chunks}
    answers: dict[str, list[str]] = {question.query: [] for question in asked_questions(home.root)}
    for feedback in read_feedback(home.root):
        answers_of_query = answers.setdefault(feedback.query, [])
        if feedback.verdict == "relevant":
            answers_of_query.append(feedback.chunk_id)
    for question_set in question_sets(files, chunks, foreign=True):
        for question in question_set.scored:
            answers.setdefault(question.query, []).extend(question_set.gold(question))
    return [
        SaidQuestion(query, tuple(by_id[name] for name in dict.fromkeys(answer) if name in by_id))
        for query, answer in answers.items()
    ]


def _tried(
    retriever: Retriever, trial: VocabularyTrial, suggestions: Sequence[TermSuggestion]
) -> list[tuple[TermSuggestion, Effect]]:
    from evals.terms import with_alias

    tried = []
    with progress_bar("trying") as bar:
        for number, suggestion in enumerate(suggestions):
            bar(f"{suggestion.word} = {suggestion.means}", number, len(suggestions))
            tried.append(
                (suggestion, trial.of(with_alias(retriever.snapshot.vocabulary, suggestion.word, suggestion.means)))
            )
    return tried


def _accept(home: Home, retriever: Retriever, trial: VocabularyTrial, word: str, means: str) -> None:
    from evals.terms import add_alias, keep_decision, with_alias
    from retrieval.errors import LibraryError
    from retrieval.ingest.library.library import VOCABULARY_FILE

    if not home.library.is_dir():
        raise LibraryError(f"{home.library} is a file and has no {VOCABULARY_FILE}; make it a folder of books")
    index = retriever.snapshot.lexical
    if None in index.terms.words(index.tokenize(means)):
        print_error(f"{word} = {means} is not accepted: no live book contains {means!r}")
        raise typer.Exit(1)
    effect = trial.of(with_alias(retriever.snapshot.vocabulary, word, means))
    if not effect.passes:
        print_error(f"{word} = {means} is not accepted: {effect.scores}")
        raise typer.Exit(1)
    add_alias(home.library / VOCABULARY_FILE, word, means)
    keep_decision(home.root, word, means, "accepted")
    out.print(f"{home.library / VOCABULARY_FILE} has {word} = {means}; {effect.scores}.")
    err.print(f"It takes effect with the next build: querymust build{home.option}")


def _print(term_suggestion: TermSuggestion, effect: Effect) -> None:
    asked_by = counted(len(term_suggestion.questions), "question")
    out.print(
        f"{term_suggestion.word} = {term_suggestion.means}    {term_suggestion.because}; used in {asked_by}",
        style="bold",
    )
    out.print(f"    {effect.scores}")
    for told, queries in (
        ("would admit chunks", effect.admitted),
        ("would exclude chunks", effect.excluded),
        ("would change the first hit", effect.moved),
    ):
        for query in queries[:SHOWN]:
            out.print(f"    {told}: {query}")
        if len(queries) > SHOWN:
            out.print(f"    {told}: {len(queries) - SHOWN} more")


def use_feedback(
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="File to write the questions to, with their gold.")
    ] = None,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Turn feedback on hits into questions with gold, and into predicates for rows marked irrelevant.

    Each predicate is printed as an entry for the book's tables.toml, with its effect on questions and scores on a copy
    of the index. Nothing is applied: you add the entry, and the next build goes through the gate.

    \b
    Examples:
      querymust feedback
      querymust feedback --write from_people.jsonl
    """
    from evals.questions.questions import write_questions
    from evals.term_effects import VocabularyTrial, questions_of, suggest_predicates
    from retrieval.home import Home
    from retrieval.serve.logs import read_feedback

    opened = Home.at(home)
    feedback, retriever = read_feedback(opened.root), live_retriever(opened.root)
    chunks = {chunk.id: chunk for chunk in retriever.snapshot.chunks}
    gone = len({opinion.chunk_id for opinion in feedback} - set(chunks))
    questions = questions_of(feedback, chunks)
    suggested, unhelped = suggest_predicates(feedback, retriever.snapshot, chunks)
    tried = []
    if suggested:
        trial = VocabularyTrial(
            retriever, [opinion.query for opinion in feedback], remembered_questions(opened), opened.evaluations
        )
        for suggestion in suggested:
            changed = [suggestion.guarded if chunk.id == suggestion.chunk.id else chunk for chunk in chunks.values()]
            tried.append((suggestion, trial.of(chunks=changed)))
    if write is not None and questions:
        write_questions(write.expanduser(), questions)
    if json_:
        print_json(_record(questions, tried, unhelped, gone))
        return
    where = f", in {write}" if write is not None and questions else ""
    out.print(f"{counted(len(feedback), 'piece')} of feedback: {counted(len(questions), 'question')} with gold{where}")
    if gone:
        out.print(f"no longer in the index: {counted(gone, 'chunk')} with feedback; ask those questions again")
    _print_feedback(tried, unhelped)


def _record(
    questions: tuple[Question, ...],
    tried: list[tuple[PredicateSuggestion, Effect]],
    unhelped: tuple[Unhelped, ...],
    gone: int,
) -> dict[str, object]:
    return {
        "questions": [
            {"id": question.id, "query": question.query, "gold": len(question.gold)} for question in questions
        ],
        "predicates": [
            {
                "chunk": suggestion.chunk.id,
                "title": suggestion.chunk.title,
                "book": suggestion.chunk.book,
                "names": list(suggestion.names),
                "questions": list(suggestion.questions),
                "tables.toml": suggestion.entry,
                "effect": asdict(effect),
            }
            for suggestion, effect in tried
        ],
        "unhelped": [{"chunk": miss.chunk.id, "question": miss.question, "why": miss.why} for miss in unhelped],
        "gone": gone,
    }


def _print_feedback(tried: list[tuple[PredicateSuggestion, Effect]], unhelped: tuple[Unhelped, ...]) -> None:
    for suggestion, effect in tried:
        out.print(
            f"\n{suggestion.chunk.title} does not belong in the hits for: {'; '.join(suggestion.questions)}",
            style="bold",
        )
        out.print(f"{effect.scores}")
        others = [query for query in effect.excluded if query not in suggestion.questions]
        if others:
            out.print(f"it would also exclude chunks for: {'; '.join(others)}")
        out.print(f"in {suggestion.chunk.book}/tables.toml:\n\n{suggestion.entry}")
    for one in unhelped:
        out.print(f"\n{one.chunk.title}, for {one.question!r}: {one.why}")
