"""The gate's rules about scores as Dagster's checks. Without questions there is nothing to contradict them."""

from collections.abc import Sequence

import dagster as dg

from evals.assets import as_table, reported, with_reason
from evals.evaluation import SHIPPED, Evaluation, evaluation_of
from evals.gate import SCORE_RULES, Scores, Thresholds
from evals.questions.question_sets import questions_version
from evals.rules import Objection, Reason, Rule
from evals.showing.since_live import LiveScores, live_scores
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES

ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN
NO_QUESTIONS = "no questions were given"

_When = dg.AutomationCondition
JUDGED = (
    (_When.newly_missing() | _When.any_deps_updated()).since(_When.newly_requested() | _When.newly_updated())
    & ~_When.any_deps_missing()
    & ~_When.any_deps_in_progress()
    & ~_When.in_progress()
).with_label("judged")
"""A check follows what it judges: it runs once for each new state of it, in the run of what waits for it if it can."""


def score_check(rule: Rule[Scores]) -> dg.AssetChecksDefinition:
    """The check of a rule about scores; it judges the candidate by what ships."""

    @dg.asset_check(
        asset=rule.asset,
        name=rule.name,
        description=rule.says,
        blocking=rule.blocks,
        automation_condition=JUDGED,
    )
    @with_reason
    def check(home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
        candidate = evaluation_of(home, home.candidate, STRATEGIES[SHIPPED])
        live = live_scores(home) if rule.against_live else LiveScores(None)
        return _judged(rule, candidate, live.evaluation, live.note, questions_version(home.settings.questions))

    return check


def _judged(
    rule: Rule[Scores], candidate: Evaluation, live: Evaluation | None, note: str, questions: str
) -> dg.AssetCheckResult:
    before = live.experiment if live and _share_a_question(candidate, live) else None
    stale = tuple(map(str, candidate.stale))
    reasons = rule.reasons(Scores(candidate.experiment, before, stale)) if candidate.experiment else ()
    blocks = any(reason.blocks for reason in reasons) if reasons else rule.blocks
    headline = candidate.headline().get(SHIPPED, {})
    live_headline = live.headline().get(SHIPPED, {}) if live else {}
    return dg.AssetCheckResult(
        passed=not reasons,
        severity=ERROR if blocks else WARN,
        description=note or (_first(reasons) if candidate.sets else NO_QUESTIONS),
        metadata={
            "n_questions": candidate.n_questions,
            "n_stale": len(candidate.stale),
            "evaluability": reported(candidate.evaluability),
            "floor": Thresholds().evaluability,
            "mrr": reported(headline.get("mrr")),
            "mrr_live": reported(live_headline.get("mrr")),
            "false_exclusions": reported(headline.get("false_exclusions")),
            "noise_reduction": reported(headline.get("noise_reduction")),
            "against_it": as_table([each.objection for each in reasons], Objection),
            "snapshot": candidate.snapshot,
            "questions": questions,
        },
    )


def _share_a_question(candidate: Evaluation, live: Evaluation) -> bool:
    left, right = (
        {(row.set, row.split, row.question_id) for row in each.rows(SHIPPED) if row.gold} for each in (candidate, live)
    )
    return bool(left & right)


def _first(reasons: Sequence[Reason], shown: int = 5) -> str:
    more = f"; and {len(reasons) - shown} more" if len(reasons) > shown else ""
    return "; ".join(str(reason.objection) for reason in reasons[:shown]) + more or "nothing contradicts it"


score_checks = [score_check(rule) for rule in SCORE_RULES]
"""Dagster loads the members of a module's lists."""
