"""Everything that the page shows, gathered from one home before anything is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.evaluation import SHIPPED, Evaluation, evaluate
from evals.failures import failures
from evals.noise import Relatives
from evals.relaxation import Relaxation, relaxation
from pipeline.report.harness import NO_EXTRAS, NOTHING_MORE, Extras, Harness, harness_of
from pipeline.report.header import Header, header_of
from pipeline.report.history import History, history_of
from pipeline.report.questions import Exclusion, Outcome, Progress, exclusions_of, outcomes_of
from pipeline.report.standings import Standings, standings_of
from pipeline.report.verdicts import Verdict, verdicts_of
from retrieval.home import Home
from retrieval.search.json_record import ShortId
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Report:
    """The newest snapshot of a home, judged. Without questions there are no standings, outcomes and exclusions."""

    header: Header
    evaluation: Evaluation
    standings: Standings | None
    exclusions: tuple[Exclusion, ...]
    history: History
    verdicts: tuple[Verdict, ...]
    outcomes: tuple[Outcome, ...]
    short_id: ShortId
    """From a chunk's id to what commands call it."""
    relaxation: Relaxation
    """Of the conditions that questions state."""
    harness: Harness = NOTHING_MORE


def report_of(
    home: Home, *, times: bool = True, extras: Extras = NO_EXTRAS, progress: Progress = lambda *_: None
) -> Report:
    """Gather the report on the candidate of a home: the newest snapshot, live or not.

    Scores that lie in the home are read. What was never scored, or was scored by other code, is scored first.

    Args:
        home: what to report on.
        times: milliseconds and dates too; without them two homes with the same contents give the same report.
        extras: what is scored and shown besides.
        progress: told how many rankings are done.

    Raises:
        IndexMissingError: nothing was built in the home.
        EvaluationError: the questions cannot be used.
    """
    retriever = Retriever.open(home.root, home.candidate)
    with retriever.snapshot as snapshot:

        def scored(strategies: Sequence[Strategy]) -> Evaluation:
            return evaluate(snapshot, retriever.embedder, home.settings.questions, strategies, home.evaluations)

        scores = scored(extras.strategies(tuple(STRATEGIES.values())))
        routed = extras.routed(STRATEGIES[SHIPPED])
        rows = scores.experiment.rows if scores.experiment else ()
        failed = failures(rows, Relatives.of(tuple(snapshot.chunks)), snapshot.asked)
        headline = set(map(id, scores.headline_rows()))
        history = history_of(home, snapshot, scores)
        return Report(
            header=header_of(home, snapshot, times=times),
            evaluation=scores,
            standings=standings_of(scores, [each for each in failed if id(each.row) in headline], times=times)
            if rows
            else None,
            exclusions=exclusions_of(rows, retriever),
            history=history,
            verdicts=verdicts_of(home, snapshot, scores, history),
            outcomes=outcomes_of(rows, failed, retriever, SHIPPED, progress),
            short_id=snapshot.chunks.short_id,
            relaxation=relaxation(retriever, scores),
            harness=harness_of(extras, snapshot, scores, scored(routed) if routed else None),
        )
