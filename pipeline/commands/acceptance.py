"""The options of `querymust eval` that a user's own CI takes, and what it does with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.console.output import err

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evals.acceptance.bounds import Bound
    from evals.acceptance.saved_scores import SavedScores
    from evals.acceptance.verdict import Verdict
    from evals.evaluation import Evaluation
    from retrieval.index.snapshot.snapshot import Snapshot

FailUnderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="METRIC=NUMBER",
        help="Status 1 if the score is worse than this; may be given again. Where less is better, it is the most.",
    ),
]
BaselineOption = Annotated[
    Path | None,
    typer.Option(
        "--baseline", help="File of --save; says what changed, and is status 1 if a score is significantly worse."
    ),
]
SaveOption = Annotated[Path | None, typer.Option("--save", help="File to keep the scores in, for --baseline.")]
JunitOption = Annotated[Path | None, typer.Option("--junit", help="File to write JUnit XML to, a case a question.")]
SummaryOption = Annotated[Path | None, typer.Option("--summary", help="File to write Markdown to, for a pull request.")]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options ask for, read before anything is scored."""

    bounds: tuple[Bound, ...]
    baseline: SavedScores | None
    save: Path | None
    junit: Path | None
    summary: Path | None

    @property
    def anything(self) -> bool:
        """Whether a verdict is wanted."""
        return bool(self.bounds or self.baseline or self.junit or self.summary)


def asked(
    fail_under: Sequence[str] | None,
    baseline: Path | None,
    save: Path | None,
    junit: Path | None,
    summary: Path | None,
) -> Asked:
    """Read what the options say.

    Raises:
        RetrievalError: a bound or the baseline cannot be used.
        FileNotFoundError: the baseline is not there.
    """
    if not any((fail_under, baseline, save, junit, summary)):
        return Asked((), None, None, None, None)  # nobody else needs these modules
    from evals.acceptance.bounds import Bound
    from evals.acceptance.saved_scores import SavedScores

    return Asked(
        bounds=tuple(Bound.parse(text) for text in fail_under or ()),
        baseline=SavedScores.read(baseline.expanduser()) if baseline else None,
        save=save and save.expanduser(),
        junit=junit and junit.expanduser(),
        summary=summary and summary.expanduser(),
    )


def verdicts_of(
    wanted: Asked, evaluation: Evaluation, snapshot: Snapshot, strategies: Sequence[str]
) -> tuple[Verdict, ...]:
    """A verdict on each strategy; none if nobody asked for one.

    Raises:
        RetrievalError: the baseline is of other strategies or other questions.
    """
    if not wanted.anything:
        return ()
    from evals.acceptance.verdict import verdict

    return tuple(verdict(evaluation, snapshot, name, wanted.bounds, wanted.baseline) for name in strategies)


def write_files(wanted: Asked, evaluation: Evaluation, strategies: Sequence[str], verdicts: Sequence[Verdict]) -> None:
    """Write the files that were asked for, and name each on standard error.

    Raises:
        AcceptanceError: one cannot be written.
    """
    if wanted.save is not None:
        from evals.acceptance.saved_scores import SavedScores

        rows = [row for row in evaluation.headline_rows() if row.strategy in strategies]
        _written(wanted.save, lambda path: SavedScores.of(evaluation.snapshot, rows).write(path))
    if wanted.junit is not None:
        from evals.acceptance.junit import junit_xml

        _written(wanted.junit, lambda path: path.write_bytes(junit_xml(verdicts)))
    if wanted.summary is not None:
        from evals.acceptance.summary import summary

        _written(wanted.summary, lambda path: path.write_text(summary(verdicts), "utf-8"))


def _written(path: Path, write: Callable[[Path], object]) -> None:
    from evals.errors import AcceptanceError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    except OSError as error:
        raise AcceptanceError(f"{path} cannot be written ({error.strerror}); name another file") from error
    err.print(f"wrote {path}", markup=False)
