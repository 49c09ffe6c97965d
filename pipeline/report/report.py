"""Everything that the page shows, gathered from one home before anything is drawn."""

from dataclasses import dataclass

from evals.evaluation import SHIPPED, Evaluation, evaluate
from evals.failures import failures
from evals.noise import Relatives
from evals.relaxation import Relaxation, relaxation
from pipeline.report.expanded_gold import ExpandedGold, expanded_gold_of
from pipeline.report.header import Header, header_of
from pipeline.report.history import History, history_of
from pipeline.report.questions import Exclusion, Outcome, Progress, exclusions_of, outcomes_of
from pipeline.report.standings import Standings, standings_of
from pipeline.report.verdicts import Verdict, verdicts_of
from retrieval.home import Home
from retrieval.search.json_record import ShortId
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES


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
    expanded_gold: tuple[ExpandedGold, ...] = ()
    """Empty where nobody asked for it."""


def report_of(
    home: Home, *, times: bool = True, expand_gold: bool = False, progress: Progress = lambda *_: None
) -> Report:
    """Gather the report on the candidate of a home: the newest snapshot, live or not.

    Scores that lie in the home are read. What was never scored, or was scored by other code, is scored first.

    Args:
        home: what to report on.
        times: milliseconds and dates too; without them two homes with the same contents give the same report.
        expand_gold: scores with expanded gold too.
        progress: told how many rankings are done.

    Raises:
        NothingLiveError: nothing was built in the home.
        EvaluationError: the questions cannot be used.
    """
    retriever = Retriever.open(home.root, home.candidate)
    with retriever.snapshot as snapshot:
        strategies = tuple(STRATEGIES.values())
        scores = evaluate(snapshot, retriever.embedder, home.settings.questions, strategies, home.evaluations)
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
            expanded_gold=expanded_gold_of(scores, snapshot) if expand_gold else (),
        )
