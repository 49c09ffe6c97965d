"""The gate's rules about scores as Dagster checks, which pass without questions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

import dagster as dg

from evals.asset_options import AGAIN, as_table, reported, with_reason
from evals.evaluation import SHIPPED, Evaluation, evaluation_of
from evals.gate import (
    EVALUABILITY_FLOOR,
    SCORE_RULES,
    Objection,
    OtherScores,
    Rule,
    Scores,
    best_kept_scores,
    live_scores,
)
from evals.non_inferiority import PairedChange, paired_changes
from evals.questions.question_sets import questions_version
from evals.verdicts import CheckVerdict, keep_verdict, unaccepted
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES

Arguments = ParamSpec("Arguments")

ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN
FINDINGS = "findings"
"""Metadata key of a check that only warns but prevents a promotion: the ids of its findings."""
NO_QUESTIONS = "no questions were given"

_When = dg.AutomationCondition
JUDGED = (
    (_When.newly_missing() | _When.any_deps_updated()).since(_When.newly_requested() | _When.newly_updated())
    & ~_When.any_deps_missing()
    & ~_When.any_deps_in_progress()
    & ~_When.in_progress()
).with_label("judged")
"""A check runs once for each new state of its asset, if possible in the run of an asset that waits for it."""


def kept(name: str) -> Callable[[Callable[Arguments, dg.AssetCheckResult]], Callable[Arguments, Any]]:
    """Store a check's result also in the home, for `querymust status`, and make its description the reason of a failed
    run."""

    def keeping(compute: Callable[Arguments, dg.AssetCheckResult]) -> Callable[Arguments, Any]:
        @with_reason
        @wraps(compute)
        def computed(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Iterator[dg.AssetCheckResult]:
            home: Home = signature(compute).bind(*args, **kwargs).arguments["home"]
            try:
                result = compute(*args, **kwargs)
            except RetrievalError as error:
                keep_verdict(home.root, CheckVerdict.now(name, str(error), None, passed=False, blocks=True))
                raise
            judged = result.metadata.get("snapshot")
            holds = bool(unaccepted(home.root, name, findings_in(result.metadata)))
            keep_verdict(
                home.root,
                CheckVerdict.now(
                    name,
                    result.description or "",
                    str(judged.value) if judged is not None else None,
                    passed=result.passed,
                    blocks=result.severity is ERROR or holds,
                ),
            )
            return _reported(result)

        return computed

    return keeping


def _reported(result: dg.AssetCheckResult) -> Iterator[dg.AssetCheckResult]:
    """Yield the result; if it blocks, raise a failure with its description, since Dagster's own only has a count."""
    yield result
    if result.severity is ERROR and not result.passed:
        raise dg.Failure(result.description, allow_retries=False)


def findings_in(metadata: Mapping[str, dg.MetadataValue]) -> tuple[str, ...]:
    """Return the ids of findings that prevent a promotion; none for other checks."""
    findings = metadata.get(FINDINGS)
    return tuple(map(str, findings.value)) if isinstance(findings, dg.JsonMetadataValue) and findings.value else ()


def score_check(rule: Rule[Scores]) -> dg.AssetChecksDefinition:
    """Return the check of a rule about scores, which judges the candidate by the shipped strategy."""

    @dg.asset_check(
        asset=rule.asset,
        name=rule.name,
        description=rule.says,
        blocking=rule.blocks,
        automation_condition=JUDGED,
        retry_policy=AGAIN,
    )
    @kept(rule.name)
    def check(home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
        candidate = evaluation_of(home, home.candidate, STRATEGIES[SHIPPED])
        return _judged(rule, candidate, _other(rule, home, candidate), questions_version(home.settings.questions))

    return check


def _other(rule: Rule[Scores], home: Home, candidate: Evaluation) -> OtherScores:
    if rule.against is None or candidate.experiment is None:
        return OtherScores(None)
    return live_scores(home) if rule.against == "live" else best_kept_scores(home, candidate)


def _judged(rule: Rule[Scores], candidate: Evaluation, other: OtherScores, questions: str) -> dg.AssetCheckResult:
    before, rows = other.on_questions_of(candidate), candidate.rows(SHIPPED)
    stale = tuple(map(str, candidate.stale))
    reasons = (
        rule.reasons(Scores(candidate.experiment, before, before, stale)) if candidate.experiment is not None else ()
    )
    objections = [reason.objection for reason in reasons]
    changes = paired_changes(rows, before.rows) if before else ()
    headline = candidate.headline().get(SHIPPED, {})
    other_headline = other.evaluation.headline().get(SHIPPED, {}) if other.evaluation else {}
    return dg.AssetCheckResult(
        passed=not reasons,
        severity=ERROR if any(reason.blocks for reason in reasons) or (rule.blocks and not reasons) else WARN,
        description=(other.note or summary(objections) + _undecided(changes)) if candidate.sets else NO_QUESTIONS,
        metadata={
            "n_questions": candidate.n_questions,
            "n_stale": len(candidate.stale),
            "evaluability": reported(candidate.evaluability),
            "floor": EVALUABILITY_FLOOR,
            "mrr": reported(headline.get("mrr")),
            "mrr_compared": reported(other_headline.get("mrr")),
            "false_exclusions": reported(headline.get("false_exclusions")),
            "noise_reduction": reported(headline.get("noise_reduction")),
            "against_it": as_table(objections, Objection),
            "changes": as_table(changes, PairedChange),
            "compared_with": before.snapshot if before else "nothing",
            "snapshot": candidate.snapshot,
            "questions": questions,
        },
    )


def _undecided(changes: Sequence[PairedChange]) -> str:
    few = [str(change) for change in changes if change.verdict == "undecided"]
    return f"; the questions are too few to tell a loss from chance in {'; '.join(few)}" if few else ""


SHOWN = 5
"""Most counterexamples that a description lists; all of them would fill the event log."""


def summary(counterexamples: Sequence[object]) -> str:
    """Return the first counterexamples in one line, and the number of others."""
    more = f"; and {len(counterexamples) - SHOWN} more" if len(counterexamples) > SHOWN else ""
    return "; ".join(map(str, counterexamples[:SHOWN])) + more or "nothing contradicts it"


score_checks = [score_check(rule) for rule in SCORE_RULES]
"""The checks, which Dagster loads from the module's list."""
