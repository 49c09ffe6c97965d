"""`querymust eval`: scores strategies on questions with gold, for people and for CI."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    QuestionsOption,
    existing,
    live_retriever,
    remembered_questions,
)
from pipeline.console.output import err, out, print_error, print_json, progress_bar
from pipeline.console.scores import (
    breakdown_records,
    failure_record,
    print_better_strategy,
    print_breakdown,
    print_failures,
    print_leaderboard,
    print_short_leaderboard,
    print_verdict,
    verdict_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evals.acceptance import Bound, SavedScores, StrategyVerdict
    from evals.answer_scores import AnsweredQuestion
    from evals.evaluation import Evaluation
    from evals.failures import FailedQuestion
    from evals.relaxation import Relaxation
    from retrieval.home import Home


FailUnderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="METRIC=NUMBER",
        help=(
            "Exit with status 1 if the score is worse than this; can be repeated. If lower is better, this is "
            "the maximum."
        ),
    ),
]
BaselineOption = Annotated[
    Path | None,
    typer.Option(
        "--baseline", help="File of --save; shows what changed, with status 1 if a score is significantly worse."
    ),
]
SaveOption = Annotated[Path | None, typer.Option("--save", help="File to store the scores in, for --baseline.")]
JunitOption = Annotated[
    Path | None, typer.Option("--junit", help="File to write JUnit XML to, one test case per question.")
]
SummaryOption = Annotated[Path | None, typer.Option("--summary", help="File to write Markdown to, for a pull request.")]


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What the options ask for, read before anything is scored."""

    bounds: tuple[Bound, ...]
    baseline: SavedScores | None
    save: Path | None
    junit: Path | None
    summary: Path | None

    @property
    def anything(self) -> bool:
        """Whether a verdict was requested."""
        return bool(self.bounds or self.baseline or self.junit or self.summary)


def _evaluation_request(
    fail_under: Sequence[str] | None, baseline: Path | None, save: Path | None, junit: Path | None, summary: Path | None
) -> EvaluationRequest:
    """Read the options.

    Raises:
        RetrievalError: a bound or the baseline cannot be used.
        FileNotFoundError: the baseline does not exist.
    """
    from evals.acceptance import Bound, SavedScores

    return EvaluationRequest(
        bounds=tuple(Bound.parse(text) for text in fail_under or ()),
        baseline=SavedScores.read(baseline.expanduser()) if baseline else None,
        save=save and save.expanduser(),
        junit=junit and junit.expanduser(),
        summary=summary and summary.expanduser(),
    )


def _write_files(wanted: EvaluationRequest, scores: Scores) -> None:
    """Write the requested files, and print the name of each to standard error.

    Raises:
        AcceptanceError: a file cannot be written.
    """
    from evals.acceptance import SavedScores, junit_xml, summary

    if wanted.save is not None:
        rows = [row for row in scores.evaluation.headline_rows() if row.strategy in scores.detailed]
        _written(wanted.save, lambda path: SavedScores.of(scores.evaluation.snapshot, rows).write(path))
    if wanted.junit is not None:
        _written(wanted.junit, lambda path: path.write_bytes(junit_xml(scores.verdicts)))
    if wanted.summary is not None:
        _written(wanted.summary, lambda path: path.write_text(summary(scores.verdicts), "utf-8"))


def _written(path: Path, write: Callable[[Path], object]) -> None:
    from evals.errors import AcceptanceError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    except OSError as error:
        raise AcceptanceError(f"{path} cannot be written ({error.strerror}); name another file") from error
    err.print(f"wrote {path}")


TREC_HELP = (
    "Folder for run and qrels files for trec_eval. A run contains 100 results; f1, precision@15, noise@15 use "
    "only the 15 that are shown (as does trec_eval -M 15)."
)


@dataclass(frozen=True, slots=True)
class Scores:
    """An evaluation, and the strategies that are shown in detail."""

    evaluation: Evaluation
    detailed: tuple[str, ...]
    failures: Mapping[str, tuple[FailedQuestion, ...]] | None
    """By strategy; None if neither they nor a verdict were requested, or if the verdict is good."""
    verdicts: tuple[StrategyVerdict, ...]
    """One for each of `detailed`; none if they were not requested."""
    relaxation: Relaxation
    """About the conditions that the questions contain."""


def evaluate(
    questions: QuestionsOption = None,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", help="Can be repeated; default: all, with details of `default`.")
    ] = None,
    failures: Annotated[bool, typer.Option("--failures", help="List the questions whose gold is not first.")] = False,
    answers: Annotated[
        bool,
        typer.Option(
            "--answers", help="Compare the answers of `answer --how read` with the `answer` of each question."
        ),
    ] = False,
    json_: JsonOption = False,
    trec: Annotated[Path | None, typer.Option("--trec", help=TREC_HELP, file_okay=False)] = None,
    fail_under: FailUnderOption = None,
    baseline: BaselineOption = None,
    save: SaveOption = None,
    junit: JunitOption = None,
    summary: SummaryOption = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Score strategies on the live index with questions that have gold; default: the questions of the last build.

    Prints a table of the strategies, and then the scores of the selected strategies (or `default`) by kind and by
    book, with 95 % intervals. Gold that is no longer found in the index is listed after the scores. In this case, and
    if a score is worse than --fail-under or significantly worse than in the --baseline, the exit status is 1; see
    docs/how-to/ci.md.

    \b
    Examples:
      querymust eval
      querymust eval --failures
      querymust eval --answers
      querymust eval --questions mine.jsonl --strategy dense --strategy prefilter
      querymust eval --json
      querymust eval --strategy default --trec runs
      querymust eval --fail-under mrr=0.85 --fail-under hit@1=0.8 --junit scores.xml
      querymust eval --baseline last.json --save this.json --summary scores.md
    """
    from retrieval.home import Home

    wanted = _evaluation_request(fail_under, baseline, save, junit, summary)
    scores = _scores(home, existing(questions), strategy or [], wanted, failures=failures)
    evaluation = scores.evaluation
    _write_files(wanted, scores)
    if trec is not None and evaluation.experiment is not None:
        from evals.trec_files import write_rows

        for path in write_rows(trec.expanduser(), evaluation.experiment.rows):
            err.print(f"wrote {path}")
    answered = _answered(home, evaluation) if answers else ()
    if json_:
        print_json(evaluation_record(scores) | (_answers_record(answered) if answers else {}))
    else:
        _print_scores(scores)
        if answers:
            _print_answers(answered, failures=failures)
        print_better_strategy(evaluation.headline(), Home.at(home).settings.strategy, evaluation.n_questions)
        for verdict in scores.verdicts:
            print_verdict(verdict)
    for stale in evaluation.stale:
        print_error(f"stale gold, {'scored without it' if stale.scored else 'not scored'}: {stale}")
    if evaluation.stale or not all(verdict.passed for verdict in scores.verdicts):
        raise typer.Exit(1)


def evaluation_record(scores: Scores) -> dict[str, object]:
    """Return an evaluation as JSON values."""
    evaluation = scores.evaluation
    record: dict[str, object] = {
        "snapshot": evaluation.snapshot,
        "questions": evaluation.n_questions,
        "stale": [
            {"file": str(stale.file), "id": stale.question_id, "reason": stale.reason, "scored": stale.scored}
            for stale in evaluation.stale
        ],
        "strategies": evaluation.headline(),
        "relaxation": asdict(scores.relaxation) | {"rate": scores.relaxation.rate},
        "breakdown": [
            number for name in scores.detailed for number in breakdown_records(name, evaluation.breakdown(name))
        ],
    }
    if scores.verdicts:
        record["verdicts"] = [verdict_record(verdict) for verdict in scores.verdicts]
    if scores.failures is not None:
        record["failures"] = {
            "metric": "hit@1",
            "questions": [failure_record(failure) for failures in scores.failures.values() for failure in failures],
        }
    return record


def print_scores_of_build(home: Home, snapshot: str) -> None:
    """Print the short leaderboard of a snapshot that a build scored; nothing if there were no questions."""
    from evals.leaderboard import Leaderboard
    from evals.verdicts import gate_state

    if home.settings.questions:
        scored = Leaderboard.read(home.evaluations / snapshot)
        ask = f"querymust eval --failures{home.option}"
        print_short_leaderboard(scored.strategies, scored.n_questions, ask)
        print_better_strategy(scored.strategies, home.settings.strategy, scored.n_questions)
        for warning in gate_state(home.root, snapshot).warnings:
            err.print(f"warning: {warning}")


def _print_scores(scores: Scores) -> None:
    evaluation = scores.evaluation
    print_leaderboard(evaluation.headline())
    for name in scores.detailed:
        print_breakdown(name, evaluation.breakdown(name))
    for name, failure in (scores.failures or {}).items():
        print_failures(name, failure, evaluation.n_ranked(name))
    if (lost := scores.relaxation).n_stating:
        out.print(f"\n{lost.n_relaxed} of {lost.n_stating} questions with conditions on metadata had one dropped")
    out.print(f"\n{evaluation.n_questions} questions, snapshot {evaluation.snapshot}")


def _answered(root: Path, evaluation: Evaluation) -> tuple[AnsweredQuestion, ...]:
    """Return the read answers to all questions with an answer, and to those without gold."""
    from evals.answer_scores import answer_questions
    from retrieval.home import Home
    from retrieval.rag.passages import Gatherer
    from retrieval.rag.rag_context import ContextSource

    settings, retriever = Home.at(root).settings, live_retriever(root)
    gatherer = Gatherer(ContextSource.of(retriever, settings.strategy))
    with progress_bar("answering") as bar:
        answered: list[AnsweredQuestion] = []
        for number, questions in enumerate(evaluation.sets):
            bar(questions.name, number, len(evaluation.sets))
            answered += answer_questions(questions, gatherer, settings.answer)
    return tuple(answered)


def _answers_record(answered: Sequence[AnsweredQuestion]) -> dict[str, object]:
    from evals.answer_scores import score_answers

    scores = [asdict(score) for score in score_answers(answered)]
    return {"answers": scores, "answered": [asdict(question) for question in answered]}


def _print_answers(answered: Sequence[AnsweredQuestion], *, failures: bool) -> None:
    """Print the scores by kind of question, and the stated answers that are not right or how to list them."""
    from evals.answer_scores import HEADER, score_answers

    out.print("\nRead answers, compared with the answers in the question files:\n")
    for line in (*HEADER, *(score.line() for score in score_answers(answered))):
        out.print(line, soft_wrap=True)
    misstated = [question for question in answered if question.outcome in {"wrong", "partly"}]
    if not failures and misstated:
        out.print(f"\nTo list the stated answers that are not right ({len(misstated)}): add --failures")
    for question in misstated if failures else ():
        out.print(f"\n{question.id}  {question.kind}, {question.outcome}", style="bold")
        for what, text in (("", question.query), ("stated", question.stated), ("answer", question.answer)):
            out.print(f"  {what:<8}{text}".rstrip(), soft_wrap=True)


def _scores(
    root: Path, files: tuple[Path, ...], names: list[str], wanted: EvaluationRequest, *, failures: bool
) -> Scores:
    from evals.acceptance import verdict
    from evals.evaluation import SHIPPED, evaluate
    from evals.failures import failures as failures_of
    from evals.noise import Relatives
    from evals.relaxation import relaxation
    from retrieval.errors import RetrievalError
    from retrieval.home import Home
    from retrieval.search.strategies import STRATEGIES, scored, strategy

    home = Home.at(root)
    chosen = [scored(strategy(name)) for name in dict.fromkeys(names)] or list(STRATEGIES.values())
    files = files or remembered_questions(home)
    if not files:
        raise RetrievalError(f"{home.root} was built without questions; name some: querymust eval --questions FILE")
    with progress_bar("scoring") as bar:
        retriever = live_retriever(root)
        snapshot = retriever.snapshot
        evaluation = evaluate(
            snapshot,
            retriever.embedder,
            files,
            chosen,
            home.evaluations,
            lambda step: bar(f"{step.set}, {step.strategy}", step.done, step.total),
        )
    detailed = tuple(strategy.name for strategy in chosen) if names else (SHIPPED,)
    judged = detailed if wanted.anything else ()
    verdicts = tuple(verdict(evaluation, snapshot, name, wanted.bounds, wanted.baseline) for name in judged)
    given_up = relaxation(retriever, evaluation)
    if not failures and all(verdict.passed for verdict in verdicts):
        return Scores(evaluation, detailed, None, verdicts, given_up)
    relatives, rows = Relatives.of(tuple(snapshot.chunks)), evaluation.headline_rows()
    failures_by_strategy = {
        name: failures_of([row for row in rows if row.strategy == name], relatives, snapshot.canonical_of)
        for name in detailed
    }
    return Scores(evaluation, detailed, failures_by_strategy, verdicts, given_up)
